"""``scipy.spatial.transform.Rotation`` of Variables: quaternions, with formulas."""

import functools

import numpy as np
from scipy.spatial.transform import Rotation as Original
from scipy.spatial.transform import _rotation_xp

from srcgrad.errors import NoRuleError, located
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.rules.scipy.scipy_sources import on_variables
from srcgrad.scipy.parameters import refuse

# SciPy's formulas for any arrays.
as_matrix = on_variables(_rotation_xp.as_matrix)
composed = on_variables(_rotation_xp._elementary_quat_compose)
of_orthogonal = on_variables(_rotation_xp._from_matrix_orthogonal)
euler_angles = on_variables(_rotation_xp.as_euler)
LOCKED = 1e-7  # as SciPy has it


class Rotation:
    """Rotations, one or a stack, by their quaternions (x, y, z, w).

    What SciPy's has besides these methods works on plain numbers only.
    """

    def __init__(self, quat):
        self.quat = quat

    single = property(lambda self: np.ndim(self.quat) == 1)

    def __len__(self):
        return len(self.plain())

    def plain(self):
        """SciPy's object for the same numbers."""
        return Original.from_quat(raw_of(self.quat))

    def __getattr__(self, name):
        if first_variable(self.quat) is not None and hasattr(Original, name):
            raise located(
                NoRuleError(f"srcgrad has no `{name}` of rotations that are Variables"),
                "use as_matrix or as_quat",
            )
        return getattr(self.plain(), name)

    def __getitem__(self, index):
        return Rotation(self.quat[index])

    def __mul__(self, other):
        return Rotation(product(self.quat, quaternion_of(other)))

    def __rmul__(self, other):
        return Rotation(product(quaternion_of(other), self.quat))

    def __pow__(self, n):
        return from_rotvec(n * as_rotvec(self))

    def inv(self):
        return Rotation(self.quat * np.array([-1.0, -1.0, -1.0, 1.0]))

    def as_quat(self, canonical=False, *, scalar_first=False):
        quat = canonical_of(self.quat) if canonical else self.quat
        return np.roll(quat, 1, axis=-1) if scalar_first else quat

    def as_rotvec(self, degrees=False):
        return as_rotvec(self) * (180.0 / np.pi if degrees else 1.0)

    def as_euler(self, seq, degrees=False):
        return as_euler(self, seq) * (180.0 / np.pi if degrees else 1.0)

    def magnitude(self):
        x = self.quat
        return 2.0 * np.arctan2(np.linalg.norm(x[..., :3], axis=-1), np.abs(x[..., 3]))

    def as_matrix(self):
        return as_matrix(self.quat)

    def apply(self, vectors, inverse=False):
        matrix = self.as_matrix()
        if isinstance(vectors, (list, tuple)):
            vectors = np.stack(vectors)
        if inverse:
            matrix = np.swapaxes(matrix, -1, -2)
        return np.sum(matrix * vectors[..., None, :], axis=-1)


def quaternion_of(rotation):
    return rotation.quat if isinstance(rotation, Rotation) else rotation.as_quat()


def product(p, q):
    """Hamilton's: first ``q``, then ``p``."""
    p, q = np.broadcast_arrays(p, q) if np.ndim(p) != np.ndim(q) else (p, q)
    u, v, a, b = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    inner = np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([a * v + b * u + np.cross(u, v), a * b - inner], axis=-1)


def canonical_of(quat):
    """With a scalar that is not negative."""
    return quat * np.where(raw_of(quat)[..., 3:] < 0, -1.0, 1.0)


# ----- From other forms -----
def from_quat(quat, *, scalar_first=False):
    quat = np.roll(quat, -1, axis=-1) if scalar_first else quat
    return Rotation(quat / np.linalg.norm(quat, axis=-1, keepdims=True))


def from_rotvec(rotvec, degrees=False):
    rotvec = rotvec * (np.pi / 180.0) if degrees else rotvec
    square = np.sum(rotvec * rotvec, axis=-1, keepdims=True)
    is_small = raw_of(square) < 1e-6
    angle = np.sqrt(np.where(is_small, 1.0, square))
    small = square * square
    share = np.where(
        is_small, 0.5 - square / 48.0 + small / 3840.0, np.sin(angle / 2.0) / angle
    )
    whole = np.where(is_small, 1.0 - square / 8.0 + small / 384.0, np.cos(angle / 2.0))
    return Rotation(np.concatenate([share * rotvec, whole], axis=-1))


def from_euler(seq, angles, degrees=False):
    if isinstance(angles, (list, tuple)):
        angles = np.stack(angles)
    raw = Original.from_euler(seq, raw_of(angles), degrees)  # its errors
    angles = angles * (np.pi / 180.0) if degrees else angles
    angles = np.reshape(angles, (*np.shape(raw.as_quat())[:-1], len(seq)))
    axes = ["xyz".index(axis) for axis in seq.lower()]
    return signed(composed(axes, angles, seq.isupper()), raw)


def from_matrix(matrix, *, assume_valid=False):
    """By the largest of the quaternion's elements, as SciPy; orthogonal matrices."""
    raw = Original.from_matrix(raw_of(matrix))
    if not np.allclose(raw.as_matrix(), raw_of(matrix), atol=1e-8):
        refuse("spatial.transform.Rotation.from_matrix", "that is not orthogonal")
    return signed(of_orthogonal(matrix), raw)


def signed(quat, raw):
    """Of both quaternions of a rotation the one that SciPy has."""
    inner = np.sum(raw_of(quat) * raw.as_quat(), axis=-1, keepdims=True)
    return Rotation(quat * np.where(inner < 0, -1.0, 1.0))


# ----- To other forms -----
def as_rotvec(self):
    quat = canonical_of(self.quat)
    vector, whole = quat[..., :3], quat[..., 3:]
    square = np.sum(vector * vector, axis=-1, keepdims=True)
    is_small = raw_of(square) < 1e-8
    size = np.sqrt(np.where(is_small, 1.0, square))
    # 2 arcsin(s) / s, of which the scalar knows as much.
    share = np.where(is_small, 2.0 + square / 3.0, 2.0 * np.arctan2(size, whole) / size)
    return share * vector


def as_euler(self, seq):
    """SciPy's formulas, away from where two of the axes are one."""
    raw = self.plain().as_euler(seq)
    is_symmetric = seq[0] == seq[2]
    apart = np.sin(raw[..., 1]) if is_symmetric else np.cos(raw[..., 1])
    if np.any(np.abs(apart) <= LOCKED):
        refuse("spatial.transform.Rotation.as_euler", "where the axes are one")
    found = euler_angles(self.quat, seq)
    return found + 2.0 * np.pi * np.round((raw - raw_of(found)) / (2.0 * np.pi))


# ----- In place of SciPy's -----
for _own in (from_quat, from_rotvec, from_euler, from_matrix):
    _original = getattr(Original, _own.__name__)
    setattr(Rotation, _own.__name__, staticmethod(_own))
    REPLACEMENTS[_original] = functools.wraps(_original)(_own)


@functools.wraps(Original.apply)
def applied(self, vectors, inverse=False):
    """Of SciPy's own rotation, on vectors that are a Variable."""
    return Rotation(self.as_quat()).apply(vectors, inverse)


REPLACEMENTS[Original.apply] = applied
REPLACEMENTS[Original] = Rotation
for _name in ("identity", "random", "concatenate", "align_vectors"):
    setattr(Rotation, _name, staticmethod(getattr(Original, _name)))
