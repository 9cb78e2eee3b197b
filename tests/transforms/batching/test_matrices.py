import numpy as np
import pytest

from tests.transforms.batching.cases import loops_of

UNARY = [np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.pinv, np.linalg.svd]
SOLVED = [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1))]


@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)], ids=str)
def test_stacks_of_matrices(function, shape):
    assert not loops_of(function, shape)


@pytest.mark.parametrize("shapes", SOLVED, ids=str)
def test_solve(shapes):
    assert not loops_of(np.linalg.solve, *shapes)


def test_stacks_of_matrices_with_one_vector_are_left_to_the_loop():
    assert set(loops_of(np.linalg.solve, (2, 3, 3), (3,))) <= {"solve"}


NORMS = [
    ((4,), {}),
    ((3, 4), {}),
    ((2, 3, 4), {}),
    ((3, 4), {"ord": "nuc"}),
    ((3, 4), {"ord": 1, "axis": 0}),
    ((3, 4), {"axis": (0, 1), "keepdims": True}),
    ((3, 4), {"keepdims": True}),
]


@pytest.mark.parametrize(("shape", "options"), NORMS, ids=str)
def test_norms(shape, options):
    assert not loops_of(np.linalg.norm, shape, **options)
