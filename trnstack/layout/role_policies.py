"""How long the policies are that may be written into a role."""

#: Characters of all of them together, white space not counted. Source: IAM user guide, "IAM and AWS STS quotas".
MOST_CHARACTERS = 10_240
