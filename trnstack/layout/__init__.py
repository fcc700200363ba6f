"""Arithmetic with one answer: interfaces on network cards, subnets in a VPC, addresses, Lustre figures, user data."""
