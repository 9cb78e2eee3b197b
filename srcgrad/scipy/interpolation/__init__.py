"""Of ``scipy.interpolate``: splines, and whatever goes through points."""
