"""The machine code of our own compiled functions is kept beside the generated modules, wherever the package is.

A module that uses such a function links the code that is found there; to compile it takes longer than many a
gradient. So it is kept whatever the option `cache` says, as Python keeps the bytecode of packages. Files are stamped
with the text of the whole package: its functions call each other.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.dispatcher import Dispatcher

from srcgrad import settings
from srcgrad.backend.cache import versions
from srcgrad.backend.machine_code import guard_cache

# What generated modules import of ours.
VECTOR_MATH, MEMORY, PRODUCTS = "srcgrad.vector_math", "srcgrad.memory", "srcgrad.products"
PACKAGES = (VECTOR_MATH, MEMORY, PRODUCTS)


@cache
def fingerprint(package: str) -> str:
    """The text of one of these packages, in short: generated modules that import it depend on it."""
    hashed = hashlib.sha256(versions().encode())
    for path in sorted((Path(__file__).resolve().parents[1] / package.rpartition(".")[2]).glob("*.py")):
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:32]


def keep_our_functions(module: ModuleType, imported: Sequence[str]) -> None:
    """Let the functions of these packages that a generated module calls keep their machine code."""
    values = [*vars(module).values()]
    if PRODUCTS in imported:
        values += vars(sys.modules[f"{PRODUCTS}.multiply"]).values()
    for value in values:
        if not isinstance(value, Dispatcher) or not value.py_func.__module__.startswith((VECTOR_MATH, PRODUCTS)):
            continue
        if isinstance(getattr(value, "_cache", None), NullCache):
            guard_cache(value, _OurCache)


class _Locator:
    """Where Numba looks for the machine code of a function: asked for by its cache, as duck type."""

    def __init__(self, package: str) -> None:
        self._package = package

    def get_cache_path(self) -> str:
        return str(settings.cache_directory() / self._package.rpartition(".")[2])

    def get_source_stamp(self) -> str:
        return fingerprint(self._package)

    def get_disambiguator(self) -> str:
        return ""

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_function(cls, function: FunctionType, path: str) -> _Locator | None:
        locator = cls(function.__module__.rpartition(".")[0])
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _OurCacheFormat(CompileResultCacheImpl):  # type: ignore[misc]  # Numba has no types
    _locator_classes = (_Locator,)


class _OurCache(FunctionCache):  # type: ignore[misc]  # as above
    _impl_class = _OurCacheFormat
