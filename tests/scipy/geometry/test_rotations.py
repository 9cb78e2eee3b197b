"""Rotations: as SciPy's, in every form, and differentiable."""

import numpy as np
import pytest
import scipy.spatial.transform
from srcgrad.scipy.spatial.transform import Rotation

import srcgrad
from srcgrad.checking import gradcheck
from tests.variables import variable

Original = scipy.spatial.transform.Rotation
VECTORS = np.array([[0.3, -1.2, 0.7], [1.9, 0.4, -2.2], [-0.1, 0.2, 0.05]])
POINTS = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.2], [0.0, 1.0, -1.0]])
QUATS = np.array([[0.3, -0.2, 0.7, -0.4], [0.9, 0.1, 0.2, 0.5]])
MATRIX = Original.from_rotvec(VECTORS).as_matrix()

CALLS = {
    "from_rotvec": lambda R, v: R.from_rotvec(v).as_quat(),
    "degrees": lambda R, v: R.from_rotvec(50.0 * v, degrees=True).as_rotvec(True),
    "as_matrix": lambda R, v: R.from_rotvec(v).as_matrix(),
    "as_rotvec": lambda R, v: R.from_rotvec(v).as_rotvec(),
    "apply": lambda R, v: R.from_rotvec(v).apply(POINTS + 0.1 * v),
    "inverse": lambda R, v: R.from_rotvec(v[0]).apply(POINTS, inverse=True),
    "product": lambda R, v: (
        R.from_rotvec(v) * R.from_euler("x", 0.5) * R.from_rotvec(v).inv() ** 2
    ).as_quat(canonical=True),
    "magnitude": lambda R, v: R.from_rotvec(v).magnitude(),
    "one of them": lambda R, v: R.from_rotvec(v)[1].as_quat(scalar_first=True),
    **{
        f"euler {seq}": lambda R, v, seq=seq: (
            R.from_euler(seq, v).as_quat(),
            R.from_euler(seq, v).as_euler(seq[::-1]),
        )
        for seq in ("xyz", "ZYX", "zxz", "YXY")
    },
    "one axis": lambda R, v: R.from_euler("y", 40.0 * v[:, :1], degrees=True).as_quat(),
    "one angle": lambda R, v: R.from_euler("z", v[0, 0]).as_quat(),
}


@pytest.mark.parametrize("name", CALLS)
def test_rotations(name):
    def call(v):
        return CALLS[name](Rotation, v)

    found, expected = call(variable(VECTORS)), CALLS[name](Original, VECTORS)
    pairs = (
        zip(found, expected, strict=True)
        if type(found) is tuple
        else [(found, expected)]
    )
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours.data, theirs, atol=1e-12)
    assert gradcheck(call, (VECTORS,))


def test_quaternions_and_matrices():
    def of_quaternions(q):
        return Rotation.from_quat(q).as_matrix()

    def of_matrix(v):
        m = Rotation.from_rotvec(v).as_matrix()
        return Rotation.from_matrix(m).as_quat()

    expected = Original.from_quat(QUATS).as_matrix()
    np.testing.assert_allclose(of_quaternions(variable(QUATS)).data, expected)
    assert gradcheck(of_quaternions, (QUATS,))
    expected = Original.from_matrix(MATRIX).as_quat()
    np.testing.assert_allclose(of_matrix(variable(VECTORS)).data, expected, atol=1e-12)
    assert gradcheck(of_matrix, (VECTORS,))


def test_no_rotation_at_all():
    slope = srcgrad.jacobian(lambda v: Rotation.from_rotvec(v).as_rotvec())(np.zeros(3))
    np.testing.assert_allclose(slope, np.eye(3))


def test_scipys_names_in_a_transform():
    fixed = Original.from_euler("z", 0.3)

    def height(v):
        turn = Original.from_rotvec(v) * fixed
        return (fixed * turn).apply(POINTS[0])[2] + fixed.apply(v)[0]

    found = srcgrad.grad(height)(VECTORS[0])
    for i, step in enumerate(1e-6 * np.eye(3)):
        ends = [height(VECTORS[0] + sign * step) for sign in (1.0, -1.0)]
        assert found[i] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


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
