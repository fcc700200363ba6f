"""Stands in for JAX's arrays, of which a run's own way takes none."""
