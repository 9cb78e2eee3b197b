"""Whether a node was freed by a walk before this one."""

from srcgrad.tape import freed
from tests.variables import vector


def test_in_the_walk_that_frees_a_node_it_is_not_over():
    x = vector(1.0, 2.0)
    h = x * x
    out, seen = (h * h).sum(), []
    mark = freed.marked(out.edge[0])
    h.register_hook(lambda g: seen.append((mark.walk is not None, mark.is_over)))
    out.backward(retain_graph=True)
    out.backward()
    assert seen == [(False, False), (True, False)]
    assert mark.is_over
