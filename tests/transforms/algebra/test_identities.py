"""What a rewriting rule may stand for, and when it pays."""

import numpy as np
import pytest

from srcgrad.transforms import optimize
from tests.transforms.interpret import record, run

rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3))


# ----- Constants with a dtype of their own -----

TYPED = {
    "an unsigned one, turned": lambda x: x * np.uint32(5) * -1,
    "a narrow one, squared": lambda x: x * np.int32(50000) * np.int32(50000),
    "bytes": lambda x: x * np.uint8(200) * np.uint8(200),
    "a small ratio": lambda x: x * np.int8(100) / np.int8(3) * np.int8(100),
    "over an unsigned one": lambda x: -x / np.uint8(7),
    "an unsigned one over it": lambda x: np.uint16(7) / -x,
    "partition": lambda x: x * np.float16(0.1) * np.float16(0.3),
    "large halves": lambda x: x * np.float16(300.0) * np.float16(300.0),
    "singles": lambda x: x * np.float32(0.1) / np.float32(0.3),
    "small singles": lambda x: x * np.float32(1e-5) * np.float32(1e-5) * 1e-3,
    "a single as divisor": lambda x: x / np.float32(0.1) / np.float32(0.7),
    "mixed": lambda x: np.float32(0.1) * (x * np.int64(3)) / np.uint8(7),
    "a power": lambda x: x ** np.int8(2) * x ** np.uint64(3) * x ** np.float32(2.0),
    "units": lambda x: x * np.uint8(1) / np.float16(1) - np.int32(0),
    "sums": lambda x: np.sum(x * np.uint8(200)) * np.uint8(200),
    "of truth values": lambda x: (x > 0) * -1.0 + (x > 0) / -1 + (x > 0) * 0.1 * 0.3,
    "of bytes": lambda x: np.arange(2, dtype=np.uint8) * -1.0 * x * np.uint8(2) * -3.0,
    "a sum in gradients": lambda x: np.sum(x * np.float32(0.1)) * np.float32(0.1),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.longdouble])
@pytest.mark.parametrize("name", TYPED)
def test_constants_count_as_in_the_dtype_of_the_result(name, dtype):
    given = [np.array([1.5, -0.75]).astype(dtype)]
    with np.errstate(all="ignore"):
        graph = record(lambda x: [TYPED[name](x)], given)
        expected = run(graph, given)[0][0]
        seen = run(optimize(graph, check=True), given)[0][0]
    assert seen.dtype == expected.dtype
    rtol = 8 * np.finfo(expected.dtype).eps
    np.testing.assert_allclose(seen, expected, rtol=rtol, strict=True)
