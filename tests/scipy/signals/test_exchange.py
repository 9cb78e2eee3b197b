"""Filters whose largest errors are all alike."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import signal
from tests.variables import variable

# The edges within, what is wanted, and how much it counts.
KINDS = {
    "bandpass": ([0.1, 0.16, 0.3, 0.37], [0.0, 1.0, 0.3], [1.0, 2.0, 1.5]),
    "differentiator": ([0.2, 0.3], [1.0, 0.0], [1.0, 2.0]),
    "hilbert": ([], [1.0], [1.0]),
}
ENDS = {"bandpass": (0.0, 0.5), "differentiator": (0.0, 0.45), "hilbert": (0.05, 0.42)}


@pytest.mark.parametrize("numtaps", [6, 13, 24])
@pytest.mark.parametrize("kind", KINDS)
def test_by_bands_amplitudes_and_weights(kind, numtaps):
    first, last = ENDS[kind]

    def call(module, edges, desired, weight):
        bands = np.concatenate([[first], edges, [last]]) * 2.0
        options = {"type": kind, "fs": 2.0, "weight": weight}
        return module.remez(numtaps, bands, desired, **options)

    args = tuple(map(np.array, KINDS[kind]))
    expected = call(scipy.signal, *args)
    for function in (call, srcgrad.trace(call)):
        found = function(signal, *map(variable, args))
        np.testing.assert_allclose(found.data, expected, atol=1e-12)
    live = args if args[0].size else args[1:]
    before = args[: len(args) - len(live)]
    assert gradcheck(lambda *args: call(signal, *before, *args), live)


def test_what_has_no_derivative():
    edges, desired = [0.0, 0.1, 0.2, 0.5], variable([1.0, 0.0])
    with pytest.raises(srcgrad.NoRuleError, match="an error more, or less"):
        signal.remez(21, edges, desired, maxiter=1)
    assert isinstance(signal.remez(5, edges, [1.0, 0.0]), np.ndarray)
