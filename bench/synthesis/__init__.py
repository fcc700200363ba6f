"""One environment synthesized by trnstack, and by hand-written JavaScript: the same templates, measured in turn."""
