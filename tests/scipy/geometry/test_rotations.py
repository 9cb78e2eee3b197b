"""Rotations: as SciPy's, in every form, and differentiable."""

import numpy as np
import pytest
from srcgrad.scipy.spatial.transform import Rotation

import srcgrad
from tests.variables import variable

VECTORS = np.array([[0.3, -1.2, 0.7], [1.9, 0.4, -2.2], [-0.1, 0.2, 0.05]])


def test_what_has_no_derivative():
    turn = Rotation.from_rotvec(variable(VECTORS))
    assert len(turn) == 3
    assert not turn.single
    with pytest.raises(srcgrad.NoRuleError, match="`mean`"):
        turn.mean()
    with pytest.raises(srcgrad.NoRuleError, match="axes are one"), pytest.warns():
        Rotation.from_euler("xyz", variable([0.1, np.pi / 2, 0.3])).as_euler("xyz")
    with pytest.raises(srcgrad.NoRuleError, match="not orthogonal"):
        Rotation.from_matrix(variable(2.0 * np.eye(3)))
    assert Rotation.from_rotvec(VECTORS).mean().as_quat().shape == (4,)
