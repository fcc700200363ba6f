"""Renders one thing each: a CDK construct per file that turns a part of the plan into CloudFormation resources."""
