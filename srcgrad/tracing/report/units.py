"""Times and bytes as people read them."""


def seconds_told(seconds: float) -> str:
    """A time, in the unit that fits.

    >>> seconds_told(0.0123), seconds_told(4.5e-6), seconds_told(2e-8)
    ('12.3 ms', '4.50 µs', '20.0 ns')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds / 1e-9)} ns"


def bytes_told(count: int) -> str:
    """A number of bytes, in the unit that fits.

    >>> bytes_told(0), bytes_told(-2_400), bytes_told(3_200_000)
    ('0 B', '-2.40 kB', '3.20 MB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if abs(count) >= size:
            return f"{_digits(count / size)} {unit}"
    return f"{count} B"


def _digits(number: float) -> str:
    """Three of them."""
    return f"{number:.{max(0, 3 - len(f'{abs(number):.0f}'))}f}"
