"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.linalg

from srcgrad.scipy import linalg
from tests.variables import variable

TURN = scipy.linalg.qr(np.arange(25.0).reshape(5, 5) ** 1.5)[0]


@pytest.mark.parametrize("swap_sign", [False, True])
def test_factors_in_parts(swap_sign):
    options = {"p": 2, "q": 3, "separate": True, "swap_sign": swap_sign}
    found = linalg.cossin(variable(TURN), **options)
    expected = scipy.linalg.cossin(TURN, **options)
    np.testing.assert_allclose(found[1].data, expected[1])
    for ours, theirs in zip(
        found[0] + found[2], expected[0] + expected[2], strict=True
    ):
        np.testing.assert_allclose(ours.data, theirs)


def test_what_has_no_derivative():
    x = variable(TURN)
    for call, message in (
        (lambda: linalg.cossin(x, 4, 4)[1], "not unique"),
        (lambda: linalg.cossin(x + 0.0j, 2, 3)[0], "complex numbers"),
        (
            lambda: linalg.cossin(x, 2, 3, separate=True, compute_u=False)[1],
            "all factors",
        ),
    ):
        with pytest.raises(NotImplementedError, match=message):
            np.sum(np.real(call())).backward()
