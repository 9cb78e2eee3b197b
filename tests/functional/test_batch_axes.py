import numpy as np
import pytest

from srcgrad.functional.batch_axes import Axes, Batch, fronted


def in_axes(tree):
    return Axes.of(tree, "in_axes")


def batch(function, axes, *args, **kwargs):
    return Batch.of(function, in_axes(axes), args, kwargs)


def f(x, y=None, *, z=None):
    return x


def test_axes_are_hashable_whatever_they_are_given_as():
    axes = in_axes([{"a": 0}, None])
    assert axes == in_axes(({"a": 0}, None))
    assert hash(axes) == hash(in_axes(({"a": 0}, None)))
    assert axes.tree == ({"a": 0}, None)


@pytest.mark.parametrize("tree", ["x", 1.0, True, (0, "x"), ({"a": 0.5},)], ids=str)
def test_axes_are_integers(tree):
    with pytest.raises(TypeError, match="must be an int, None, or a container"):
        in_axes(tree)


def test_one_axis_goes_for_all_that_is_below_it():
    axes = in_axes((0, None)).over(({"a": 1.0, "b": (2.0, 3.0)}, None))
    assert axes == [0, 0, 0, None]


def test_axes_are_counted_from_the_front():
    made = batch(f, -1, np.ones((2, 3)), np.ones((4, 3)), z=np.ones((3, 1)))
    assert (made.axes, made.size) == ([1, 1, 0], 3)
    assert [leaf.shape for leaf in made.fronted()] == [(3, 2), (3, 4), (3, 1)]


def test_none_is_no_array():
    made = batch(f, 0, np.ones(3), None)
    assert made.axes == [0, None]
    assert made.call(lambda x, y: (x, y), [2.0])[0] == [2.0, None]


def test_the_others_are_those_that_are_no_arrays():
    model = object()
    assert batch(f, (0, None), np.ones(3), model).others() == [model]


def test_fronted_leaves_what_is_in_place():
    x = np.ones((2, 3))
    assert fronted(x, 0) is x
    assert fronted(x, 1).shape == (3, 2)


def test_messages_name_keywords_and_what_is_inside():
    with pytest.raises(ValueError, match="argument z along axis 0, but it is a str"):
        batch(f, 0, np.ones(3), z="text")
    with pytest.raises(ValueError, match=r"argument x\[1\]\['w'\] along axis 3"):
        batch(f, 3, [np.ones((1, 1, 1, 1)), {"w": np.ones(3)}])
    with pytest.raises(ValueError, match="argument x along axis 1"):
        batch(lambda x: np.sin(x), 1, np.ones(3))
