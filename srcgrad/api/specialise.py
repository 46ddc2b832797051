"""Compiled specialisations: found by the structures of the arguments; called by flattening, running, rebuilding."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.api.binding import parameters_of
from srcgrad.api.program import Plan, Program, Request, Structures
from srcgrad.backend.entry import NumbaError, compile_lock, fault_of_ours
from srcgrad.backend import numba_jit
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.pytree import describe, flatten, function_key, unflatten
from srcgrad.frontend.scope import Capture
from srcgrad.settings import Options

# Of an array's flags: C and F contiguous, aligned, writeable.
LAYOUT = 0x1 | 0x2 | 0x100 | 0x400


@dataclass(frozen=True)
class Specialisation:
    """Compiled code for arguments of certain structures and for what the function then found outside itself."""

    program: Program
    run: numba_jit.Compiled  # leaves of the arguments, then hidden arrays -> flat results
    hidden_keys: tuple[object, ...]

    def fresh(self) -> bool:
        """Whether the constants taken from outside are the same, and the arrays there of the same kind."""
        lowered = self.program.lowered
        return all(unchanged(capture, value) for capture, value in lowered.captured) and all(
            key_of(capture.read()) == key for capture, key in zip(lowered.hidden, self.hidden_keys, strict=True)
        )

    def hidden(self) -> list[np.ndarray]:
        """The arrays the function reads from outside, as they are now."""
        arrays = [capture.read() for capture in self.program.lowered.hidden]
        assert all(isinstance(array, np.ndarray) for array in arrays)
        return arrays

    def __call__(self, arguments: Sequence[object], directions: Sequence[object] = ()) -> object:
        """``directions`` are the leaves of tangents or cotangents, which come after the arguments."""
        leaves = [*flatten(tuple(arguments)), *self.hidden()]
        if self.program.overlap_matters:
            refuse_overlap(leaves, self.program)
        return self.run_on(leaves, directions)

    def run_on(self, leaves: Sequence[object], directions: Sequence[object] = ()) -> object:
        """Run on the leaves of the arguments and the hidden arrays."""
        try:
            results = self.run(*leaves, *directions)
        except NumbaError as fault:
            raise fault_of_ours(self.run.path, fault) from fault
        return self.rebuild(results)

    def rebuild(self, results: Any) -> object:
        """The user's result from what the flat function returned: nothing, one value, or a tuple."""
        flat = results if isinstance(results, tuple) else (() if results is None else (results,))
        return unflatten(self.program.result, flat)


class Specialisations:
    """All that was compiled of one plan for one function. Reading takes no lock; compiling takes the global one."""

    def __init__(self, function: Callable[..., object], plan: Plan, options: Options) -> None:
        self.function = function
        self.plan = plan
        self.options = options
        self.parameters = parameters_of(function)
        self.bind = self.parameters.binder(_gather)
        self._by_key: dict[object, Specialisation] = {}
        self._by_structures: dict[Structures, tuple[Specialisation, ...]] = {}

    def bound(self, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, ...]:
        """One argument per parameter."""
        arguments = self.bind(*args, **kwargs)
        assert isinstance(arguments, tuple)
        return arguments

    def find(self, arguments: tuple[object, ...]) -> Specialisation:
        """The code for these arguments, one per parameter."""
        key = tuple(map(key_of, arguments))
        found = self._by_key.get(key)
        if found is None or not found.fresh():
            found = self._by_key[key] = self.compile(self.structures(arguments))
        return found

    def structures(self, arguments: tuple[object, ...]) -> Structures:
        names = self.parameters.names
        return tuple(describe(value, f"the argument {name!r}") for name, value in zip(names, arguments, strict=True))

    def compile(self, structures: Structures) -> Specialisation:
        """The code for these structures and for what is captured now."""
        with compile_lock:
            known = self._by_structures.get(structures, ())
            for specialisation in known:
                if specialisation.fresh():
                    return specialisation
            program = self.program(structures)
            run = numba_jit.compile_function(program.function, self.options)
            new = Specialisation(program, run, tuple(key_of(c.read()) for c in program.lowered.hidden))
            self._by_structures[structures] = (*known, new)
            return new

    def program(self, structures: Structures) -> Program:
        return self.plan.program(Request(self.function, self.parameters, structures, self.options))


def _gather(*arguments: object) -> tuple[object, ...]:
    return arguments


def key_of(value: object) -> object:
    """Equal only for values of equal structure; cheaper than the structure itself, which it stands for."""
    kind = type(value)
    if kind is np.ndarray:
        assert isinstance(value, np.ndarray)
        return (value.dtype, value.ndim, value.flags.num & LAYOUT)
    if kind in (float, int, bool, complex, types.NoneType) or isinstance(value, np.number | np.bool_):
        return kind
    if isinstance(value, dict):
        return (kind, tuple(value), tuple(map(key_of, value.values())))
    if isinstance(value, tuple | list):
        return (kind, tuple(map(key_of, value)))
    return describe(value)


def unchanged(capture: Capture, value: object) -> bool:
    """Whether a captured constant still has the value it was compiled with."""
    now = capture.read()
    if now is value:
        return True
    if type(now) is not type(value):
        return False
    if isinstance(now, bool | int | float | complex | str | np.generic):
        return repr(now) == repr(value)  # tells 0.0 from -0.0, and NaN is like itself
    return callable(now) and function_key(now) == function_key(value)


def refuse_overlap(leaves: Sequence[object], program: Program) -> None:
    """Raise unless the arrays that the function writes to are apart from all others."""
    arrays = [(k, leaf) for k, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)]
    for k, written in arrays:
        if k not in program.written:
            continue
        for other, array in arrays:
            if other != k and np.may_share_memory(written, array) and np.shares_memory(written, array):
                names = [program.lowered.function.parameters[p].name for p in (k, other)]
                raise ArgumentTypeError(
                    f"The arguments {names[0]!r} and {names[1]!r} overlap in memory, and {names[0]!r} is written to.",
                    hint=f"Pass a copy: {names[1]}.copy().",
                )
