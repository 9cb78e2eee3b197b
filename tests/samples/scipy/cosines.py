"""Samples for the rules of ``srcgrad.rules.scipy.cosines``."""

import numpy as np
from scipy import fft

from tests.samples import S, within

BOTH = (np.float64, np.complex128)
TYPES = (1, 2, 3, 4)
NORMS = (None, "ortho", "forward")

SAMPLES = [
    *(
        S(function, (2, 5), type=type, norm=norm)
        for function in (fft.dct, fft.dst, fft.idct, fft.idst)
        for type in TYPES
        for norm in NORMS
    ),
    *(
        S(function, (4,), type=type, norm=norm, orthogonalize=is_orthogonal)
        for function in (fft.dct, fft.dst, fft.idct)
        for type in TYPES
        for norm, is_orthogonal in (("ortho", False), (None, True), ("forward", True))
    ),
    S(fft.dct, (5, 2), n=4, axis=0, dtypes=BOTH),
    S(fft.dst, (3,), n=6, type=3, dtypes=BOTH),
    S(fft.idct, (5,), n=7, dtypes=BOTH),
    S(fft.idst, (5,), n=3, norm="ortho", dtypes=BOTH),
    S(fft.dctn, (3, 4), dtypes=BOTH),
    S(fft.dctn, (2, 3, 4), type=3, s=(3, 5), norm="ortho"),
    S(fft.dstn, (3, 4), axes=0),
    S(fft.dstn, (3, 4), type=1, s=5, axes=1),
    S(fft.idctn, (3, 4), type=4, dtypes=BOTH),
    S(fft.idstn, (3, 4), s=(2, 3), axes=(1, 0)),
    S(fft.fht, (2, 6), 0.5, 0.3),
    S(fft.fht, (5,), 0.4, 1.0, offset=0.2, bias=-0.3, dtypes=(np.float64,)),
    S(fft.ifht, (6,), 0.5, 0.3, offset=0.1, dtypes=(np.float64,)),
    S(fft.ifht, (5,), 0.4, 1.0, offset=0.2, bias=0.3, dtypes=(np.float64,)),
    S(
        fft.fhtoffset,
        *(within(0.1, 0.2), within(0.4, 0.6), within(0.01, 0.02), within(0.1, 0.2)),
        only_real=True,
        dtypes=(np.float64,),
    ),
]
