"""``lay_out``: where boxes stand: in layers, what is read above what reads it.

In each box the boxes inside are put into layers, and an edge that goes by others bends
around them. Then they are ordered so that few edges cross, and moved to where those are
that they are connected with.

>>> in_order([10.0, 10.0, 30.0], [5.0, 5.0])
[7.5, 12.5, 30.0]
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from srcgrad.tracing.report.boxes import Box, Edge

# In pixels: what a character is wide, what is between boxes, and around them.
CHARACTER, TITLE, NOTE = 6.7, 17.0, 14.0
BESIDE, BELOW, PADDING, HEAD = 16.0, 30.0, 14.0, 24.0
BEND = 6.0
SWEEPS = 6


def lay_out(root: Box, edges: Sequence[Edge]) -> None:
    """Give all boxes in a box their places and sizes."""
    by_box: dict[Box, list[tuple[Box, Box, Edge]]] = {}
    for edge in edges:
        if not edge.is_carried:
            around, start, end = _meeting(edge)
            by_box.setdefault(around, []).append((start, end, edge))
    _place(root, by_box)


def _meeting(edge: Edge) -> tuple[Box, Box, Box]:
    """The innermost box that an edge is in, and the boxes there that it is between."""
    ways = [*zip(edge.start.way, edge.end.way, strict=False)]
    around = [one for one, other in ways if one is other][-1]
    depth = len(around.way)
    return around, edge.start.way[depth], edge.end.way[depth]


def _place(box: Box, by_box: dict[Box, list[tuple[Box, Box, Edge]]]) -> None:
    if not box.inside:
        texts = [len(box.title), 0.9 * len(box.note)]
        box.width = max(CHARACTER * max(texts) + 16.0, 30.0)
        box.height = TITLE + (NOTE if box.note else 0.0) + 6.0
        return
    for inner in box.inside:
        _place(inner, by_box)
    layers, links = _layered(box, by_box.get(box, []))
    _order(layers, links)
    _move(layers, links)
    y = PADDING + (HEAD if box.title else 0.0)
    for layer in layers:
        height = max(inner.height for inner in layer)
        for inner in layer:
            inner.y = y + (height - inner.height) / 2 * (inner.kind == "bend")
        y += height + BELOW
    box.height = y - BELOW + PADDING
    left = min(inner.x for layer in layers for inner in layer)
    for layer in layers:
        for inner in layer:
            inner.x += PADDING - left
    right = max(inner.x + inner.width for layer in layers for inner in layer)
    box.width = max(right + PADDING, CHARACTER * len(box.title) + 2 * PADDING)


Links = list[tuple[Box, Box]]


def _layered(
    box: Box, edges: Sequence[tuple[Box, Box, Edge]]
) -> tuple[list[list[Box]], Links]:
    """The boxes in a box by layers, bends included, and what is connected."""
    before: dict[Box, set[Box]] = {}
    after: dict[Box, set[Box]] = {}
    for start, end, _ in edges:
        before.setdefault(end, set()).add(start)
        after.setdefault(start, set()).add(end)
    number: dict[Box, int] = {}
    for inner in box.inside:  # each comes after those that it reads
        number[inner] = 1 + max((number[b] for b in before.get(inner, ())), default=-1)
    last = max(number.values())
    ends = [inner for inner in box.inside if inner.is_last]
    if ends:
        last = max([last, *(number[b] + 1 for e in ends for b in before.get(e, ()))])
        number.update(dict.fromkeys(ends, last))
    for inner in reversed(box.inside):  # what reads nothing here stands by its reader
        if inner.kind != "value" and not before.get(inner) and after.get(inner):
            number[inner] = min(number[a] for a in after[inner]) - 1
    layers: list[list[Box]] = [[] for _ in range(last + 1)]
    for inner in box.inside:
        layers[number[inner]].append(inner)
    links = _bend(box, edges, number, layers)
    return [layer for layer in layers if layer], links


def _bend(
    box: Box,
    edges: Sequence[tuple[Box, Box, Edge]],
    number: dict[Box, int],
    layers: list[list[Box]],
) -> Links:
    """Have edges go by the layers between their ends; those of one box together."""
    chains: dict[Box, list[Box]] = {}
    links: dict[tuple[Box, Box], None] = {}
    for start, end, edge in edges:
        chain = chains.setdefault(start, [])
        needed = number[end] - number[start] - 1
        while len(chain) < needed:
            bend = Box("bend", around=box, width=BEND)
            layers[number[start] + 1 + len(chain)].append(bend)
            links[chain[-1] if chain else start, bend] = None
            chain.append(bend)
        edge.bends = chain[:needed]
        links[chain[needed - 1] if needed > 0 else start, end] = None
    return [*links]


def _order(layers: Sequence[list[Box]], links: Links) -> None:
    """Sort each layer by where those stand that its boxes are connected with."""
    above, below = _neighbours(links)
    place = {box: float(k) for layer in layers for k, box in enumerate(layer)}
    for sweep in range(SWEEPS):
        near = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            wanted = {box: _mean(near.get(box, ()), place, place[box]) for box in layer}
            layer.sort(key=lambda box: wanted[box])
            place.update((box, float(k)) for k, box in enumerate(layer))


def _move(layers: Sequence[list[Box]], links: Links) -> None:
    """Move boxes below those that they read, and above those that read them."""
    above, below = _neighbours(links)
    centre: dict[Box, float] = {}
    for layer in layers:
        x = 0.0
        for box in layer:
            centre[box] = x + box.width / 2
            x += box.width + BESIDE
        for box in layer:
            centre[box] -= x / 2
    for sweep in range(2 * SWEEPS):
        near = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            wanted = [_mean(near.get(box, ()), centre, centre[box]) for box in layer]
            gaps = [(a.width + b.width) / 2 + BESIDE for a, b in pairwise(layer)]
            centre.update(zip(layer, in_order(wanted, gaps), strict=True))
    for box, x in centre.items():
        box.x = x - box.width / 2


def _neighbours(links: Links) -> tuple[dict[Box, list[Box]], dict[Box, list[Box]]]:
    above: dict[Box, list[Box]] = {}
    below: dict[Box, list[Box]] = {}
    for start, end in links:
        above.setdefault(end, []).append(start)
        below.setdefault(start, []).append(end)
    return above, below


def _mean(boxes: Sequence[Box], at: dict[Box, float], otherwise: float) -> float:
    return sum(at[box] for box in boxes) / len(boxes) if boxes else otherwise


def in_order(wanted: Sequence[float], gaps: Iterable[float]) -> list[float]:
    """The places next to the wanted ones that are so far apart, in this order.

    Those of the least squares: what would overlap is put side by side around its mean.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    # Groups that stand side by side: the sum of what their members want, and how many.
    groups: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        total, count = want - offset, 1
        while groups and groups[-1][0] / groups[-1][1] > total / count:
            before = groups.pop()
            total, count = total + before[0], count + before[1]
        groups.append((total, count))
    places = [total / count for total, count in groups for _ in range(count)]
    return [place + offset for place, offset in zip(places, offsets, strict=False)]
