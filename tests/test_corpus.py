"""All programs of the corpus: traced as untraced, whatever changes between calls."""

import pytest

from tests.corpus.programs import PROGRAMS
from tests.corpus.walks import check_traces, check_variables, walk, walk_by_grad

GIVEN = [name for name, program in PROGRAMS.items() if not program.draws]


@pytest.mark.parametrize("name", GIVEN)
def test_of_arrays(name):
    program = PROGRAMS[name]
    check_traces(program, *walk(program))


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_variables(name):
    """As untraced with Variables; or, where these cannot do it, as with arrays."""
    check_variables(PROGRAMS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_gradients(name):
    program = PROGRAMS[name]
    walked = walk_by_grad(program)
    if walked is None and program.draws:
        walked = walk(program)
    if walked is not None and (program.traces is not None or program.draws):
        check_traces(program, *walked)
