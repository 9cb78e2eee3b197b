"""Kernels run by Python instead of by Numba: what they say, without the compiling."""

import numpy as np

from srcgrad.native import tier
from srcgrad.native.compiling import Entry
from srcgrad.native.elements import UnsupportedError

PRELUDE = {
    "added": lambda terms, count: 0.0 + np.sum(terms[:count]),
    "largest": lambda terms, count: np.max(terms[:count]),
    "smallest": lambda terms, count: np.min(terms[:count]),
    "barrier": lambda number: number,
    "chosen": lambda test, first, second: first if test else second,
    "pairwise": lambda parts: np.sum(parts),
    "heard": lambda: False,
    "prange": range,
    "quiet": lambda: None,
    "dotted": lambda a, b: np.sum(a * b),
    "rolled": lambda count: count,
    "grown": lambda items: np.concatenate([items, np.empty_like(items)]),
}


def entry_of(kernel):
    """What Numba would make of a kernel; NumPy's errors are raised here, too."""
    namespace = dict(PRELUDE)
    exec(kernel.text, namespace)
    count = len(kernel.given) + len(kernel.constants)

    def entry(*given):
        given, filled = given[:count], given[count:]
        for x, value in zip(given, kernel.given, strict=False):
            if np.shape(x)[value.kind == "list" :] != value.shape:
                raise ValueError("other shapes")
        if any(isinstance(x, np.ndarray) and not x.flags.c_contiguous for x in given):
            raise TypeError("arrays that lie otherwise")
        # Numbers are NumPy's: Python's raise where these have inf.
        given = [np.float64(x) if type(x) is float else x for x in given]
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            found = namespace[kernel.name](*given)
        found = (found,) if len(kernel.outputs) == 1 else found
        results = dict(zip(kernel.outputs, found, strict=True))
        for value, array in zip(kernel.filled, filled, strict=True):
            array[...] = results.pop(value)
        found = tuple(map(as_numba, results.values()))
        return found[0] if len(found) == 1 else found

    return entry


def as_numba(item):
    """Numbers come out as Python's."""
    return item.item() if isinstance(item, np.generic) else item


class Interpreted:
    """In the place of Numba.

    Attributes
    ----------
    kernels : list of Kernel
        What was written; how often one has answered a call is in ``runs``.
    refused : list of str
        Why others were not; ``failures`` are errors that are no such reasons.
    """

    def __init__(self, monkeypatch):
        self.kernels, self.runs, self.refused, self.failures = [], 0, [], []
        tier._late.load()
        self._planned = tier.planned
        monkeypatch.setattr(tier, "has_numba", lambda: True)
        monkeypatch.setattr(tier, "compiled_now", self.compiled)
        monkeypatch.setattr(tier, "planned", self.planned)

    def planned(self, *args):
        try:
            return self._planned(*args)
        except UnsupportedError as error:
            self.refused.append(str(error))
            raise
        except Exception as error:
            self.failures.append(error)
            raise

    def compiled(self, plan, then, fails):
        then([*map(self.entry, plan())])

    def entry(self, kernel):
        self.kernels.append(kernel)
        entry = entry_of(kernel)

        def counted(*given):
            found = entry(*given)
            self.runs += 1
            return found

        return Entry(counted, counted)
