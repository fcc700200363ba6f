"""What stands in the cluster beside the add-ons: charts with their values, and objects. Data, rendered from a plan."""
