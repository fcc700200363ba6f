"""Settings for properties: a machine may be busy, so no example is timed."""

from hypothesis import settings

settings.register_profile("layout", deadline=None, max_examples=60)
settings.load_profile("layout")
