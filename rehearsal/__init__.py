"""Tries an environment out: an embedded AWS that the real ``cdk`` deploys to, with no account and no network."""
