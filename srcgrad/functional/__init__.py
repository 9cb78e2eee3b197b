"""Functions of functions: gradients and their kin, on ndarrays, floats, containers.

Users find them in ``srcgrad`` itself, where each is loaded as it is first asked for.
"""
