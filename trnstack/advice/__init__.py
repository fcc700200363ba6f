"""Answers about an environment that follow from its plan: what a change takes."""
