"""Exported modules, run where srcgrad cannot be imported, give what srcgrad gives."""

import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import srcgrad
from tests.samples import has_scipy
from tests.tracing.export import exported_programs as programs

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=5), RNG.normal(size=5)
W, B, BATCH = RNG.normal(size=(4, 3)), RNG.normal(size=3), RNG.normal(size=(6, 4))
PARAMS = {"W": W, "b": (B, 0.5)}
Z = X + 1j * Y

# What is exported: by name, the function, its arguments, and those by keyword.
PROGRAMS = {
    "elementwise": (programs.elementwise, (X,), {}),
    "matmul net": (programs.net, (W, B, BATCH), {}),
    "pytree": (programs.of_tree, (PARAMS, BATCH), {}),
    "keywords": (programs.keywords, (X,), {"shift": Y, "power": 3}),
    "keyword only": (programs.keyword_only, (X,), {"scale": 2.5}),
    "several": (programs.several, (X, Y, X * Y), {}),
    "scalar": (programs.scalar, (0.7,), {}),
    "two scalars": (programs.two_scalars, (0.7, 1.5), {}),
    "loop": (programs.loop, (X, 7), {}),
    "loop of any count": (programs.loop_over, (X, BATCH), {}),
    "rnn": (programs.rnn, (RNG.normal(size=(3, 3)) / 3, RNG.normal(size=(30, 3))), {}),
    "branch": (programs.branch, (X,), {}),
    "guarded": (programs.guarded, (X,), {}),
    "small global": (programs.small_global, (X,), {}),
    "large global": (programs.large_global, (RNG.normal(size=200),), {}),
    "closure": (programs.closure, (X,), {}),
    "writes in place": (programs.writes_in_place, (X,), {}),
    "fills rows": (programs.fills_rows, (X,), {}),
    "float32": (programs.elementwise, (X.astype(np.float32),), {}),
    "empty": (programs.elementwise, (np.zeros(0),), {}),
    "zero-dimensional": (programs.elementwise, (np.array(0.3),), {}),
    "sorts": (programs.sorts, (X,), {}),
    "solves": (programs.solves, (W[:3] + 3 * np.eye(3), B), {}),
    "interpolates": (programs.interpolates, (X,), {}),
    "indexes": (programs.indexes, (X, np.array([0, 2, 2])), {}),
    "tuple": (programs.of_tuple, ((X, Y),), {}),
    "flag": (programs.flagged, (X, True, None, "tanh"), {}),
    "cumulative": (programs.cumulative, (X,), {}),
    "maximum": (programs.maximum, (X,), {}),
    "convolution": (programs.convolution, (X, Y), {}),
    "errstate": (programs.ignores_errors, (X,), {}),
    "masked": (programs.masked, (X, X > 0, np.arange(5, dtype=np.int32)), {}),
    "masked by a global": (programs.masked_by_a_global, (X,), {}),
    "NumPy's number": (programs.two_scalars, (np.float64(0.7), np.float32(2)), {}),
    "own names": (programs.example, (X,), {}),
    "names of constants": (programs.of_containers, ({"W": W[:3]}, {"x": B}), {}),
    "list": (programs.over_a_list, (X,), {}),
    "slice": (programs.of_slice, (X, slice(1, 4)), {}),
    "symmetric": (programs.of_symmetric, (np.eye(6) + BATCH @ BATCH.T,), {}),
    "determinant": (programs.determinant, (np.eye(6) + 0.1 * BATCH @ BATCH.T,), {}),
    "einsum": (programs.einsum, (W, BATCH), {}),
    "model": (programs.of_model, (programs.Model(W, B), BATCH), {}),
}
if has_scipy:
    of_scipy = importlib.import_module("tests.tracing.export.exported_scipy")
    PROGRAMS["inlined"] = of_scipy.hypergeometric, (np.abs(X) + 0.5,), {}
    PROGRAMS["distribution"] = of_scipy.of_a_distribution, (X,), {}
    PROGRAMS["scipy"] = of_scipy.with_scipy, (np.abs(X) + 0.5,), {}
NUMBERED = {"model": 1, "indexes": 0}


def cases():
    for name, (function, args, kwargs) in PROGRAMS.items():
        by = NUMBERED.get(name, 0)
        yield name, "grad", srcgrad.grad(function, by), args, kwargs
        both = srcgrad.value_and_grad(function, by)
        yield name, "value_and_grad", both, args, kwargs
    wide = {
        "jacobian": srcgrad.jacobian(programs.vector),
        "elementwise_grad": srcgrad.elementwise_grad(programs.vector),
        "hessian": srcgrad.hessian(programs.elementwise),
        "vmap": srcgrad.vmap(programs.elementwise),
        "vmap of grad": srcgrad.vmap(srcgrad.grad(programs.elementwise)),
        "grad of grad": srcgrad.grad(lambda x: np.sum(srcgrad.grad(programs.cube)(x))),
        "hvp": srcgrad.trace(programs.hessian_vector),
        "jvp": srcgrad.trace(programs.tangent),
        "plain": srcgrad.trace(programs.elementwise),
        "static results": srcgrad.trace(programs.with_static_results),
        "one in a tuple": srcgrad.trace(programs.one_in_a_tuple),
    }
    points = {"vmap": (BATCH,), "vmap of grad": (BATCH,), "hvp": (X, Y), "jvp": (X, Y)}
    for name, function in wide.items():
        yield name, "itself", function, points.get(name, (X,)), {}
    yield "complex", "grad", srcgrad.grad(programs.of_complex), (Z,), {}
    two = srcgrad.grad(programs.net, argnums=(0, 1))
    yield "two arguments", "grad", two, (W, B, BATCH), {}
    aux = srcgrad.value_and_grad(programs.with_aux, has_aux=True)
    yield "aux", "value_and_grad", aux, (X,), {}


CASES = {f"{name}, {what}": case for name, what, *case in cases()}

RUNNER = """
import importlib.util, pickle, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "srcgrad":
            raise ImportError(f"{name} is not to be there")

sys.meta_path.insert(0, Blocked())
found = {}
for key, (path, args, kwargs) in pickle.load(sys.stdin.buffer).items():
    try:
        spec = importlib.util.spec_from_file_location("module", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[key] = getattr(module, module.__all__[-1])(*args, **kwargs)
        if hasattr(module, "check_gradient"):
            module.check_gradient()
    except Exception as error:
        found[key] = f"{type(error).__name__}: {error}"
pickle.dump(found, sys.stdout.buffer)
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """What the modules give, by case; or what export says."""
    folder, found, runs = tmp_path_factory.mktemp("exported"), {}, {}
    for number, (key, (function, args, kwargs)) in enumerate(CASES.items()):
        path = folder / f"module_{number}.py"
        try:
            function.export(path, *args, **kwargs)
        except (RuntimeError, UserWarning) as error:
            found[key] = str(error)
        else:
            args = [programs.plain(each) for each in args]
            runs[key] = str(path), args, kwargs
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", RUNNER],
        input=pickle.dumps(runs),
        capture_output=True,
        check=True,
        timeout=300,
    )
    return found | pickle.loads(done.stdout)


@pytest.mark.parametrize("key", CASES)
def test_gives_what_srcgrad_gives(key, exported):
    function, args, kwargs = CASES[key]
    assert_alike(exported[key], function(*args, **kwargs))


def assert_alike(found, expected):
    assert type(found) is type(expected), found
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_alike(one, other)
    elif isinstance(expected, dict):
        assert [*found] == [*expected]
        for key in expected:
            assert_alike(found[key], expected[key])
    elif isinstance(expected, (str, bool, type(None))):
        assert found == expected
    else:
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(
            found, expected, rtol=1e-6 if is_single(found) else 1e-12
        )


def is_single(found):
    return np.asarray(found).dtype.itemsize < 8
