"""The derivative rules, a chapter for each kind of function; importing fills the table."""

from srcgrad.rules import elementwise, reductions

__all__ = ["elementwise", "reductions"]
