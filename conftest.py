"""The tiers of the tests, for every run of pytest; nothing is kept between processes."""

import os

os.environ["EGGRAD_CACHE"] = "0"

pytest_plugins = ["tests.support.tiers", "tests.support.jax_in_double"]
