"""Random programs whose world changes: traced as untraced, gradients by differences."""

from hypothesis import HealthCheck, given, note, settings

from tests.corpus.generator import changing_programs
from tests.corpus.walks import walk, walk_by_grad

RELAXED = settings(
    suppress_health_check=[
        *(HealthCheck.too_slow, HealthCheck.data_too_large),
        HealthCheck.function_scoped_fixture,
    ]
)


def noted(program):
    note(
        "\n--\n".join(
            [program.setup.rpartition("decayed, set_rate")[2], *program.changes]
        )
    )
    return program


@RELAXED
@given(changing_programs())
def test_of_arrays(program):
    walk(noted(program))


@RELAXED
@given(changing_programs())
def test_of_gradients(program):
    walk_by_grad(noted(program))
