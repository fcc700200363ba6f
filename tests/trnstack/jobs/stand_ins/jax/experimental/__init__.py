"""Stands in for what JAX calls experimental."""
