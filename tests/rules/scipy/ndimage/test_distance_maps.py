"""Every sample of the chapter, and what has no gradient."""

import numpy as np
import pytest
from scipy import ndimage

from srcgrad.rules.libraries import replacement_of
from tests.samples.scipy.distance_maps import IMAGE
from tests.variables import variable


def test_the_image_has_none():
    image = IMAGE.value.astype(float)
    for function in (ndimage.distance_transform_edt, ndimage.distance_transform_bf):
        found = replacement_of(function)(variable(image))
        assert not found.requires_grad
        np.testing.assert_array_equal(found.data, function(image))
    blocks = replacement_of(ndimage.distance_transform_bf)
    taxi = ndimage.distance_transform_bf(image, "taxicab")
    np.testing.assert_array_equal(blocks(image, "taxicab", variable(2.0)).data, taxi)
    with pytest.raises(NotImplementedError, match="with `distances`"):
        replacement_of(ndimage.distance_transform_edt)(
            *(image, variable([1.0, 2.0])), distances=np.zeros(image.shape)
        )
