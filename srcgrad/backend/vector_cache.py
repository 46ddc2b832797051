"""The machine code of srcgrad.vector_math is kept beside the generated modules, whatever folder the package is in.

A module that uses such a function links the code that is found there; to compile it takes longer than many a
gradient. So it is kept whatever the option `cache` says, as Python keeps the bytecode of packages. Files are stamped
with the text of the whole package: its functions call each other.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import ModuleType

from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.dispatcher import Dispatcher

from srcgrad import settings
from srcgrad.backend.cache import versions
from srcgrad.backend.machine_code import guard_cache

VECTOR_MATH, MEMORY = "srcgrad.vector_math", "srcgrad.memory"  # what generated modules import of ours


@cache
def fingerprint(package: str) -> str:
    """The text of one of these packages, in short: generated modules that import it depend on it."""
    hashed = hashlib.sha256(versions().encode())
    for path in sorted((Path(__file__).resolve().parents[1] / package.rpartition(".")[2]).glob("*.py")):
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:32]


def keep_vector_functions(module: ModuleType) -> None:
    """Let the functions that a generated module imports keep their machine code."""
    for value in vars(module).values():
        if not isinstance(value, Dispatcher) or not value.py_func.__module__.startswith(VECTOR_MATH):
            continue
        if isinstance(getattr(value, "_cache", None), NullCache):
            guard_cache(value, _VectorCache)


class _Locator:
    """Where Numba looks for the machine code of a function: asked for by its cache, as duck type."""

    def get_cache_path(self) -> str:
        return str(settings.cache_directory() / "vector_math")

    def get_source_stamp(self) -> str:
        return fingerprint(VECTOR_MATH)

    def get_disambiguator(self) -> str:
        return ""

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_function(cls, function: object, path: str) -> _Locator | None:
        locator = cls()
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _VectorCacheFormat(CompileResultCacheImpl):  # type: ignore[misc]  # Numba has no types
    _locator_classes = (_Locator,)


class _VectorCache(FunctionCache):  # type: ignore[misc]  # as above
    _impl_class = _VectorCacheFormat
