"""Decides what a Trainium training cluster is: reads, checks and plans an environment, without CDK and without AWS."""
