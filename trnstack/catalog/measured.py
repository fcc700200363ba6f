"""What others measured and published of instance types."""

#: What each node sends in the one large all-reduce whose rate is published, in Gbit/s by type and number of nodes: 1
#: GiB at 23.92 GiB/s, between two nodes of 32 cores each, which trn1.32xlarge alone has.
#: Source: AWS Neuron documentation at 81ce03ae, "NCCOM-TEST User Guide", Multiple Instances Example.
ALL_REDUCE_GBPS = {("trn1.32xlarge", 2): 205.5}
