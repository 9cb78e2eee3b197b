"""Of ``scipy.integrate``: integrals and differential equations."""
