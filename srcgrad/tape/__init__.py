"""The tape: Variables, the graph of Functions behind them, and the walk back.

Start with ``variable`` and ``function``; ``apply`` is one NumPy call on Variables,
``engine`` one backward pass, ``inplace`` one write, ``user_function`` one call of a
Function that a user has written.
"""
