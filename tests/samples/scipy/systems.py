"""Samples for the rules of ``srcgrad.rules.scipy.signal.systems``."""

import numpy as np
from scipy import signal

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, positive
from tests.samples.scipy.filter_forms import made
from tests.samples.scipy.filters import of
from tests.samples.scipy.signals import POLES

TIMES = Constant(np.array([0.0, 0.5, 1.0]))
MATRICES = (2, 2), (2, 1), (1, 2), (1, 1)
NUMERATOR = made(0.5, 0.3)
ROOTS = made(-0.4), made(-0.7, -1.2), positive()


def named(name):
    return replacement_of(getattr(signal, name))


def on(name, count, *more, **kwargs):
    """Of a system: the first arguments, as a tuple with what else belongs to it."""

    def call(*args):
        system = args[:count]
        if name[0] == "d":
            system = (*system, 0.5)
        return named(name)(system, *args[count:], *more, **kwargs)

    return call


SAMPLES = [
    of(signal.abcd_normalize, *MATRICES),
    of(signal.tf2ss, NUMERATOR, POLES),
    of(signal.tf2ss, POLES, POLES),
    of(signal.ss2tf, *MATRICES),
    of(signal.zpk2ss, *ROOTS),
    of(signal.ss2zpk, *MATRICES),
    *(
        of(
            signal.cont2discrete,
            *(*MATRICES, positive()),
            call=on("cont2discrete", 4, method=method),
            id=method,
        )
        for method in ("zoh", "foh", "bilinear")
    ),
    of(
        signal.cont2discrete,
        *(*MATRICES[:3], positive()),
        call=lambda a, b, c, dt: named("cont2discrete")(
            (a, b, c, np.zeros((1, 1))), dt, "impulse"
        ),
    ),
    of(
        signal.cont2discrete,
        *(NUMERATOR, POLES, positive()),
        call=on("cont2discrete", 2, method="gbt", alpha=0.3),
    ),
    of(signal.lsim, NUMERATOR, POLES, (3,), TIMES, call=on("lsim", 2)),
    of(
        signal.lsim,
        *(*MATRICES, (3, 1), Constant(np.array([0.2, 0.6, 1.0])), (2,)),
        call=on("lsim", 4, interp=False),
    ),
    of(signal.impulse, *ROOTS, call=on("impulse", 3, N=3)),
    of(signal.step, NUMERATOR, POLES, (2,), TIMES, call=on("step", 2)),
    of(signal.dlsim, *MATRICES, (3,), call=on("dlsim", 4)),
    of(signal.dlsim, NUMERATOR, POLES, (3,), TIMES, (2,), call=on("dlsim", 2)),
    *(
        of(getattr(signal, name), NUMERATOR, POLES, call=on(name, 2, n=3))
        for name in ("dstep", "dimpulse", "dfreqresp", "dbode")
    ),
    of(signal.freqs, NUMERATOR, POLES, 3),
    of(signal.freqs_zpk, *ROOTS, positive(2)),
    of(signal.freqresp, *MATRICES, positive(2), call=on("freqresp", 4)),
    of(signal.bode, *ROOTS, call=on("bode", 3, n=2)),
    of(signal.group_delay, NUMERATOR, POLES, call=on("group_delay", 2, 3)),
]
