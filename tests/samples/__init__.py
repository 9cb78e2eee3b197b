"""The table of samples: for each rule, calls on which every property is tested.

A chapter has the name of the rules' module, and is a list of rows:

    S(np.tanh, (3, 4))                              one array of that shape
    S(np.log, positive(3))                          from a domain
    S(np.add, (3, 1), (4,))                         two arguments
    S(np.sum, (3, 4), axis=1)                       keyword arguments
    S(np.power, positive(3), Constant(2.0))         an argument without a gradient
    S(np.concatenate, [(2, 3), (4, 3)], axis=0)     a sequence of arrays
    S(np.sum, (3, 4), initial=Draw(()))             a keyword argument, differentiated
    S(np.sum, (3, 4), call=lambda x: x.sum(axis=1)) another way to call it
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from srcgrad.rules.libraries import is_known_version, replacement_of

REAL = (np.float64, np.float32)
COMPLEX = (np.float64, np.float32, np.complex128)


@dataclass(frozen=True)
class Draw:
    """A differentiable array: random numbers between two bounds, no two alike.

    An interval is cut into as many cells as there are elements; each gets one number
    away from its edges. So there are no ties, and with an even number of elements none
    is close to the middle.
    """

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0

    def __call__(self, rng: np.random.Generator, dtype: Any) -> Any:
        array = self._real(rng)
        if np.dtype(dtype).kind == "c":
            array = array + 1j * self._real(rng)
        return np.array(array, dtype)  # where a scalar could not have the byte order

    def _real(self, rng: np.random.Generator) -> Any:
        size = int(np.prod(self.shape))
        cells = rng.permutation(size) + rng.uniform(0.25, 0.75, size)
        return (self.low + (self.high - self.low) * cells / max(size, 1)).reshape(
            self.shape
        )


@dataclass(frozen=True)
class Made:
    """A differentiable array with a form of its own: ``build(rng, dtype)``."""

    build: Callable[[np.random.Generator, Any], Any]
    shape: tuple[int, ...] = ()

    def __call__(self, rng: np.random.Generator, dtype: Any) -> Any:
        return self.build(rng, dtype)


@dataclass(frozen=True)
class Constant:
    """An argument that is passed as it is and not differentiated."""

    value: Any


def positive(*shape: int) -> Draw:
    return Draw(shape, 0.3, 3.0)


def ascending(n: int) -> Made:
    """Numbers of increasing size."""
    return Made(
        lambda rng, dtype: np.cumsum(positive(n)(rng, dtype)).astype(dtype), (n,)
    )


def within(low: float, high: float, *shape: int) -> Draw:
    return Draw(shape, low, high)


def strided(*shape: int) -> Made:
    """An array that is contiguous in neither order: every other row of a transpose."""

    def build(rng: np.random.Generator, dtype: Any) -> Any:
        return Draw((*shape[:0:-1], 2 * shape[0]))(rng, dtype).T[::2]

    return Made(build, shape)


@dataclass(frozen=True)
class Sample:
    """One call of a function; see the module."""

    function: Callable[..., Any] | None  # whose rule it covers; None for an operator
    specs: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    call: Callable[..., Any] | None = None
    dtypes: tuple[Any, ...] = REAL
    tolerance: float = 1e-4  # of a float32 gradient against the float64 one
    second_order: bool = True
    only_real: bool = False  # where the result for complex numbers is not determined
    only_native: bool = False  # where the library gets other byte orders wrong
    id: str = ""

    def arguments(
        self, rng: np.random.Generator, dtype: Any, wrap: Callable[[Any], Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Draw the arguments; those to differentiate go through ``wrap``."""

        def fill(spec: Any) -> Any:
            return _fill(spec, lambda draw: wrap(draw(rng, dtype)))

        args = [fill(spec) for spec in self.specs]
        return args, {key: fill(spec) for key, spec in self.kwargs.items()}

    def problem(
        self, rng: np.random.Generator, dtype: Any
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Return the call as a function of its differentiable arrays, and these."""
        arrays: list[Any] = []

        def number(array: Any) -> "_Slot":
            arrays.append(array)
            return _Slot(len(arrays) - 1)

        args, kwargs = self.arguments(rng, dtype, number)

        def function(*values: Any) -> Any:
            return self.operation(
                *(_substitute(slot, values) for slot in args),
                **{key: _substitute(slot, values) for key, slot in kwargs.items()},
            )

        return function, arrays

    @property
    def called(self) -> Callable[..., Any]:
        """What is called with the arguments, as it is in a user's program."""
        function = self.call or self.function
        assert function is not None, "an operator needs `call`"
        return function

    @property
    def operation(self) -> Callable[..., Any]:
        """The same, as it is called with bare Variables (``srcgrad.scipy``)."""
        return replacement_of(self.called)


def S(  # noqa: N802 - one letter, since it stands at the head of each row
    function: Callable[..., Any] | None,
    *specs: Any,
    call: Callable[..., Any] | None = None,
    dtypes: tuple[Any, ...] = REAL,
    tolerance: float = 1e-4,
    second_order: bool = True,
    only_real: bool = False,
    only_native: bool = False,
    id: str = "",
    **kwargs: Any,
) -> Sample:
    """Write a row; a tuple is the shape of a ``Draw``, a list a sequence of arrays."""
    specs = tuple(_spec(item) for item in specs)
    parts = [
        id or getattr(function or call, "__name__", "sample"),
        *(_described(spec) for spec in specs),
        *(f"{key}={_described(item)}" for key, item in kwargs.items()),
    ]
    return Sample(
        *(function, specs, kwargs, call, dtypes, tolerance, second_order, only_real),
        only_native,
        id="-".join(parts),
    )


@dataclass(frozen=True)
class _Slot:
    number: int


def _spec(item: Any) -> Any:
    if isinstance(item, tuple):
        return Draw(item)
    if isinstance(item, list):
        return [_spec(element) for element in item]
    return item


def _fill(spec: Any, draw: Callable[[Any], Any]) -> Any:
    if isinstance(spec, list):
        return [_fill(element, draw) for element in spec]
    if isinstance(spec, Constant):
        return spec.value
    return draw(spec) if isinstance(spec, (Draw, Made)) else spec


def _substitute(slot: Any, values: Sequence[Any]) -> Any:
    if isinstance(slot, list):
        return [_substitute(element, values) for element in slot]
    return values[slot.number] if isinstance(slot, _Slot) else slot


def _described(item: Any) -> str:
    if isinstance(item, list):
        return f"[{','.join(map(_described, item))}]"
    if isinstance(item, Constant):
        return _described(item.value)
    if isinstance(item, (Draw, Made)):
        return "x".join(map(str, item.shape)) or "scalar"
    if isinstance(item, np.ndarray):
        return f"{item.dtype}{item.shape}".replace(" ", "")
    if hasattr(item, "nnz"):  # a sparse matrix, or its factors
        return f"{type(item).__name__}{item.shape}".replace(" ", "")
    return str(item).replace(" ", "")


CHAPTERS = """
elementwise reductions statistics quantiles shapes padding joining sets binning indexing
products einsum ufunc_methods linalg determinants factorisations norms fft polynomials
strides polynomial_families ranges windows mapping scimath python python_statistics
scipy.gammas scipy.incomplete scipy.error_functions scipy.entropies scipy.bessel
scipy.hypergeometric scipy.orthogonal scipy.elliptic scipy.parabolic scipy.harmonics
scipy.sequences scipy.characteristic scipy.counting scipy.noncentral_t scipy.gauss_rules
scipy.spheroids scipy.ellipsoidal scipy.modified_mathieu scipy.probability
scipy.noncentral scipy.linear_equations scipy.factorizations scipy.symmetric_pairs
scipy.other_factors scipy.bands scipy.schur scipy.cossin scipy.qr_updates
scipy.matrix_functions scipy.special_matrices scipy.distributions scipy.multivariate
scipy.signals scipy.filters scipy.images scipy.quadrature scipy.descriptive scipy.warps
scipy.spectral_densities scipy.signal_windows scipy.waveforms scipy.filter_forms
scipy.partial_fractions scipy.prototypes scipy.filter_orders scipy.peaks
scipy.mirrored_filters scipy.designs scipy.spectrograms scipy.zooms scipy.systems
scipy.restoring scipy.neighbourhoods scipy.measurements scipy.generic_filters
scipy.distance_maps scipy.programs scipy.geometry scipy.order_statistics
scipy.hypotheses scipy.correlations scipy.multivariate_moments scipy.orthants
scipy.matrix_variates scipy.goodness scipy.counted_tests scipy.bins scipy.comparisons
scipy.probability_plots scipy.transport scipy.clusters scipy.linkages scipy.dual_windows
scipy.units scipy.discrepancies scipy.distances scipy.transforms scipy.cosines
scipy.sparse_products
""".split()
# The rules for SciPy are for a version that is known (conftest.py).
try:
    has_scipy = is_known_version(version("scipy"))
except PackageNotFoundError:
    has_scipy = False
SAMPLES: list[Sample] = [
    sample
    for chapter in CHAPTERS
    if has_scipy or not chapter.startswith("scipy.")
    for sample in importlib.import_module(f"tests.samples.{chapter}").SAMPLES
]
