"""Export: a trace as a module that people publish, which needs NumPy alone."""
