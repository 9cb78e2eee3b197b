"""Constants as text that gives back the same object."""

import numpy as np
import pytest

from tests.emit.graphs import (
    array,
    expression,
    node,
    source,
)

x, y = array(3, name="x"), array(3, name="y")


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (float("nan"), "np.nan"),
        (float("-inf"), "-np.inf"),
        (1e22, "1e22"),
        (1 / 48, "1 / 48"),
        (-2 / 7, "-2 / 7"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2**0.5, "1.4142135623730951"),
        (1e-7 / 3, "3.3333333333333334e-08"),
        (0.015625, "0.015625"),
        (-3, "-3"),
        (2j, "2j"),
        (complex(1.0, -0.0), "complex(1.0, -0.0)"),
        (complex(0.0, float("inf")), "complex(0.0, np.inf)"),
        (True, "True"),
        (None, "None"),
        ("it's", '"it\'s"'),
        (b"\x00", 'b"\\x00"'),
        (np.float64(0.1), "np.float64(0.1)"),
        (np.float32(0.1), "np.float32(0.1)"),
        (np.float32("nan"), "np.float32(np.nan)"),
        (np.float16(1e-4), "np.float16(0.0001)"),
        (np.int8(-1), "np.int8(-1)"),
        (np.complex64(1 + 2j), "np.complex64(complex(1.0, 2.0))"),
        (np.True_, "np.True_"),
        (np.longdouble("0.1"), 'np.longdouble("0.1")'),
        (np.float32, "np.float32"),
        (np.dtype("float32"), "np.float32"),
        (np.dtype(">f8"), 'np.dtype(">f8")'),
        (np.dtype("M8[s]"), 'np.dtype("<M8[s]")'),
        (float, "float"),
        (slice(0, 3), "slice(0, 3, None)"),
        (((0, 1), (2,)), "((0, 1), (2,))"),
        ([[1.0], []], "[[1.0], []]"),
        ({"a": -1}, '{"a": -1}'),
        (np.tanh, "np.tanh"),
    ],
)
def test_literals_give_back_the_same_object(item, text):
    assert expression(np.frompyfunc, x, item).removeprefix("np.frompyfunc(x, ") == (
        f"{text})"
    )
    again = eval(text, {"np": np})
    if not isinstance(item, np.dtype) and item is not np.float32:
        assert type(again) is type(item)
        assert repr(again) == repr(item)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (np.array([1.0, -0.0, np.nan]), "np.array([1.0, -0.0, np.nan])"),
        (np.array([[1, 2], [3, 4]]), "np.array([[1, 2], [3, 4]])"),
        (np.array(2.0), "np.array(2.0)"),
        (np.array([True]), "np.array([True])"),
        (np.array([0.1], np.float32), "np.array([0.1], dtype=np.float32)"),
        (np.array([1.0], ">f8"), 'np.array([1.0], dtype=np.dtype(">f8"))'),
        (np.array([1j, complex(2.0, -0.0)]), "np.array([1j, complex(2.0, -0.0)])"),
        (np.zeros((0, 3)), "np.zeros((0, 3))"),
        (np.zeros(0, int), "np.zeros(0, dtype=np.int64)"),
        (np.arange(100), "np.arange(100)"),
        (np.arange(4.0), "np.array([0.0, 1.0, 2.0, 3.0])"),
        (np.zeros((20, 3)), "np.zeros((20, 3))"),
        (np.zeros(20, np.float32), "np.zeros(20, dtype=np.float32)"),
        (np.ones(20, bool), "np.ones(20, dtype=np.bool)"),
        (np.eye(5), "np.eye(5)"),
        (np.eye(2, dtype=np.float32), "np.eye(2, dtype=np.float32)"),
        (np.full(20, -0.0), "np.full(20, -0.0)"),
        (np.full(20, np.nan), "np.full(20, np.nan)"),
        (np.full(20, 0.1, np.float32), "np.full(20, 0.1, dtype=np.float32)"),
        (np.broadcast_to(3, (4, 5)), "np.full((4, 5), 3)"),
    ],
)
def test_small_arrays_are_written_out(item, text):
    printed = source([node(np.add, x, item, out=y)], [x], [y])
    assert f"\nC1 = {text}\n\n\ndef forward(x):\n    return x + C1\n" in printed
    again = eval(text, {"np": np})
    assert again.dtype == item.dtype
    assert again.shape == item.shape
    assert again.tobytes() == item.tobytes()
