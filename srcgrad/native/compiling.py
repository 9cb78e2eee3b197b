"""Kernels compiled by Numba: now, or beside the program by a process of its own.

A kernel is a module in the user's cache folder, under a name that is made of what is in
it; Numba keeps the machine code beside it, by CPU. So the process beside fills the
cache, and the program loads from there.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from srcgrad.late import LateNames
from srcgrad.native.kernel import Kernel

if TYPE_CHECKING:
    from srcgrad.native.machine import key, module_text

_late = LateNames(globals(), {"srcgrad.native.machine": "key module_text"})


@dataclass(frozen=True)
class Entry:
    """A compiled function; ``unchecked`` is for who knows that the dtypes are right."""

    checked: Callable[..., Any]
    unchecked: Callable[..., Any]


# What finds the kernels, what gets them compiled, and what is told why it does not.
Find = Callable[[], Sequence[Kernel]]
Then = Callable[[Sequence[Entry]], None]
Fails = Callable[[str], None]
# Compiling takes a core: one at a time.
AT_ONCE = threading.Lock()


def cache_folder() -> Path:
    """Where kernels are kept: as Numba's own cache, or the user's folder for caches."""
    given = os.environ.get("SRCGRAD_CACHE_DIR")
    root = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache"))
    return root.expanduser() / "srcgrad" / "native"


def written(kernel: Kernel) -> Path:
    """The file of a kernel's module, written if it is not there."""
    _late.load()
    text = module_text(kernel)
    name = hashlib.sha256(f"{key()}\n{text}".encode()).hexdigest()[:32]
    path = cache_folder() / f"kernel_{name}.py"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        draft.write_text(text)
        draft.replace(path)  # whoever reads it has it whole
    return path


def loaded(path: Path) -> Entry:
    """The compiled function of a kernel's module; compiled now, if it is not yet."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where Numba looks for it
    spec.loader.exec_module(module)
    return Entry(module.entry, module.unchecked)


def compiled_now(find: Find, then: Then, fails: Fails) -> None:
    """Compile kernels: ``then`` gets them, or ``fails`` is told why there are none."""
    _compile(find, then, fails, loaded)


def compile_beside(find: Find, then: Then, fails: Fails) -> None:
    """Have another process compile kernels, and ``then`` called from a thread."""

    def run() -> None:
        with AT_ONCE:
            _compile(find, then, fails, _loaded_from_beside)

    threading.Thread(target=run, name="srcgrad native", daemon=True).start()


def _compile(
    find: Find, then: Then, fails: Fails, load: Callable[[Path], Entry]
) -> None:
    kernels = find()
    try:
        compiled = [load(written(kernel)) for kernel in kernels]
    except Exception as error:
        first = str(error).strip().partition("\n")[0]
        fails(f"NumPy: compiling failed: {type(error).__name__}: {first}")
    else:
        then(compiled)


def _loaded_from_beside(path: Path) -> Entry:
    """Let a process of its own compile it, into Numba's cache, and load that."""
    is_python = "python" in Path(sys.executable or "").name.lower()
    if getattr(sys, "frozen", False) or not is_python:  # it is the program itself
        raise RuntimeError("there is no Python to compile with")
    command = [sys.executable, "-m", "srcgrad.native.compiling", str(path)]
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders = [Path(__file__).parents[2], *map(Path, filter(None, given))]
    paths = os.pathsep.join(str(folder.absolute()) for folder in folders)
    environment = {**os.environ, "PYTHONPATH": paths, "SRCGRAD_NATIVE": "0"}
    # Where it runs are kernels alone: `-m` would import the user's files from there.
    child = subprocess.Popen(
        command,
        env=environment,
        cwd=path.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    atexit.register(child.kill)  # it does not outlive the program
    _, said = child.communicate()
    atexit.unregister(child.kill)
    if child.returncode:
        raise RuntimeError(said.strip().rpartition("\n")[2])
    return loaded(path)


if __name__ == "__main__":
    loaded(Path(sys.argv[1]))
