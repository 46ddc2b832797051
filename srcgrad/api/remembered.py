"""Artifacts on disk, so that another process need not import the compiler.

An artifact is found by the function's code, the plan, the structures and the options. It is used only if the files
it was made of are unchanged and everything it was specialised for is found to be the same; else it is as if there
were none.
"""

from __future__ import annotations

import base64
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType

from srcgrad import watch
from srcgrad.api.artifact import Artifact
from srcgrad.api.conditions import Formula
from srcgrad.api.plans import Plan, Structures
from srcgrad.api.portable import NotPortable, Route, code_digest, described, follow, route_to, structure_text
from srcgrad.backend import cache as storage
from srcgrad.backend.numba_jit import Generated
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.places import Capture, Captured, key_of
from srcgrad.frontend.boundary.structure import Structure, Tree
from srcgrad.settings import Options

PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Asked:
    """What an artifact is an answer to."""

    function: Callable[..., object]
    plan: Plan
    structures: Structures
    options: Options

    def python(self) -> FunctionType | None:
        """The function, also of a Numba dispatcher; None for a derivative, which has no code of its own."""
        return python_function(self.function)


@dataclass(frozen=True)
class _Place:
    """A capture, and what was found there."""

    name: str
    route: Route
    key: object
    as_array: bool
    found: object

    def capture(self, function: FunctionType, others: list[Capture]) -> Capture:
        """The place in this process; LookupError if it does not hold the same."""
        capture = Capture(self.name, follow(self.route, function, others), self.key, self.as_array)
        if described(capture.read()) != self.found:
            raise LookupError(self.name)
        return capture


@dataclass(frozen=True)
class _Record:
    """An artifact whose captures are places."""

    generated: Generated
    result: Structure
    hidden: tuple[_Place, ...]
    captured: tuple[_Place, ...]
    names: tuple[str, ...]
    written: frozenset[int]
    reads: frozenset[int]
    files: tuple[tuple[str, str], ...]
    conditions: tuple[Formula, ...]
    sizes: tuple[Formula, ...]


def remembered(asked: Asked) -> Artifact | None:
    """The artifact that a process made before, if it is still right."""
    function = asked.python()
    if function is None or not _wanted(asked.options):
        return None
    try:
        text = storage.recall(_name(asked, function))
        if text is None:
            return None
        record = pickle.loads(base64.b64decode(text))
        assert isinstance(record, _Record)
        return _revived(record, function)
    except Exception:  # a damaged file, a class that is gone: whatever it is, compiling anew is right
        return None


def remember(asked: Asked, artifact: Artifact) -> None:
    """Keep an artifact for other processes, if it can be described to them."""
    function = asked.python()
    if function is None or not _wanted(asked.options):
        return
    try:
        record = _recorded(function, artifact, asked.structures)
        text = base64.b64encode(pickle.dumps(record)).decode("ascii")
        name = _name(asked, function)
    except (NotPortable, pickle.PicklingError, AttributeError, TypeError, OSError):
        return
    storage.keep(name, text)


def _wanted(options: Options) -> bool:
    """Someone who watches the compiler wants to see it work."""
    return options.cache and options.jit and not watch.anyone()


def _name(asked: Asked, function: FunctionType) -> str:
    what = repr((asked.plan, asked.options.described()))
    where = f"{function.__code__.co_filename}:{function.__module__}.{function.__qualname__}"
    parts = (_package(), *_extensions(), where, code_digest(function.__code__), what)
    return f"artifact_{storage.digest(*parts, *map(structure_text, asked.structures))}.txt"


def _extensions() -> list[str]:
    """The functions with which users have extended the library; none before it is imported."""
    registry = sys.modules.get("srcgrad.primitives.library")
    rows = vars(registry)["LIBRARY"] if registry else {}
    own = [(f, rule) for f, rule in rows.items() if not rule.__module__.startswith("srcgrad.")]
    return sorted(f"{described(f)} {described(rule)}" for f, rule in own)


@cache
def _package() -> str:
    """Changes with the compiler itself."""
    stamps = sorted((str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in PACKAGE.rglob("*.py"))
    return hashlib.sha256(repr(stamps).encode()).hexdigest()


def _recorded(function: FunctionType, artifact: Artifact, structures: Structures) -> _Record:
    captures = [captured.capture for captured in artifact.captured]
    captured = tuple(_place(capture, function, captures[:k]) for k, capture in enumerate(captures))
    hidden = tuple(_place(capture, function, captures) for capture in artifact.hidden)
    files = artifact.files | set(_homes([*structures, artifact.result], (c.read() for c in captures)))
    digests = tuple(sorted((file, _digest(file)) for file in files if file))
    return _Record(
        artifact.generated,
        artifact.result,
        hidden,
        captured,
        artifact.names,
        artifact.written,
        artifact.reads,
        digests,
        artifact.conditions,
        artifact.sizes,
    )


def _place(capture: Capture, function: FunctionType, others: list[Capture]) -> _Place:
    return _Place(
        capture.name,
        route_to(capture.holder, function, others),
        capture.key,
        capture.as_array,
        described(capture.read()),
    )


def _revived(record: _Record, function: FunctionType) -> Artifact | None:
    if any(_digest(file) != digest for file, digest in record.files):
        return None
    captures: list[Capture] = []
    for place in record.captured:
        captures.append(place.capture(function, captures))
    hidden = tuple(place.capture(function, captures) for place in record.hidden)
    return Artifact(
        record.generated,
        record.result,
        hidden,
        tuple(Captured(capture, key_of(capture.read())) for capture in captures),
        record.names,
        record.written,
        record.reads,
        frozenset(file for file, _ in record.files),
        record.conditions,
        record.sizes,
    )


def _homes(structures: Iterable[Structure], values: Iterable[object]) -> Iterator[str]:
    """The files of the classes among the arguments and constants: methods and class attributes are read there."""
    for value in (*_classes(structures), *values):
        cls = value if isinstance(value, type) else type(value)
        module = sys.modules.get(cls.__module__)
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            yield file


def _classes(structures: Iterable[Structure]) -> Iterator[type]:
    for structure in structures:
        if isinstance(structure, Tree):
            yield structure.cls
            yield from _classes(structure.children)


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
