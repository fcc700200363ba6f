"""Tries an environment out: an embedded AWS that the real ``cdk`` command deploys to, with no account and no network."""
