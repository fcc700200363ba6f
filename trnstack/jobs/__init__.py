"""Jobs that train, try out and measure a cluster, rendered from the plan's fixed names and the lock's container."""
