"""The derivative rules, a chapter for each kind of function."""

from srcgrad.rules import elementwise, reductions, statistics

__all__ = ["elementwise", "reductions", "statistics"]
