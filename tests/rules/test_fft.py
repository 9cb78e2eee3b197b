"""Rules for Fourier transforms: every sample, and the axes that are refused."""

import numpy as np
import pytest

from tests.rules.gradients import backward, gradient


def test_an_axis_that_is_transformed_twice_is_refused():
    with pytest.raises(NotImplementedError, match="call it once for each time"):
        backward(lambda x: np.real(np.fft.fftn(x, axes=(0, 0))), np.ones(3))


def test_the_imaginary_part_that_irfft_drops_has_no_gradient():
    g = gradient(
        lambda z: np.fft.irfft(z, 4), [1.0 + 2.0j, 3.0j, 4.0j], [1.0, 2.0, 4.0, 8.0]
    )
    assert np.imag(g[0]) == np.imag(g[2]) == 0.0
