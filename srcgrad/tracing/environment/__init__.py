"""The environment: what a function reads beside its arguments, and the guards on it."""
