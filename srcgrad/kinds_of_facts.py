"""What may be known of a function besides its derivative: the kinds of facts.

>>> Facts(effect="draws").effect, Facts().effect
('draws', '')
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a function.

    Attributes
    ----------
    effect : str
        What a call does besides computing its result. ``""``: nothing, and the same
        arguments give the same result. ``"writes"``: it changes its first argument.
        ``"draws"``: it takes random numbers. ``"acts"``: anything else (it reads or
        changes files, settings, the user's objects), or it is not known.
    calls : bool
        Whether it calls functions that it is given.
    raises : bool
        Whether it may raise for the values that it gets, when shapes and dtypes fit.
    raises_by : str
        The names of the arguments on whose values alone that depends; ``""``: on all.
    signals : bool
        Whether it may meet a floating-point error, an overflow say, of which
        ``np.errstate`` may make an exception.
    view : str
        Whose memory the result is. ``""``: its own. ``"whole"``: the first argument's,
        all of it, each element once, and as writable as that is. ``"part"``: the
        argument's in another way. ``"fixed"``: likewise, where one cannot write, or not
        into one element alone. ``"maybe"``: it computes, but gives back its argument or
        a view of it when nothing is to be done.
    moves : str
        Where it puts elements, if it computes nothing: ``"in order"``, those of one
        array in another shape, or ``"anew"``.
    finite : bool
        Whether the result is finite, but for overflow, wherever the arguments are.
    by_layout : bool
        Whether it is a view or a copy by how the argument lies in memory.
    shape_by_value : bool
        Whether the result's shape depends on the values that come in.
    complex_by_value : bool
        Whether the result is real or complex depending on the values that come in.
    of_metadata : bool
        Whether the result depends on shapes and dtypes alone.
    creates : bool
        Whether it makes an array out of shapes and plain numbers.
    elementwise : bool
        Whether element ``i`` of the result needs just element ``i`` of the arguments,
        which are all broadcast together.
    commutes : bool
        Whether the two arguments may change places, to the bit for real numbers.
    steps : bool
        Whether the result jumps where the argument hardly changes. (So do all functions
        that make integers or truth values of floating-point numbers.)
    quiet : bool
        Whether it warns of nothing but floating-point errors.
    reduces, accumulates : numpy.ufunc or None
        The ufunc that it applies along an axis.
    about : str
        What it deals with, if that is nothing that a gradient could flow through.
    sequence : str or None
        The argument that is a sequence of arrays; any other list is one array to NumPy.
    """

    effect: str = ""
    calls: bool = False
    raises: bool = False
    raises_by: str = ""
    signals: bool = False
    view: str = ""
    moves: str = ""
    finite: bool = False
    by_layout: bool = False
    shape_by_value: bool = False
    complex_by_value: bool = False
    of_metadata: bool = False
    creates: bool = False
    elementwise: bool = False
    commutes: bool = False
    steps: bool = False
    quiet: bool = False
    reduces: np.ufunc | None = None
    accumulates: np.ufunc | None = None
    about: str = ""
    sequence: str | None = None
