"""Which tier answers a call."""

import srcgrad
from srcgrad.native import tier


class Answered:
    """How often machine code has answered a call, and left one."""

    def __init__(self, monkeypatch):
        self.own = self.left = 0
        forward, backward = tier.forward_call, tier.backward_call
        monkeypatch.setattr(tier, "forward_call", self._counting(forward))
        monkeypatch.setattr(tier, "backward_call", self._counting(backward))

    def _counting(self, wrapped):
        def make(partition, kernel, compiled, left):
            def counted(*given):
                found = compiled(*given)
                self.own += 1
                return found

            def counted_left(*given):
                self.left += 1
                return left(*given)

            return wrapped(partition, kernel, counted, counted_left)

        return make


def by_tape(function, *args):
    with srcgrad.set_stance("tape"):
        return srcgrad.value_and_grad(function)(*args)
