"""``Typed``: what type checkers know of a Variable's methods, in ``typed.pyi``.

Most methods come from tables, where no type checker finds them, and what they give is
known of Variables alone. ``python docs/make_stub.py`` writes the stub.
"""


class Typed:
    """The first base of ``Variable``; empty, but for type checkers."""

    __slots__ = ()
