"""How much memory a call holds at the most."""

import tracemalloc


def peak_in_arrays(size, call):
    """So many arrays of ``size`` floats are held at the same time."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / (8 * size)
