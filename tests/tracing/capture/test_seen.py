"""Objects by identity: where they were found, and what stands for them."""

import numpy as np

from srcgrad.tracing.capture.seen import Seen
from srcgrad.tracing.environment.references import Known


def test_an_object_and_what_stands_for_it():
    seen, item, twin = Seen(), [1], [1]
    reference = Known("item", item)
    assert seen.note_object(reference, item, twin) is twin
    assert seen.reference_of(item) is seen.reference_of(twin) is reference
    assert seen.seen_of(item) is twin
    assert seen.users_own(twin) is item
    assert seen.is_object(twin)
    assert not seen.is_object(item)


def test_arrays_are_told_from_numbers():
    seen, array = Seen(), np.ones(2)
    for leaf in (array, 1.0):
        seen.note_input(Known("x", leaf), leaf, leaf)
    assert [leaf for _, leaf in seen.arrays] == [array]
    assert seen.input_of(array)[1] is array
    assert seen.input_of([]) == (None, None)


def test_nothing_is_held_at_the_end():
    seen, item = Seen(), [1]
    seen.note(Known("item", item), item, item)
    seen.let_go()
    assert seen.reference_of(item) is None
    assert not seen.alive
