"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

from srcgrad.scipy import ndimage
from tests.variables import variable

REFUSED = [
    (lambda x: ndimage.correlate(x, KERNEL, output=np.zeros((3, 3))), "output"),
    (lambda x: ndimage.convolve(x, KERNEL, axes=(0, 1)), "axes"),
]
KERNEL = np.ones((2, 2))


@pytest.mark.parametrize(("function", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, message):
    with pytest.raises(NotImplementedError, match=message):
        function(variable(np.eye(3))).sum().backward()
