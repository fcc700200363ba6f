"""Pins what an environment runs: AMI releases, Neuron SDK components, containers and add-ons, in a lock file."""
