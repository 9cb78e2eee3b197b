"""Graphs from plain functions: ``record`` writes one down, ``run`` evaluates it."""

import numpy as np

from srcgrad.graph import Graph, Joint
from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Guard, Node, Value, map_values

KINDS = {np.ndarray: "array", float: "float"}


def value_of(raw, name=None):
    """A Value for what NumPy gave."""
    kind = KINDS.get(type(raw), "scalar")
    return Value(np.shape(raw), np.result_type(raw), name, kind)


class Recorded(ArrayProtocol):
    """Something that notes, in a list, all that NumPy does to it."""

    def __init__(self, raw, value, nodes):
        self.value, self.meta, self.nodes = raw, value, nodes

    def _call(self, function, args, kwargs):
        def each(item, what):
            if isinstance(item, Recorded):
                return what(item)
            if isinstance(item, tuple | list):
                return type(item)(each(element, what) for element in item)
            return item

        def all_of(what):
            return [each(arg, what) for arg in args], {
                key: each(arg, what) for key, arg in kwargs.items()
            }

        raw_args, raw_kwargs = all_of(lambda item: item.value)
        raw = function(*raw_args, **raw_kwargs)
        new_args, new_kwargs = all_of(lambda item: item.meta)
        several = isinstance(raw, tuple | list)
        outs = tuple(map(value_of, raw)) if several else value_of(raw)
        self.nodes.append(Node(function, tuple(new_args), new_kwargs, outs))
        if several:
            return [Recorded(r, o, self.nodes) for r, o in zip(raw, outs, strict=True)]
        return Recorded(raw, outs, self.nodes)


def record(function, inputs, cotangents=(), constants=()):
    """The graph of ``function(*inputs, *cotangents, *constants)``.

    It returns the outputs; with cotangents, the outputs and the gradients.
    """
    nodes = []

    def given(raws, names):
        pairs = zip(raws, names, strict=False)
        return [Recorded(raw, value_of(raw, name), nodes) for raw, name in pairs]

    def values(items):
        return tuple(None if item is None else item.meta for item in items)

    x, g, c = given(inputs, "xyzuvw"), given(cotangents, "gh"), given(constants, "cde")
    result = function(*x, *g, *c)
    outputs, gradients = result if cotangents else (result, ())
    held = {item.meta: item.value for item in c}
    return Joint(
        values(x), tuple(nodes), values(outputs), held, values(g), values(gradients)
    )


def run(graph, inputs, cotangents=()):
    """Evaluate a graph: its outputs, and its gradients if it has both halves."""
    known = dict(graph.constants)
    known.update(zip(graph.inputs, inputs, strict=True))
    known.update(zip(getattr(graph, "cotangents", ()), cotangents, strict=True))
    for node in graph.nodes:
        if isinstance(node, Guard):
            seen = node.with_values(known)
            assert seen.holds(), f"guard failed: {seen}"
            continue
        args = [map_values(known.__getitem__, arg) for arg in node.args]
        out = node.function(*args, **map_values(known.__getitem__, dict(node.kwargs)))
        if isinstance(node.out, tuple):
            known.update(zip(node.out, out, strict=True))
        else:
            known[node.out] = out
        for value in node.results:
            seen = value_of(known[value])
            assert (seen.shape, seen.dtype, seen.kind) == (
                value.shape,
                value.dtype,
                value.kind,
            ), f"{node} gave {known[value]!r}"
    outputs = tuple(known[value] for value in graph.outputs)
    gradients = getattr(graph, "gradients", ())
    return outputs, tuple(g if g is None else known[g] for g in gradients)


def run_split(partition, inputs, cotangents):
    """Evaluate both halves of a graph as the generated functions would."""
    forward = partition.forward
    both = Graph(
        forward.inputs,
        forward.nodes,
        forward.outputs + partition.saved,
        constants=forward.constants,
    )
    results, _ = run(both, inputs)
    n = len(forward.outputs)
    outputs, saved = results[:n], results[n:]
    if partition.backward is None:
        return outputs, (), saved
    found, _ = run(partition.backward, (*saved, *cotangents))
    each = iter(found)
    gradients = tuple(None if g is None else next(each) for g in partition.gradients)
    return outputs, gradients, saved


def text(graph):
    """The lines of a graph."""
    return str(graph).splitlines()


# ----- Comparing -----


def assert_same(seen, expected, rtol=0.0):
    assert len(seen) == len(expected)
    for a, b in zip(seen, expected, strict=True):
        assert type(a) is type(b)
        if a is not None:
            assert np.result_type(a) == np.result_type(b)
            pairs = [(a, b)]
            if np.iscomplexobj(b) and not np.all(np.isfinite(b)):
                # NumPy has no tolerance for what stands beside an inf.
                pairs = [(np.real(a), np.real(b)), (np.imag(a), np.imag(b))]
            for one, other in pairs:
                np.testing.assert_allclose(
                    one, other, rtol=rtol, atol=rtol / 10, strict=True
                )


def tolerance(graph):
    """What rounding may amount to, by the lowest precision in it."""
    dtypes = {value.dtype for node in graph.nodes for value in node.results}
    return 1e-4 if np.dtype(np.float32) in dtypes else 1e-10


def is_tame(results):
    """Whether rounding errors stay small: nothing overflows or nearly cancels."""
    for value in results:
        if value is not None:
            size = np.abs(np.asarray(value)[np.isfinite(value)])
            if np.any(size > 1e15) or np.any((size < 1e-15) & (size > 0)):
                return False
    return True
