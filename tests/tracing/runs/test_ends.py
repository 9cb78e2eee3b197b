"""Where a run has ended: which results have a gradient, which lead to others."""

import numpy as np

from srcgrad import Variable
from srcgrad.modes import override
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.runs.ends import ends_of


def test_results_that_others_are_computed_from_are_inner():
    recorder = Recorder()
    x = Variable(np.ones(3), requires_grad=True)
    with override(recorder=recorder):
        recorder.add_input(x, "x")
        h = np.tanh(x)
        out, other = np.sum(h), np.exp(x)
    ends = ends_of(recorder, [h, out, other, 1.5], [x], [True], False)
    assert ends.roots == [h, out, other]
    assert ends.inner == [h.edge, None, None]
    assert [output.has_grad for output in ends.outputs] == [True, True, True, False]
    whole = ends_of(recorder, [h, out], [x], [True], True)
    assert (whole.roots, whole.inner) == ([], [])
