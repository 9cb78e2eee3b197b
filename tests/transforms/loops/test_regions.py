"""Where a loop ran: its places move with the steps, the loops inside with it."""

from srcgrad.transforms.loops.regions import Region


def region():
    return Region([0, 4, 8], 10, [Region([1, 2], 3), Region([5, 6], 7)])


def test_the_loops_inside_move_with_it():
    moved = region().moved(lambda place: 2 * place)
    assert moved.starts == [0, 8, 16]
    assert [each.starts for each in moved.inner] == [[2, 4], [10, 12]]


def test_without_its_last_iteration_the_loops_of_that_stand_for_themselves():
    less = region().without_last()
    assert less[0].starts == [0, 4]
    assert less[0].end == 4
    assert [each.starts for each in less] == [[0, 4], [5, 6]]


def test_iterations_that_are_left_out_count():
    found = region()
    found.left_out = {1: 10}
    assert found.places(0, 3) == [0, 11, 12]
