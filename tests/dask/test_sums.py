"""Sums as a tree: in the order of the blocks, in double precision."""

import dask
import numpy as np

from srcgrad.dask.blocks import Counting
from srcgrad.dask.sums import Part, Rules, added, part_of_block, sent, tree_of

RULES = Rules(is_mean=False, counting=Counting(are_aligned=True))


def test_misses_are_kept_and_nothing_is_added():
    parts = [Part(2, [1.0]), Part(missed={3: "a"}), Part(missed={5: "b"})]
    assert added(parts) == Part(missed={3: "a", 5: "b"})


def test_blocks_without_rows_are_left_out():
    assert added([Part(), Part()]) == Part()
    assert added([Part(), Part(2, [np.float64(3.0)])]) == Part(2, [3.0])


def test_what_is_missing_in_a_tree_is_a_miss():
    part = part_of_block(b"nonsense", (), 4, RULES, np.ones(2))
    assert list(part.missed) == [4]


def test_a_tree_adds_neighbours_first():
    found = []

    def one(number):
        return Part(1, [np.float64(number)])

    def tell(parts):
        found.append([part.leaves[0] for part in parts])
        return added(parts)

    parts = [dask.delayed(one)(k) for k in range(20)]
    tree = [dask.delayed(tell)(parts[k : k + 8]) for k in (0, 8, 16)]
    (total,) = dask.compute(dask.delayed(tell)(tree), scheduler="sync")
    assert total.leaves == [190.0]
    assert sorted(found)[:2] == [[0.0, 1, 2, 3, 4, 5, 6, 7], [8.0, *range(9, 16)]] or (
        [28.0, 92.0, 70.0] in found
    )


def test_what_is_sent_is_never_mistaken_for_what_was_sent_before():
    assert sent((1.0,)).key != sent((1.0,)).key
    first, second = (
        tree_of(b"", (), [0], [[dask.delayed(np.ones)(2)]], RULES) for _ in range(2)
    )
    assert first.key != second.key
