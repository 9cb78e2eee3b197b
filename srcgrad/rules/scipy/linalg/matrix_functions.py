"""Rules for ``scipy.linalg``: functions of matrices, ``expm`` and its kin.

Their derivatives in a direction stand in the corner of the same function of a matrix
twice as large, ``f([[A, E], [0, A]])``, so these are differentiable to any order.
"""

import numpy as np
from scipy import linalg

from srcgrad.facts import declare
from srcgrad.rules.complexes import adjoint, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.matrices import columns
from srcgrad.rules.registry import defjvp, defvjp
from srcgrad.rules.scipy.linalg.factorizations import refuse
from srcgrad.rules.scipy.linalg.linear_equations import sylvester
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy


def doubled(A, E):
    """``[[A, E], [0, A]]``"""
    above = np.concatenate([A, E], axis=-1)
    below = np.concatenate([np.zeros_like(A), A], axis=-1)
    return np.concatenate([above, below], axis=-2)


def corner(x):
    n = x.shape[-1] // 2
    return x[..., :n, n:]


def slope(function, A, E):
    """The derivative at ``A`` along ``E``.

    Of a real matrix along real ones alone: else rounding takes eigenvalues below zero
    to both sides of the cut that logarithms and powers have there.
    """
    if is_complex(E) and not is_complex(A):
        return slope(function, A, np.real(E)) + 1j * slope(function, A, np.imag(E))
    return corner(function(doubled(A, E)))


def slope_back(function, g, A):
    """Its transpose: with ``A.H`` for ``A`` one would be on the other side of a cut."""
    return adjoint(slope(function, A, adjoint(g)))


def defdirection(function):
    reached = reaching(function)
    defvjp(function, A=lambda g, A: slope_back(reached, g, A))
    defjvp(function, A=lambda A: lambda t: slope(reached, A, t))


for _function in (
    *(linalg.expm, linalg.logm, linalg.signm, linalg.sinm, linalg.cosm),
    *(linalg.tanm, linalg.sinhm, linalg.coshm, linalg.tanhm),
):
    defdirection(_function)


power = reaching(linalg.fractional_matrix_power)
defvjp(
    linalg.fractional_matrix_power,
    A=lambda g, A, t: slope_back(lambda x: power(x, t), g, A),
)
defjvp(
    linalg.fractional_matrix_power,
    A=lambda A, t: lambda along: slope(lambda x: power(x, t), A, along),
)
defvjp(linalg.sqrtm, A=lambda g, out: sylvester(adjoint(out), adjoint(out), g))
defjvp(linalg.sqrtm, A=lambda out: lambda t: sylvester(out, out, t))

# Of real matrices they are real or complex, as their eigenvalues will have it.
for function in (
    *(linalg.logm, linalg.signm),
    *(linalg.sqrtm, linalg.fractional_matrix_power),
):
    declare(function, raises=True, complex_by_value=True)


def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """``scipy.linalg.expm_frechet``: the exponential, and its slope along ``E``."""
    both = expm(doubled(doubles(A), doubles(E)))
    n = np.shape(A)[-1]
    return (both[..., :n, :n], corner(both)) if compute_expm else corner(both)


expm = reaching(linalg.expm)
defined_as(linalg.expm_frechet, expm_frechet)


# ----- A function that the user gives, and the condition of expm -----
def funm(A, func, disp=True):
    """``scipy.linalg.funm``, by the eigenvectors"""
    if not disp:
        refuse("funm", "with disp=False, by its error")
    values, vectors = np.linalg.eig(A + 0.0j)
    found = (vectors * columns(func(values))) @ np.linalg.inv(vectors)
    noise = 1e-9 if np.finfo(values.dtype).bits == 64 else 1e-4
    if np.iscomplexobj(A) or not np.allclose(np.imag(found), 0.0, atol=noise):
        return found
    return np.real(found)


defined_as(linalg.funm, funm)
as_in_scipy(linalg, "expm_cond")
