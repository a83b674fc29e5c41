"""The tiers of the tests, for every run of pytest."""

pytest_plugins = ["tests.support.tiers"]
