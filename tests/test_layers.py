"""Who may import whom: a rule a folder, downwards only, at the top of the file.

What is imported late (``srcgrad.late``) stands under ``if TYPE_CHECKING``, and counts.
"""

import ast
from collections.abc import Callable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import srcgrad

PACKAGE = Path(srcgrad.__file__).parent

# The rooms from the ground up; each may import from itself and from those it names.
MAY_IMPORT = {
    "ground": "",
    "rules": "ground",
    "transforms": "ground",
    "emit": "ground",
    "native": "ground emit",
    "tape": "ground rules",
    "tracing": "ground rules transforms emit native tape",
    "functional": "ground rules tape tracing",
    "faces": "ground rules tape tracing functional",
    "scipy": "ground rules tape faces",
    "dask": "ground rules tape tracing functional faces",
}
# The rooms inside a room, from the ground up: each may import from those before it. The
# dot is for the files that stand in none of them.
INSIDE = {
    "rules": ". scipy.special scipy.linalg scipy.ndimage scipy.signal scipy.stats",
    "transforms": "reading rewrite scalarize algebra partition loops branches batching "
    "sparsity .",
    "tracing": "refusal containment arrays environment user_code counts following "
    "graphs algorithms branches capture runs serving export report .",
    "scipy": ". interpolation optimization integration statistics signals geometry "
    "sparse_matrices",
}
# The files that stand in no folder.
GROUND = set(
    "branches call_sites codes config deadline debugging errors facts failing "
    "function_parameters graph kinds_of_facts late loops modes operators parsing "
    "policy protocols pytree selections stacking steps tracebacks unboxing updates "
    "valued views".split()
)
FACES = {"", "autograd", "checking", "testing"}


def module_name(path: Path) -> str:
    """Return a file's dotted name inside the package; the package itself is ''."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(name: str) -> str:
    """Return the room that a module stands in."""
    if name in GROUND:
        return "ground"
    return "faces" if name in FACES else name.partition(".")[0]


def floor_of(name: str) -> int:
    """Return on which floor of its room a module stands."""
    room, _, inner = name.partition(".")
    floors = INSIDE.get(room, ".").split()
    while inner not in floors and inner:
        inner = inner.rpartition(".")[0]
    return floors.index(inner or ".")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST) -> set[str]:
    """Return our own modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            # `from srcgrad import modes` names a module, `... import Graph` does not.
            for alias in node.names:
                member = f"{node.module}.{alias.name}"
                is_module = member.partition(".")[2] in FILES
                found.add(member if is_module else str(node.module))
    ours = {name.partition(".") for name in found}
    return {name for package, _, name in ours if package == "srcgrad"}


@cache
def all_imports() -> dict[str, set[str]]:
    return {name: imports(tree_of(path)) for name, path in FILES.items()}


def is_late(node: ast.AST) -> bool:
    """Whether it is what type checkers alone see."""
    tests = "TYPE_CHECKING", "typing.TYPE_CHECKING"
    return isinstance(node, ast.If) and ast.unparse(node.test) in tests


def eager(path: Path) -> ast.Module:
    """Return a file without what it imports late."""
    body = [node for node in tree_of(path).body if not is_late(node)]
    return ast.Module(body, type_ignores=[])


@cache
def eager_imports(name: str) -> set[str]:
    return imports(eager(FILES[name]))


def loaded_with(name: str) -> set[str]:
    """Return the modules that are there after a module has been imported."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [*eager_imports(name), name.rpartition(".")[0]]
    return found


def late_names(path: Path) -> tuple[set[str], set[str]]:
    """Return what a file imports late: as type checkers see it, as it is at run time.

    The modules of a file's own package are no imports.
    """
    shown: set[str] = set()
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if is_late(node):
            for each in node.body:
                assert isinstance(each, ast.ImportFrom)
                shown |= {f"{each.module} {alias.name}" for alias in each.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            "LateNames"
        ):
            homes = ast.literal_eval(node.args[1])
            homes.pop("srcgrad", None)
            found |= {
                f"{home} {name}" for home in homes for name in homes[home].split()
            }
    return shown, found


def inner_imports(path: Path) -> list[int]:
    """Return the lines of imports inside functions."""
    return [
        node.lineno
        for function in ast.walk(tree_of(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def files_that(are: Callable[[str], object]) -> list[str]:
    """Return the names of the files of which something is true."""
    return [name for name in FILES if are(name)]


def test_what_is_imported_late_is_what_type_checkers_see():
    def differ(name: str) -> bool:
        shown, found = late_names(FILES[name])
        return found != shown

    assert files_that(differ) == []


# What is loaded with a module, and no more.
TAPE = {"ground", "rules", "tape", "faces"}
LIGHT = {
    "": TAPE,
    "tracing.decorator": TAPE | {"tracing"},
    "functional.stops": TAPE | {"functional"},
}


@pytest.mark.parametrize("name", LIGHT)
def test_the_compiler_is_imported_late(name):
    loaded = loaded_with(name)
    assert {other for other in loaded if room_of(other) not in LIGHT[name]} == set()
    # The ground that graphs stand on is the compiler's, too.
    assert loaded.isdisjoint({"graph", "steps", "loops", "branches", "parsing"})


def test_every_folder_has_a_rule():
    assert {room_of(name) for name in FILES} == set(MAY_IMPORT)
    assert set(FILES) >= GROUND | FACES


def test_rules_name_lower_rooms_only():
    seen: set[str] = set()
    for room, allowed in MAY_IMPORT.items():
        assert set(allowed.split()) <= seen, f"{room} points up"
        seen.add(room)


def test_the_compiler_never_reaches_the_tape():
    for room in ("ground", "transforms", "emit"):
        reached = {room}
        while (
            new := {r for room in reached for r in MAY_IMPORT[room].split()} - reached
        ):
            reached |= new
        assert not reached & {"tape", "tracing"}


def test_imports_come_from_this_room_or_a_lower_one():
    def points_up(name: str) -> bool:
        room = room_of(name)
        return not set(map(room_of, all_imports()[name])) <= {
            room,
            *MAY_IMPORT[room].split(),
        }

    assert files_that(points_up) == []


def test_imports_inside_a_room_come_from_this_floor_or_a_lower_one():
    def points_up(name: str) -> bool:
        inside = [
            other for other in all_imports()[name] if room_of(other) == room_of(name)
        ]
        return any(floor_of(other) > floor_of(name) for other in inside)

    assert files_that(points_up) == []


@pytest.mark.parametrize("room", INSIDE)
def test_the_floors_of_a_room_are_there(room):
    inner = set(INSIDE[room].split()) - {"."}
    assert {f"{room}.{name}" for name in inner} <= set(FILES)


def test_files_do_not_import_each_other_in_a_circle():
    list(TopologicalSorter(all_imports()).static_order())


def test_imports_stand_at_the_top():
    assert files_that(lambda name: inner_imports(FILES[name])) == []


def test_only_packages_re_export():
    """Other files are imported from for what they define themselves."""
    defined = {name: _defined(path) for name, path in FILES.items()}
    for name, path in FILES.items():
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.ImportFrom) or node.level:
                continue
            package, _, source = str(node.module).partition(".")
            if package != "srcgrad" or FILES[source].name == "__init__.py":
                continue
            for alias in node.names:
                assert alias.name in defined[source], f"{name}: {alias.name}"


def _defined(path: Path) -> set[str]:
    """Return the names that a file binds itself, at its top level."""
    found = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
            found |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
            if isinstance(node, ast.If | ast.Try):
                found |= {
                    n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)
                }
    return found
