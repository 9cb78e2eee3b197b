"""Samples for the rules of ``srcgrad.rules.polynomial_families``."""

import numpy as np

from srcgrad.rules.polynomial_families import FAMILIES
from tests.samples import COMPLEX, Constant, Draw, S, ascending, positive, within

AT = np.array([-0.7, 0.1, 0.4, 0.9, 1.2])


def of_one(prefix, module):
    """What each family has, by the same rules."""

    def f(name):
        return getattr(module, prefix + name)

    yield S(f("val"), (3,), (4,))
    yield S(f("der"), (5,), m=2)
    yield S(f("int"), (3,), m=2, k=[1.0, -2.0], lbnd=0.5)
    yield S(f("mul"), (3,), (4,))
    yield S(f("div"), (5,), positive(3))
    yield S(f("fromroots"), (3,))
    yield S(f("roots"), ascending(4))
    yield S(f("fit"), Constant(AT), (5,), Constant(2))
    if prefix != "poly":
        yield S(getattr(module, f"poly2{prefix}"), (4,))
        yield S(getattr(module, f"{prefix}2poly"), (4,))


def of_rest(prefix, module):
    """A sample of each of the others."""

    def f(name):
        return getattr(module, prefix + name)

    for name in ("val2d", "grid2d"):
        yield S(f(name), (2,), (2,), (2, 3))
    for name in ("val3d", "grid3d"):
        yield S(f(name), (2,), (2,), (2,), (2, 3, 2))
    if hasattr(module, f"{prefix}valnd"):  # from NumPy 2.5 on
        yield S(f("valnd"), [(2,), (2,)], (2, 3))
    yield S(f("vander"), (3,), Constant(2))
    yield S(f("vander2d"), (2,), (2,), Constant([1, 2]))
    yield S(f("vander3d"), (2,), (2,), (2,), Constant([1, 1, 1]))
    yield S(f("add"), (3,), (4,))
    yield S(f("sub"), (4,), (2,))
    yield S(f("mulx"), (3,))
    yield S(f("pow"), (3,), Constant(2))
    yield S(f("line"), (), positive())
    yield S(f("companion"), (4,))
    yield S(f("weight"), within(-0.5, 0.5, 3))


def of_any(prefix, module):
    """What does not depend on the family: of one of them."""

    def f(name):
        return getattr(module, prefix + name)

    yield S(f("val"), (3,), (4,), dtypes=COMPLEX)
    yield S(f("val"), (2, 3), (4, 2), dtypes=COMPLEX)
    yield S(f("val"), (2,), (4, 2), tensor=False)
    yield S(f("val"), (), (1,))
    yield S(f("val2d"), (3,), (3,), (2, 4))
    yield S(f("val3d"), (2,), (2,), (2,), (2, 3, 2))
    yield S(f("grid2d"), (3,), (2,), (2, 4))
    yield S(f("grid3d"), (2,), (3,), (2,), (2, 3, 2))
    yield S(f("vander"), (2, 3), Constant(3), dtypes=COMPLEX)
    yield S(f("vander2d"), (3,), (3,), Constant([1, 2]))
    yield S(f("vander3d"), (2,), (2,), (2,), Constant([1, 2, 1]))
    yield S(f("der"), (4, 2), dtypes=COMPLEX)
    yield S(f("der"), (2, 4), m=1, scl=positive(), axis=1)
    yield S(f("der"), (2,), m=3)
    yield S(f("int"), (3, 2), dtypes=COMPLEX)
    yield S(f("int"), (3,), m=2, k=Draw((2,)))
    yield S(f("int"), (2, 3), m=2, k=Draw((2,)), axis=-1)
    yield S(f("int"), (3,), m=2, k=[1.0], lbnd=Draw(()), scl=positive())
    yield S(f("add"), (3,), (4,), dtypes=COMPLEX)
    yield S(f("sub"), (4,), (2,))
    yield S(f("mul"), (3,), (2,), dtypes=COMPLEX)
    yield S(f("mulx"), (3,))
    yield S(f("pow"), (3,), Constant(3))
    yield S(f("pow"), (3,), Constant(1))
    yield S(f("div"), (2,), (3,))
    yield S(f("line"), (), positive())
    yield S(f("companion"), (4,), dtypes=COMPLEX)
    yield S(f("companion"), (2,))
    yield S(f("roots"), (2,))
    yield S(f("fit"), ascending(5), (5, 2), Constant(2))
    yield S(f("fit"), ascending(5), (5,), Constant([0, 2]), w=positive(5))


SAMPLES = [
    S(FAMILIES["poly"].polyvalfromroots, (3,), (2,)),
    S(np.polynomial.polyutils.trimcoef, positive(3)),
    S(np.polynomial.polyutils.mapdomain, (3,), ascending(2), ascending(2)),
    S(np.polynomial.polyutils.mapparms, ascending(2), ascending(2)),
    S(FAMILIES["cheb"].chebweight, within(-0.5, 0.5, 3)),
    *(sample for family in FAMILIES.items() for sample in of_one(*family)),
    *(
        sample
        for prefix, module in FAMILIES.items()
        for sample in (of_any if prefix in ("poly", "cheb") else of_rest)(
            prefix, module
        )
    ),
]
