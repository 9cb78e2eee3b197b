"""A function run once: from its arguments to a recording."""
