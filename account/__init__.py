"""Asks an account, with boto3, what only it can answer; nothing else in the project calls AWS."""
