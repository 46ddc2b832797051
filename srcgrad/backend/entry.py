"""The native entry: Numba's own dispatcher looks at the arguments' types, in C, and calls the compiled code.

A call with types not seen before comes to ``_compile_for_args``, which has the code compiled from the structures
of the arguments. What Numba's dispatcher cannot do alone (pytrees, captured arrays, results that Numba would box
as something else) it declines with ``NotNative``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError as NumbaError
from numba.core.event import install_timer
from numba.core.registry import CPUDispatcher

from srcgrad import settings
from srcgrad.errors import ArgumentTypeError, InternalError
from srcgrad.frontend.boundary.pytree import NATIVE, describe
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.ir.types import Array
from srcgrad.watch import print_time

# Everything that compiles takes this lock first. Numba holds it while it compiles njit code that calls us, so a
# lock of our own beside it could be taken in the other order by another thread.
compile_lock = global_compiler_lock


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection meanwhile: compiling makes many small objects, and to look through all that Numba holds
    again and again takes a fifth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def timing_numba(name: str) -> Iterator[None]:
    """Print what Numba needs for a function and what that calls, if it is asked for and Numba compiles anything."""
    if not settings.time_steps():
        yield
        return
    with install_timer("numba:compile", lambda seconds: print_time(name, "numba", seconds)):
        yield


class NotNative(Exception):  # noqa: N818  # a signal, never seen by users
    """This call cannot be made by Numba's dispatcher alone; it takes the general entry."""


Specialise = Callable[[tuple[Leaf, ...], tuple[object, ...]], Any]


class NativeEntry(CPUDispatcher):  # type: ignore[misc]  # Numba has no annotations
    """A dispatcher whose specialisations come from elsewhere.

    ``stub`` is a function with the parameters of the user's function; ``specialise`` gives, for the structures
    of the arguments and themselves, a Numba dispatcher on the former, or raises NotNative.
    """

    def __init__(self, stub: Callable[..., object], specialise: Specialise) -> None:
        super().__init__(stub, targetoptions={"nopython": True})
        self._specialise = specialise

    def _compile_for_args(self, *args: object, **kws: object) -> object:
        """Called by Numba's C code; returns what it is to call, now and from now on for these types."""
        self._compilation_chain_init_hook()
        with compile_lock, collection_paused():
            structures = tuple(map(leaf_structure, args))
            types = tuple(numba.typeof(value) for value in args)
            compiled = compile_for(self._specialise(structures, args), types)
            # Not `add_overload`: Numba forgets the code of a dispatcher's overloads when that is collected, and
            # this code belongs to another dispatcher.
            self._insert([t._code for t in types], compiled.entry_point, compiled.objectmode)
            return compiled.entry_point


def leaf_structure(value: object) -> Leaf:
    try:
        structure = describe(value)
    except ArgumentTypeError:  # the general entry knows its name
        raise NotNative from None
    if not isinstance(structure, Leaf):
        raise NotNative
    return structure


def compile_for(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """Numba's compile result for these argument types; a failure of Numba's is a fault of ours."""
    try:
        with timing_numba(dispatcher.py_func.__name__):
            dispatcher.compile(arguments)
    except NumbaError as fault:
        raise fault_of_ours(dispatcher.py_func.__code__.co_filename, fault) from fault
    return dispatcher.overloads[arguments]


def fault_of_ours(file: str, fault: Exception) -> InternalError:
    """The front end has refused what Numba would not take, so whatever Numba refuses is a fault of ours."""
    return InternalError(
        f"srcgrad produced code that Numba cannot compile, in {file}:\n{fault}",
        hint="This is a fault of srcgrad's; please report it with that file. jit=False may serve until then.",
    )


def boxed_by_numba(result: Structure) -> bool:
    """Whether a flat compiled function's return value, as Numba boxes it, is already the result."""
    if isinstance(result, Leaf):
        return isinstance(result.type, Array) or result.type.dtype in NATIVE
    if isinstance(result, Tree):
        flat = result.cls is tuple and len(result.children) > 1
        return flat and all(isinstance(c, Leaf) and boxed_by_numba(c) for c in result.children)
    return False
