"""Benchmarks that anyone can run: ``python -m bench``. They print times, ratios and targets, and assert nothing."""
