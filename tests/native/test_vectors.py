"""The C library's functions of several numbers: values and flags are NumPy's."""

import numpy as np
import pytest

numba = pytest.importorskip("numba", reason="`pip install .[native]`")

from srcgrad.native import machine, vectors  # noqa: E402
from srcgrad.native.elements import ELEMENTARY  # noqa: E402

ODD = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0, 0.5, 1e308, -1e308]
ODD += [5e-324, -5e-324, 1e-310, 709.0, 710.0, -708.5, -746.0, 1023.0, 1024.0, -1080.0]
ODD += [1e5, -1e22, 1.0 + 2e-16, -1.0 + 1e-16, -1.0 - 2e-16, 37.0]
SPREAD = (
    np.random.default_rng(0).normal(size=(40, 64))
    * 10.0 ** np.arange(-20, 20, 1)[:, None]
)
UNARY = sorted(ufunc.__name__ for ufunc in ELEMENTARY if ufunc.nin == 1)
BINARY = sorted(ufunc.__name__ for ufunc in ELEMENTARY if ufunc.nin == 2)


def _compiled():
    """All of them in one function, which takes a number for the name."""
    lines = ["def run(which, x, y, out):", "    machine.quiet()"]
    for number, name in enumerate([*UNARY, *BINARY]):
        args = "x[i]" if name in UNARY else "x[i], y[i]"
        lines += [
            f"    if which == {number}:",
            "        for i in range(x.shape[0]):",
            f"            out[i] = vectors.{name}({args})",
        ]
    lines.append("    return machine.heard()")
    namespace = {"vectors": vectors, "machine": machine}
    exec("\n".join(lines), namespace)
    return numba.njit(error_model="numpy")(namespace["run"])


@pytest.fixture(scope="module")
def run():
    return _compiled()


def _by_numpy(name, x, y):
    """The values, and whether NumPy warns."""
    said = []
    args = (x,) if name in UNARY else (x, y)
    with np.errstate(all="call", under="ignore"):
        before = np.seterrcall(lambda kind, flag: said.append(kind))
        try:
            return getattr(np, name)(*args), bool(said)
        finally:
            np.seterrcall(before)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_values_and_flags(name, run):
    number, out = [*UNARY, *BINARY].index(name), np.empty(64)
    others = (1.0, 0.0, -0.0, np.inf, np.nan, -2.0) if name in BINARY else (1.0,)
    rows = [(np.full(64, x), np.full(64, y)) for x in ODD for y in others]
    rows += [(x, x[::-1].copy()) for x in SPREAD]
    quiet = 0
    for x, y in rows:
        flags = run(number, x, y, out)
        expected, is_said = _by_numpy(name, x, y)
        assert flags or not is_said, (x[0], y[0])
        if flags:  # the call is NumPy's
            continue
        quiet += 1
        assert np.array_equal(np.isnan(out), np.isnan(expected))
        assert np.array_equal(np.signbit(out), np.signbit(expected))
        np.testing.assert_array_max_ulp(out, expected, maxulp=4)
    assert quiet > 8


def test_loops_call_those_of_several_numbers(run):
    if vectors.LIBRARY is None:
        pytest.skip("the C library has none here")
    (assembly,) = run.inspect_asm().values()
    for name in [*UNARY, *BINARY]:
        own = vectors.IN_C.get(name, name)
        assert any(
            f"_ZGV{letter}N{width}{'v' * getattr(np, name).nin}_{own}" in assembly
            for letter, width in vectors.WIDTHS.values()
        ), name


@pytest.mark.parametrize("count", [*range(1, 20), 100, 127, 128])
def test_a_block_is_added_up_as_numpy_does(count):
    terms = np.random.default_rng(count).normal(size=count)
    assert machine.added(terms, count) == np.sum(terms)
    assert machine.largest(terms, count) == np.max(terms)
    assert machine.smallest(terms, count) == np.min(terms)
    terms[count // 2] = np.nan
    assert np.isnan(machine.largest(terms, count))
    assert np.isnan(machine.smallest(terms, count))
