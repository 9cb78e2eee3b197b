"""SciPy's functions without a derivative, by the reason why.

Those of ``ABOUT`` deal with nothing that a gradient could flow through; the results of
those of ``STEPS`` are counts, truth values, or constant between jumps; those of
``REFUSED`` are refused where a Variable requires grad, with the reason in the error.
"""

from srcgrad.errors import NoRuleError, describe, here

ABOUT: dict[str, dict[str, str]] = {
    "scipy.fft": {
        "settings": "get_workers set_workers register_backend set_backend "
        "set_global_backend skip_backend test",
        "new arrays": "fftfreq rfftfreq",
        "lengths": "next_fast_len prev_fast_len",
    },
}

STEPS: dict[str, str] = {}

REFUSED: dict[str, dict[str, str]] = {
    "scipy.fft": {"it is a search for a number near another": "fhtoffset"},
    "scipy.sparse.linalg": {
        "it stops before the solution is exact: use spsolve": "bicg bicgstab cg cgs "
        "gcrotmk gmres lgmres lsmr lsqr minres qmr tfqmr",
        "it finds a part of the eigenvalues: use scipy.linalg.eigh or svd of a dense "
        "matrix": "eigs eigsh lobpcg svds",
        "use spsolve, or factorized": "spilu splu",
        "use its namesake in scipy.linalg on a dense matrix": "expm "
        "funm_multiply_krylov inv matrix_power norm onenormest",
    },
}


def refuse(name: str, why: str) -> None:
    """Say why a function has no derivative."""
    raise NoRuleError(
        f"srcgrad has no derivative of {name} ({describe(here())}): {why}"
    )
