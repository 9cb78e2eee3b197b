"""Which tier answers a call."""

import srcgrad
from srcgrad.native import planning


class Answered:
    """How often machine code has answered a call, and left one."""

    def __init__(self, monkeypatch):
        self.own = self.left = 0
        for name in ("forward_call", "backward_call", "parted_call"):
            wrapped = self._counting(getattr(planning, name))
            monkeypatch.setattr(planning, name, wrapped)

    def _counting(self, wrapped):
        """What makes a call of compiled code, the last but one of its arguments."""

        def make(*what):
            *rest, compiled, left = what

            def counted(*given):
                found = compiled(*given)
                self.own += 1
                return found

            def counted_left(*given):
                self.left += 1
                return left(*given)

            return wrapped(*rest, counted, counted_left)

        return make


def by_tape(function, *args):
    with srcgrad.set_stance("tape"):
        return srcgrad.value_and_grad(function)(*args)
