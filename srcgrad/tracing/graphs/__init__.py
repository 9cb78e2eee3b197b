"""A run as a graph while it is written down, and the graph of its way back."""
