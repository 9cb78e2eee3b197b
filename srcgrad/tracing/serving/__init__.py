"""Calls answered by a trace: which one fits, what it costs, what it returns."""
