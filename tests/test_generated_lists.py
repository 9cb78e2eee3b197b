"""NumPy's and SciPy's functions take lists of floats where they take arrays.

In a followed function these may be Variables: on the tape it is the same call.
"""

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten
from srcgrad.updates import mark_complete
from tests.cases import for_each
from tests.samples import SAMPLES, Constant, Draw, Made

# NumPy counts the items of the list itself, whatever the axis.
NOT_TRIED = {np.dsplit, mark_complete}


def of_lists(sample):
    """The arguments of a call, and the places of those that are lists of floats."""
    rng = np.random.default_rng(3)
    args, places = [], []
    for spec in sample.specs:
        if isinstance(spec, (Draw, Made)):
            spec = spec(rng, np.float64).tolist()
            places.append(len(args))
        args.append(spec.value if isinstance(spec, Constant) else spec)
    return args, places


def one_of_each(samples):
    """A sample of each function, that takes lists of floats."""
    found = {}
    for sample in samples:
        _, places = of_lists(sample)
        has_lists = any(isinstance(arg, list) for arg in sample.specs)
        is_plain = sample.call is None and not (sample.kwargs or has_lists)
        if places and is_plain and sample.function not in NOT_TRIED:
            found.setdefault(sample.function, sample)
    return [*found.values()]


@for_each("sample", one_of_each(SAMPLES), ids=lambda sample: sample.id)
def test_a_list_of_variables_is_an_array_as_a_list_of_floats_is(sample):
    args, places = of_lists(sample)
    given = [args[i] for i in places]

    def program(*lists):
        own = list(args)
        for i, each in zip(places, lists, strict=True):
            own[i] = each
        found = sample.called(*own)
        leaves = [each for each in flatten(found)[0] if np.asarray(each).dtype == float]
        return [np.asarray(each) for each in leaves]

    try:
        expected = program(*given)
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        pytest.skip(f"takes no lists: {error}")
    with srcgrad.set_stance("tape"):
        found, _ = srcgrad.vjp(program, *given)
    for own, each in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, each, rtol=1e-9, atol=1e-12)
