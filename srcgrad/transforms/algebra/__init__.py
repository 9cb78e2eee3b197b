"""Passes that write the same in fewer steps."""
