"""The values of each Helm chart: what differs from the chart's own, with every container by tag and digest."""
