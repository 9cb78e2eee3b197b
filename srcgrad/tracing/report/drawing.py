"""``drawn``: a graph as a picture, SVG, with loops and branches as boxes."""

from collections.abc import Callable, Iterator
from html import escape

from srcgrad.graph import Graph, walk
from srcgrad.steps import Location
from srcgrad.tracing.report.boxes import Box, Edge, boxes_of
from srcgrad.tracing.report.layout import HEAD, NOTE, PADDING, TITLE, lay_out

# A graph of more steps is not drawn: nobody could read it.
MOST_STEPS = 1500


def drawn(graph: Graph, key: Callable[[Location | None], str]) -> str | None:
    """The picture of a graph; None if it is too large for one.

    Parameters
    ----------
    graph : Graph
        What is drawn.
    key : callable
        The attributes of what belongs to a line of the user's.
    """
    if sum(1 for _ in walk(graph)) > MOST_STEPS:
        return None
    root, edges = boxes_of(graph)
    if not root.inside:
        return None
    lay_out(root, edges)
    places = dict(_places(root, 0.0, 0.0))
    numbers = {box: number for number, box in enumerate(places)}
    containers = [box for box in places if box.inside and box is not root]
    size = f'width="{root.width:.0f}" height="{root.height:.0f}"'
    parts = [
        f'<svg {size} viewBox="0 0 {root.width:.0f} {root.height:.0f}" role="group" '
        'aria-label="The graph">',
        *(_container(box, places, key) for box in containers),
        *(_edge(edge, places, numbers) for edge in edges),
        *(_leaf(box, places, numbers, key) for box in places if not box.inside),
        *(_title(box, places) for box in containers),  # on top of edges that cross it
        "</svg>",
    ]
    return "".join(parts)


def _places(box: Box, x: float, y: float) -> Iterator[tuple[Box, tuple[float, float]]]:
    """The upper left corners, on the page."""
    yield box, (x, y)
    for inner in box.inside:
        yield from _places(inner, x + inner.x, y + inner.y)


Places = dict[Box, tuple[float, float]]
Key = Callable[[Location | None], str]


def _container(box: Box, places: Places, key: Key) -> str:
    return f'<g class="{box.kind}"{key(box.where)}>{_rect(box, *places[box])}</g>'


def _title(box: Box, places: Places) -> str:
    x, y = places[box]
    place = f'x="{x + PADDING:.1f}" y="{y + HEAD - 8:.1f}"'
    return f'<text class="title" {place}>{escape(box.title)}</text>'


def _leaf(box: Box, places: Places, numbers: dict[Box, int], key: Key) -> str:
    x, y = places[box]
    middle = x + box.width / 2
    note = ""
    if box.note:
        note = (
            f'<text class="note" x="{middle:.1f}" y="{y + TITLE + NOTE - 1:.1f}">'
            f"{escape(box.note)}</text>"
        )
    return (
        f'<g class="{box.kind}" data-box="{numbers[box]}"{key(box.where)}>'
        f"<title>{escape(box.tip)}</title>{_rect(box, x, y)}"
        f'<text x="{middle:.1f}" y="{y + TITLE - 2:.1f}">{escape(box.title)}</text>'
        f"{note}</g>"
    )


def _rect(box: Box, x: float, y: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{9 if box.kind == "value" else 5}"/>'
    )


def _edge(edge: Edge, places: Places, numbers: dict[Box, int]) -> str:
    start, end = edge.start, edge.end
    (x, y), (to_x, to_y) = places[start], places[end]
    ends = f'data-from="{numbers[start]}" data-to="{numbers[end]}"'
    if edge.is_carried:
        return f'<path class="carried" {ends} d="{_back(edge, places)}"/>'
    points = [(x + start.width / 2, y + start.height)]
    for bend in edge.bends:
        assert bend.around is not None
        left, top = places[bend.around]
        points.append((left + bend.x + bend.width / 2, top + bend.y))
    points.append((to_x + (end.width / 2 if not end.inside else PADDING), to_y))
    return f'<path class="edge" {ends} d="{_curve(points)}"/>'


def _curve(points: list[tuple[float, float]]) -> str:
    """Through points, each time straight down."""
    x, y = points[0]
    path = f"M{x:.1f} {y:.1f}"
    for to_x, to_y in points[1:]:
        middle = (y + to_y) / 2
        path += f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
    return path


def _back(edge: Edge, places: Places) -> str:
    """From below a box to above another one, along the side of what they are in."""
    start, end, around = edge.start, edge.end, edge.end.around
    assert around is not None
    left, top = places[around]
    x = places[start][0] + start.width / 2
    to_x, to_y = places[end][0] + end.width / 2, places[end][1]
    is_left = (x + to_x) / 2 < left + around.width / 2
    side = left + PADDING / 2 if is_left else left + around.width - PADDING / 2
    below, above = top + around.height - PADDING / 2, to_y - PADDING / 2
    y = places[start][1] + start.height
    path = f"V{below:.1f}H{side:.1f}V{above:.1f}H{to_x:.1f}V{to_y:.1f}"
    return f"M{x:.1f} {y:.1f}{path}"
