import numpy as np
import pytest

from tests.transforms.batching.cases import loops_of

FUNCTIONS = [np.cumsum, np.cumprod, np.sort, np.argsort, np.argmax, np.nanargmin]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("axis", [None, 0, 1, -1], ids=str)
def test_the_same_axis_further_back(function, axis):
    assert not loops_of(function, (3, 4), axis=axis)


@pytest.mark.parametrize("axis", [None, 0, -1], ids=str)
def test_places_may_keep_their_axis(axis):
    assert not loops_of(np.argmin, (3, 4), axis=axis, keepdims=True)


def test_a_number_becomes_one_of_one():
    assert not loops_of(np.cumsum, ())


@pytest.mark.parametrize("function", [np.fft.fft, np.fft.rfft, np.fft.ifft])
@pytest.mark.parametrize("options", [{}, {"n": 6}, {"axis": 0}, {"norm": "ortho"}])
def test_fourier_transforms(function, options):
    assert not loops_of(function, (4, 5), **options)


@pytest.mark.parametrize("function", [np.fft.fft2, np.fft.fftn, np.fft.fftshift])
def test_over_several_axes(function):
    assert not loops_of(function, (4, 5))
    assert not loops_of(function, (2, 4, 5), axes=(0, 2))
