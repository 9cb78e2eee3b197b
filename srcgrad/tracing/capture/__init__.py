"""Capture: what the instrumented copy calls at each read, store, call, loop, effect."""
