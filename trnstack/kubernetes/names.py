"""The names in a cluster that are fixed before anything is deployed, so that jobs can be written for them."""

#: The namespace of jobs, and the service account that they run as.
NAMESPACE, SERVICE_ACCOUNT = "training", "trainer"
#: The config map with what jobs need to know of their environment.
CONFIG_MAP = "trnstack"
#: The volume of the file system, and the claim on it.
VOLUME = "lustre"
#: Where a claim says what its volume is mounted from.
VOLUME_HANDLE = "trnstack/volume-handle"
#: Kueue's queue for the cluster, and the jobs' way into it in their namespace.
CLUSTER_QUEUE, LOCAL_QUEUE = "training", "training"
#: Kueue's descriptions of how near nodes are to each other: by the network's layers, by the UltraServer that they are
#: of, and, where neither is known, of each node alone.
TOPOLOGY, ULTRASERVER_TOPOLOGY, NODE_TOPOLOGY = "trnstack", "trnstack-ultraserver", "trnstack-nodes"
#: The labels by which nodes tell where they are, the network's layers from the widest to the nearest.
NETWORK_LAYERS = tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3))
HOSTNAME = "kubernetes.io/hostname"
#: Kueue's priorities of workloads, from the first to go to the last, with their values; a job names one by its label.
PRIORITIES = {"training-low": 100, "training-normal": 1_000, "training-high": 10_000}
#: Kubeflow Trainer's runtimes by framework.
RUNTIMES = {"pytorch": "trnstack-torch", "jax": "trnstack-jax"}
#: The Kubernetes groups of IAM roles that may run jobs, and of those that may look.
TRAINERS_GROUP, VIEWERS_GROUP = "trnstack:trainers", "trnstack:viewers"
#: The label that nodes with Neuron devices carry, by which every DaemonSet for them selects.
NEURON_LABEL = "trnstack/neuron"
#: The label that says which node group a node is of. EKS's own of that meaning comes with user data that EKS writes,
#: and to nodes of a custom image it writes none.
NODE_GROUP_LABEL = "trnstack/node-group"
#: The label of the nodes that run the cluster's own controllers.
SYSTEM_SELECTOR = {"trnstack/role": "system"}
#: The volume and the claim by which Mountpoint for S3 shows the checkpoint bucket.
BUCKET_VOLUME = "checkpoints"
#: The scheduler that hands out neighbouring devices, as its chart and AWS's guides call it.
NEURON_SCHEDULER = "my-scheduler"
#: What jobs ask a node for.
NEURON_DEVICE, NEURON_CORE, EFA_INTERFACE, HUGE_PAGES = (
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "vpc.amazonaws.com/efa",
    "hugepages-2Mi",
)
