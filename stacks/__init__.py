"""Composes what is deployed, updated and destroyed together: one module per stack, and the app that holds them."""
