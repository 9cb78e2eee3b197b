"""Variables in few letters, and a hook that notes what it sees."""

import numpy as np

from srcgrad import Variable


def variable(data, requires_grad=True):
    return Variable(np.array(data, float), requires_grad=requires_grad)


def vector(*elements):
    return Variable(np.array(elements), requires_grad=True)


def collect(into):
    """A hook that notes what it gets."""

    def note(grad):
        into.append(grad.data.tolist())

    return note
