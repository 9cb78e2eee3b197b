"""Random calls of one function: of what kinds, dtypes, shapes and layouts of arguments.

A call is drawn until plain NumPy takes it; now and then one that it refuses is kept.
"""

import functools
import operator
import warnings

import numpy as np

from srcgrad.facts import TABLE, UNKNOWN, facts_of

DTYPES = ("f8", "f8", "f4", "f2", "c16", "c8", "i8", "i4", "u1", "?", ">f8", "g")
SHAPES = ((), (1,), (3,), (0,), (2, 3), (3, 3), (3, 1), (2, 2, 2), (1, 4), (5,))
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 3.0, 1e-3)
LARGE = {"f2": 6e4, "f4": 3e38, "f8": 1.7e308}
NUMBERS = (0, 1, 2, -1, 3, True, 0.5, -2.0, 1.5, None, 1j)
OPTIONS = (0, 1, -1, None, (0,), (0, 1), 2, "same", "C", "F", True, [0, 1], slice(1))

# What these do depends on more than their arguments, or takes the machine's memory.
NOT_TRIED = {"empty_like", "from_dlpack", "einsum_path", "lstsq", "frombuffer"}
NOT_TRIED |= {"may_share_memory", "shares_memory", "as_strided", "base_repr"}
NOT_TRIED |= {"lshift", "left_shift", "ix_", "mask_indices", "kaiser", "fromstring"}


def functions():
    """The functions of the table, and NumPy's ufuncs, that only compute."""
    ufuncs = {f for f in vars(np).values() if isinstance(f, np.ufunc)}
    found = {}
    for function in (*TABLE, *sorted(ufuncs, key=lambda f: f.__name__)):
        known = facts_of(function)
        module = getattr(function, "__module__", None) or "numpy"
        if (
            known is not UNKNOWN
            and known.effect in ("", "writes")
            and not known.calls
            and function.__name__ not in NOT_TRIED
            and module.split(".")[0] in ("numpy", "_operator")
        ):
            found.setdefault(f"{module}.{function.__name__}", function)
    return found


class Draw:
    """Draws the arguments of calls; a seed stands for the same calls for ever."""

    def __init__(self, *seed):
        self.rng = np.random.default_rng(seed)

    def one(self, items):
        return items[self.rng.integers(len(items))]

    def chance(self, part):
        return self.rng.random() < part

    def array(self, dtype=None, shape=None):
        """An ndarray with its own layout, now and then with special values."""
        dtype = np.dtype(dtype or self.one(DTYPES))
        shape = self.one(SHAPES) if shape is None else shape
        return self.laid_out(self.filled(dtype, shape))

    def filled(self, dtype, shape):
        real = self.rng.uniform(-2.0, 2.0, shape)
        if dtype.kind in "biu":
            return np.asarray(np.abs(real * 2.0)).astype(dtype)
        if self.chance(0.3):
            real = np.where(
                self.rng.random(shape) < 0.5, real, self.rng.choice(SPECIAL)
            )
        elif self.chance(0.1):
            real = real / 2.0 * LARGE.get(dtype.str[1:], 1.0)
        if dtype.kind == "c":
            real = real + 1j * self.rng.uniform(-2.0, 2.0, shape)
        with np.errstate(all="ignore"):
            return np.asarray(real).astype(dtype)

    def laid_out(self, array):
        """The same elements in another order in memory."""
        how = self.rng.integers(6)
        if how == 1:
            return np.asfortranarray(array)
        if how == 2 and array.ndim:
            return np.repeat(array, 2, axis=0)[::2]
        if how == 3 and array.ndim:
            return array[::-1].copy()[::-1]
        if how == 4 and array.ndim > 1:
            return array.T.copy().T
        return array

    def argument(self, first):
        """Something to go with an array."""
        how = self.rng.integers(8)
        if how < 3:
            return self.array(first.dtype, first.shape)
        if how == 3:
            return self.array(None, first.shape[-1:])
        if how == 4:
            return self.one(NUMBERS)
        if how == 5:
            number = self.one([n for n in NUMBERS if n is not None])
            return (
                self.array(self.one(("i8", "f4", "f8", "u1")), ())[()]
                if (self.chance(0.5))
                else number
            )
        if how == 6:
            return self.array(self.one(("i8", "?")))
        return self.one(OPTIONS)

    def arguments(self, function):
        """A call that NumPy takes, if some tries find one."""
        least, most = arity(function)
        keep_errors = self.chance(0.1)
        sequence = facts_of(function).sequence is not None
        for _ in range(1 if keep_errors else 40):
            # Of nothing, `np.fft` gives what happens to be in its memory.
            is_fft = getattr(function, "__module__", "") == "numpy.fft"
            first = self.array(shape=(3,) if is_fft else None)
            rest = [
                self.argument(first) for _ in range(self.rng.integers(least, most + 1))
            ][1:]
            if sequence:
                rest = [np.asarray(each) for each in rest if is_number(each)]
            args = ([first, *rest],) if sequence else (first, *rest)
            if is_taken(function, args):
                break
        return args


def is_number(item):
    return isinstance(item, (np.ndarray, np.generic, int, float, complex))


@functools.cache
def arity(function):
    if isinstance(function, np.ufunc):
        return function.nin, function.nin
    if function is operator.getitem:
        return 2, 2
    return 1, 3


def is_taken(function, args):
    """Whether NumPy takes a call; on copies, since it may write into an array."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*copies)
        except Exception:
            return False
    return True
