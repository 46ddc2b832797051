"""Generated source to a callable: compiled by Numba, or run as the Python that it is."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.backend.cache import digest, keep
from srcgrad.backend.kept_functions import PACKAGES, fingerprint, keep_our_functions
from srcgrad.backend.machine_code import guard_cache
from srcgrad.backend.numba_passes import leave_out_passes
from srcgrad.backend.rewording import reword
from srcgrad.ir.core import Function, defined, walk
from srcgrad.ir.types import Array, Scalar
from srcgrad.settings import Options
from srcgrad.watch import timed


@dataclass(frozen=True)
class Generated:
    """What is needed to load a function, without the IR it came from; it can be kept in a file.

    ``scalars`` has NumPy's name of the dtype of each scalar parameter, and "" for an array; ``recursive`` says whether
    a function of the module calls itself; ``contiguous`` that all arrays of the entry are in C's order.
    """

    text: str
    entry: str
    scalars: tuple[str, ...]
    recursive: bool = False
    contiguous: bool = False


class Compiled:
    """A loaded function: called with the leaves of the arguments, it gives the result, or a tuple of several.

    Attributes
    ----------
    entry : callable
        Numba's dispatcher, or the Python function. It raises with a message that is not yet put together.
    source : str
        The text of the module.
    path : str
        Where tracebacks find it.
    """

    __slots__ = ("_call", "entry", "path", "source")

    def __init__(self, entry: Callable[..., Any], call: Callable[..., Any], source: str, path: str) -> None:
        self.entry = entry
        self.source = source
        self.path = path
        self._call = call

    def __call__(self, *arguments: object) -> Any:
        try:
            return self._call(*arguments)
        except Exception as error:
            reword(error)
            raise


def compile_function(function: Function, options: Options) -> Compiled:
    return load(generate(function, options), options)


def generate(function: Function, options: Options) -> Generated:
    """The text of the module for these options."""
    # Not at the top: loading what was generated before needs none of it.
    from srcgrad.backend.python_source import module_of

    with timed(function.name, "emit"):
        module = module_of(function, vector_math=options.jit and options.vector_math)
    types = [p.type for p in function.parameters]
    scalars = tuple(t.dtype.numpy.name if isinstance(t, Scalar) else "" for t in types)
    ready = options.vector_math and options.reorders
    text = module.text(*decorators(options), ready=ready) if options.jit else module.text()
    return Generated(text, module.entry, scalars, _is_recursive(function), _is_contiguous(function))


def _is_contiguous(function: Function) -> bool:
    values = (*function.parameters, *defined(function.body))
    return all(v.type.layout == "C" for v in values if isinstance(v.type, Array))


def _is_recursive(function: Function) -> bool:
    """Whether one of the functions that it calls leads back to itself."""
    calls = {
        name: {op.text("callee") for op in walk(callee.body) if op.primitive == "call"}
        for name, callee in function.callees.items()
    }

    def leads_back(name: str) -> bool:
        reached: set[str] = set()
        ahead = list(calls[name])
        while ahead:
            following = ahead.pop()
            if following not in reached:
                reached.add(following)
                ahead += calls.get(following, ())
        return name in reached

    return any(map(leads_back, calls))


def load(generated: Generated, options: Options) -> Compiled:
    """Run the module and take its entry, from a file of the cache where that can be."""
    imported = [package for package in PACKAGES if package in generated.text]
    name = f"{generated.entry}_{digest(generated.text, *map(fingerprint, imported))}"
    path = keep(f"{name}.py", generated.text) if options.cache and options.jit else None
    module = _from_file(name, path) if path else _from_text(name, generated.text)
    entry = getattr(module, generated.entry)
    if not options.jit:
        return Compiled(entry, _plain(entry, generated.scalars), generated.text, str(module.__file__))
    leave_out_passes(module, generated.entry if generated.contiguous else None)
    if path and not generated.recursive:  # what Numba reads back of a function that calls itself may crash (0.68.1)
        guard_cache(entry)
    keep_our_functions(module, imported)
    return Compiled(entry, entry, generated.text, str(module.__file__))


def decorators(options: Options) -> tuple[str, str, str]:
    """Numba's flags for the entry, for the functions that only it calls, and for those of them that make threads.

    ``error_model="numpy"``: division by zero gives infinity, as it does in NumPy. Wrappers that nobody needs are
    left out: each costs some hundredths of a second to compile.
    """
    flags = options.fastmath
    fastmath = repr(flags) if isinstance(flags, bool) else "{" + ", ".join(map(repr, sorted(flags))) + "}"
    common = f'@njit(fastmath={fastmath}, error_model="numpy", nogil=True, no_cfunc_wrapper=True'
    inner = f"{common}, no_cpython_wrapper=True"
    return f"{common})\n", f"{inner})\n", f"{inner}, parallel=True)\n"


def _from_file(name: str, path: Path) -> ModuleType:
    """Import the file under a name of its own, so that tracebacks, debuggers and pickle find it."""
    qualified = f"srcgrad_generated_{name}"
    if qualified in sys.modules:
        return sys.modules[qualified]
    spec = spec_from_file_location(qualified, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[qualified] = module
    return module


def _from_text(name: str, text: str) -> ModuleType:
    """Run the text from memory; ``linecache`` shows it to tracebacks and debuggers."""
    path = f"<srcgrad {name}>"
    module = ModuleType(f"srcgrad_text_{name}")
    module.__file__ = path
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), module.__dict__)
    # Numba names the functions of a recursion after their module, which it has to find (0.68.1).
    sys.modules[module.__name__] = module
    return module


def _plain(entry: Callable[..., Any], scalars: tuple[str, ...]) -> Callable[..., Any]:
    """Run with NumPy scalars, so that dtypes and division by zero are NumPy's."""
    kinds = [np.dtype(name).type if name else None for name in scalars]

    def call(*arguments: Any) -> Any:
        given = [a if kind is None else kind(a) for a, kind in zip(arguments, kinds, strict=True)]
        with np.errstate(all="ignore"):
            return entry(*given)

    return call
