"""Scipy.integrate: integrals and differential equations."""
