"""Images and geometry: filters, cameras, arms."""

import math

import numpy as np

from tests.scientific.programs import made, program

RNG = np.random.default_rng(23)
IMAGE = RNG.uniform(size=(7, 7))


@program(RNG.uniform(size=(6, 6)), weight=0.2)
def total_variation(u, weight, eps=1e-3):
    """Denoising: what is wanted of the image itself."""
    noisy = IMAGE[:-1, :-1]
    dx = np.zeros_like(u)
    dy = np.zeros_like(u)
    dx[:, :-1] = u[:, 1:] - u[:, :-1]
    dy[:-1, :] = u[1:, :] - u[:-1, :]
    return 0.5 * np.sum((u - noisy) ** 2) + weight * np.sum(
        np.sqrt(dx**2 + dy**2 + eps)
    )


def gaussian_kernel(sigma, radius=2):
    grid = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    k = np.exp(-(grid**2).sum(axis=0) / (2 * sigma**2))
    return k / k.sum()


@program([0.9])
def blind_deconvolution(p):
    """The width of a blur, by padded sums over shifts."""
    kernel = gaussian_kernel(p[0])
    padded = np.pad(IMAGE, 2, mode="edge")
    out = np.zeros_like(IMAGE)
    h, w = IMAGE.shape
    for i, row in enumerate(kernel):
        for j, weight in enumerate(row):
            out += weight * padded[i : i + h, j : j + w]
    return np.mean((out - IMAGE.mean()) ** 2)


@program(np.ones((7, 7)) * 0.5)
def richardson_lucy(estimate):
    """Iterations by FFT, with a kernel made once."""
    k = np.zeros((7, 7))
    k[:5, :5] = gaussian_kernel(1.0)
    f = np.fft.fft2(k)
    for _ in range(3):
        blurred = np.real(np.fft.ifft2(np.fft.fft2(estimate) * f))
        ratio = IMAGE / (blurred + 1e-3)
        estimate = estimate * np.real(np.fft.ifft2(np.fft.fft2(ratio) * np.conj(f)))
    return np.sum(estimate**2)


@program([0.1, 1.02, 0.3, -0.2])
def affine_registration(p):
    """Bilinear interpolation at moved coordinates."""
    angle, scale, tx, ty = p
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    yy, xx = np.meshgrid(np.arange(1.0, 6.0), np.arange(1.0, 6.0), indexing="ij")
    x = np.clip(c * (xx - 3) - s * (yy - 3) + 3 + tx, 0, 5.999)
    y = np.clip(s * (xx - 3) + c * (yy - 3) + 3 + ty, 0, 5.999)
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - x0, y - y0
    moved = (
        IMAGE[y0, x0] * (1 - fx) * (1 - fy)
        + IMAGE[y0, x0 + 1] * fx * (1 - fy)
        + IMAGE[y0 + 1, x0] * (1 - fx) * fy
        + IMAGE[y0 + 1, x0 + 1] * fx * fy
    )
    return np.mean((moved - IMAGE[1:6, 1:6]) ** 2)


@program([0.3, 0.2])
def bilateral_filter(p):
    """Weights by distance and likeness, pixel by pixel."""
    sigma_s, sigma_r = p[0] + 1, p[1] + 0.1
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            patch = IMAGE[i : i + 3, j : j + 3]
            ky, kx = np.ogrid[-1:2, -1:2]
            w = np.exp(-(kx**2 + ky**2) / (2 * sigma_s**2))
            w = w * np.exp(-((patch - patch[1, 1]) ** 2) / (2 * sigma_r**2))
            out[i, j] = np.average(patch, weights=w)
    return out.var()


def rotation(axis, angle):
    """Rodrigues' formula, element by element."""
    x, y, z = axis / np.linalg.norm(axis)
    c, s = math.cos(angle), math.sin(angle)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + s * skew + (1 - c) * skew @ skew


@program([0.6, 0.4, 0.9])
def robot_arm(p):
    """Homogeneous transforms, one for each joint."""
    position = np.eye(4)
    for angle, axis in zip(p, np.eye(3), strict=True):
        joint = np.eye(4)
        joint[:3, :3] = rotation(axis + 0.1, angle)
        joint[:3, 3] = [0.0, 0.1, 1.0]
        position = position @ joint
    target = np.array([0.3, -0.2, 2.0])
    return float(np.linalg.norm(position[:3, 3] - target))


LINKS = [
    {"a": 0.4, "alpha": math.pi / 2, "d": 0.1},
    {"a": 0.3, "alpha": 0.0, "d": 0.0},
    {"a": 0.2, "alpha": -math.pi / 2, "d": 0.05},
]


@program([0.3, -0.5, 0.8])
def denavit_hartenberg(thetas):
    """Links as dicts; the pose is written element by element."""
    pose = np.identity(4)
    for theta, link in zip(thetas, LINKS, strict=True):
        ct, st = np.cos(theta), np.sin(theta)
        ca, sa = np.cos(link["alpha"]), np.sin(link["alpha"])
        T = np.array(
            [
                [ct, -st * ca, st * sa, link["a"] * ct],
                [st, ct * ca, -ct * sa, link["a"] * st],
                [0, sa, ca, link["d"]],
                [0, 0, 0, 1],
            ]
        )
        pose = pose.dot(T)
    return np.sum((pose[:3, 3] - [0.5, 0.2, 0.1]) ** 2)


class Camera:
    def __init__(self, focal, centre):
        self.focal = focal
        self.centre = np.asarray(centre)

    def project(self, points, pose):
        angle_axis, t = pose[:3], pose[3:]
        theta = np.sqrt(np.sum(angle_axis**2) + 1e-12)
        k = angle_axis / theta
        rotated = (
            points * np.cos(theta)
            + np.cross(k, points) * np.sin(theta)
            + np.outer(points @ k, k) * (1 - np.cos(theta))
        )
        camera = rotated + t
        return self.focal * camera[:, :2] / camera[:, 2:3] + self.centre


class BundleAdjustment:
    """Poses and points in one vector, observations as a list of tuples."""

    def __init__(self, n_cameras=2, n_points=4):
        rng = np.random.default_rng(0)
        self.n_cameras, self.n_points = n_cameras, n_points
        self.camera = Camera(1.2, [0.1, -0.1])
        self.observations = [
            (c, p, rng.normal(size=2) * 0.1)
            for c in range(n_cameras)
            for p in range(n_points)
            if (c + p) % 3
        ]
        poses = 0.1 * rng.normal(size=(n_cameras, 6))
        points = rng.normal(size=(n_points, 3)) + np.array([0, 0, 5])
        self.start = np.concatenate([poses.ravel(), points.ravel()])

    def cost(self, vector):
        split = 6 * self.n_cameras
        poses = vector[:split].reshape(self.n_cameras, 6)
        points = vector[split:].reshape((-1, 3))
        total = 0.0
        for c, p, seen in self.observations:
            predicted = self.camera.project(points[p : p + 1], poses[c])[0]
            total = total + np.sum(np.log1p((predicted - seen) ** 2))
        return total


made("bundle_adjustment", lambda: BundleAdjustment().cost, BundleAdjustment().start)


@program([0.1, 0.2, 1.1])
def circle_fit(p):
    """A robust distance to a circle, for points as tuples."""
    points = [(math.cos(t), math.sin(t) + 0.1 * t) for t in range(6)]
    cx, cy, r = p
    return sum(abs(math.hypot(x - cx, y - cy) - r) for x, y in points)


@program(RNG.normal(size=(5, 3)))
def mesh_volume(vertices):
    """Signed volumes of tetrahedra, areas of faces, a penalty for short edges."""
    faces = np.array([[0, 1, 2], [0, 2, 3], [1, 3, 4], [2, 4, 0]])
    volume, area = 0.0, 0.0
    for a, b, c in faces:
        v0, v1, v2 = vertices[a], vertices[b], vertices[c]
        volume += np.dot(v0, np.cross(v1, v2)) / 6.0
        area += 0.5 * np.linalg.norm(np.cross(v1 - v0, v2 - v0))
    edges = vertices[faces[:, 0]] - vertices[faces[:, 1]]
    lengths = np.linalg.norm(edges, axis=-1)
    return area - volume + np.sum(np.where(lengths < 1.0, (1.0 - lengths) ** 2, 0.0))
