"""Iterations that become a loop, and passes on loops."""
