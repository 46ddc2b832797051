"""Compiled specialisations: found by the structures of the arguments; called by flattening, running, rebuilding."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from srcgrad.api.artifact import Artifact
from srcgrad.api.binding import parameters_of
from srcgrad.api.marshal import flattener, rebuilder
from srcgrad.api.plans import Columns, Plan, Rows, Structures
from srcgrad.api.remembered import Asked, remember, remembered
from srcgrad.backend import numba_jit
from srcgrad.backend.entry import NumbaError, collection_paused, compile_lock, fault_of_ours, timing_numba
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.boundary.callables import as_defined, innermost
from srcgrad.frontend.boundary.known import (
    Path,
    ValueNeededError,
    array_paths,
    exactly,
    fixed,
    large,
    leaf_paths,
    of_large_products,
    of_unequal_extents,
    stretched,
    table_paths,
    value_at,
)
from srcgrad.frontend.boundary.places import Captured
from srcgrad.frontend.boundary.pytree import describe
from srcgrad.ir.types import DTYPES
from srcgrad.settings import Options

if TYPE_CHECKING:
    from srcgrad.api.program import Program

T = TypeVar("T")
Widen = Callable[[Sequence[object]], "Specialisation"]
Other = Callable[[], "Specialisation"]
CHANGED = object()  # like nothing that is found
# Of an array's flags: C and F contiguous, aligned, writeable.
LAYOUT = 0x1 | 0x2 | 0x100 | 0x400
# Of these the type says all.
SCALARS = frozenset({float, bool, complex, types.NoneType, *(d.numpy.type for d in DTYPES.values())})


class Constant:
    """A value taken from outside as a constant, with a short cut for the case that the very same object is there."""

    __slots__ = ("_as_defined", "_captured", "_read", "_seen")

    def __init__(self, captured: Captured) -> None:
        self._captured = captured
        self._read = captured.capture.reader
        found = self._read()
        self._as_defined = as_defined(found if isinstance(found, types.FunctionType) else None)
        # A list or dict may have changed and still be the same object.
        self._seen = found if captured.holds() and not isinstance(found, list | dict | set) else CHANGED

    def holds(self) -> bool:
        """Whether the program is still right."""
        try:
            if self._read() is self._seen and self._as_defined():
                return True
        except (ValueError, LookupError, AttributeError):
            return False
        return self._captured.holds()


class Specialisation:
    """Compiled code for arguments of certain structures and for what the function then found outside itself.

    ``widen`` gives code for leaves of which some extent of 1 meets another (``arrays.broadcasting``); None if this is
    for all of them. ``missed`` says that it was needed. ``for_large`` gives code for large matrices, and ``met_large``
    says that there were some. ``other_half`` is the code of the pullback that belongs to this.
    """

    def __init__(
        self, artifact: Artifact, arguments: Structures, options: Options, widen: Widen | None, for_large: Other
    ) -> None:
        self.artifact = artifact
        self.structures = arguments
        self.run = numba_jit.load(artifact.generated, options)
        self.widen = widen
        self.missed = False
        self.for_large = for_large
        self.met_large = False
        self.other_half: Specialisation | None = None
        self._has_run = False
        self._leaves = flattener(arguments)
        self._rebuild = rebuilder(artifact.result)
        self.constants = [Constant(captured) for captured in artifact.captured]
        self._hidden = [(capture, structure_key(capture.read())) for capture in artifact.hidden]

    def fresh(self) -> bool:
        """Whether the constants taken from outside are the same, and the arrays there of the same kind."""
        if self.constants and not all(constant.holds() for constant in self.constants):
            return False
        return not self._hidden or all(structure_key(capture.read()) == key for capture, key in self._hidden)

    def hidden(self) -> list[np.ndarray]:
        """The arrays the function reads from outside, as they are now."""
        return [array for capture, _ in self._hidden if isinstance(array := capture.read(), np.ndarray)]

    def leaves(self, arguments: Sequence[object]) -> list[object]:
        """The leaves of the arguments, then the hidden arrays; checked for overlap where one is written to."""
        leaves = [*self._leaves(*arguments), *self.hidden()]
        if self.artifact.written:
            refuse_overlap(leaves, self.artifact)
        return leaves

    def __call__(self, leaves: Sequence[object], directions: Sequence[object] = ()) -> object:
        """Run on leaves; ``directions`` are those of tangents or cotangents, which come after the arguments."""
        return self.attempt(leaves, directions)[1]

    def attempt(self, leaves: Sequence[object], directions: Sequence[object] = ()) -> tuple[Specialisation, object]:
        """The same, and which code could do it: this, or a wider one."""
        if self.widen is None or self._has_run or self.artifact.fits(leaves):  # else Numba would compile it in vain
            try:
                return self, self._results(leaves, directions)
            except ValueError as error:
                if of_large_products(*error.args):
                    self.met_large = True
                    return self.for_large().attempt(leaves, directions)
                if self.widen is None or not of_unequal_extents(*error.args):
                    raise
        found = self.widen(leaves).attempt(leaves, directions)
        self.missed = True
        return found

    def _results(self, leaves: Sequence[object], directions: Sequence[object]) -> object:
        if not self._has_run:
            return self._first_run(leaves, directions)
        return self._rebuild(self.run(*leaves, *directions))

    def _first_run(self, leaves: Sequence[object], directions: Sequence[object]) -> object:
        """The run in which Numba compiles."""
        try:
            with collection_paused(), timing_numba(self.run.entry.__name__):
                results = self.run(*leaves, *directions)
        except NumbaError as fault:
            raise fault_of_ours(self.run.path, fault) from fault
        self._has_run = True
        return self._rebuild(results)


class Specialisations:
    """All that was compiled of one plan for one function. Reading takes no lock; compiling takes the global one."""

    def __init__(self, function: Callable[..., object], plan: Plan, options: Options) -> None:
        self.function = function
        self.plan = plan
        self.options = options
        self._begin()

    def _begin(self) -> None:
        self.as_defined = as_defined(innermost(self.function))
        self.parameters = parameters_of(self.function)
        self.bind = self.parameters.binder(_gather)
        self._by_key: dict[object, Specialisation | tuple[Path, ...]] = {}
        # Of arguments of such structures: the leaves whose values have to be known.
        self._needed: dict[Structures, tuple[Path, ...]] = {}
        self._by_structures: dict[Structures, tuple[Specialisation, ...]] = {}

    def bound(self, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, ...]:
        """One argument per parameter."""
        if not self.as_defined():
            self._begin()
        arguments = self.bind(*args, **kwargs)
        assert isinstance(arguments, tuple)
        return arguments

    def find(self, arguments: tuple[object, ...]) -> Specialisation:
        """The code for these arguments, one per parameter."""
        try:
            key = tuple([structure_key(argument) for argument in arguments])
        except ArgumentTypeError:
            try:
                self.structures(arguments)
            except ArgumentTypeError as named:  # the same with the argument's name
                raise named from None
            raise
        found = self._by_key.get(key)
        if isinstance(found, tuple):
            found = self._by_key.get(_with_values(key, found, arguments))
            assert not isinstance(found, tuple)
        if found is None or not found.fresh():
            found = self.for_values(arguments, self.compile)
            if not found.artifact.is_for_sizes_of(found.leaves(arguments)):
                found = found.for_large()
            needed = self._needed_of(self.structures(arguments))
            if needed:
                self._by_key[key] = needed
                self._by_key[_with_values(key, needed, arguments)] = found
            else:
                self._by_key[key] = found
        if found.met_large:
            found = found.for_large()
        if not found.missed or found.widen is None:
            return found
        needed = self._with_ones(self.structures(arguments))
        if needed and self._by_key[key] != needed:
            del self._by_key[key]
            return self.find(arguments)
        return found.widen(found.leaves(arguments))

    def _needed_of(self, described: Structures) -> tuple[Path, ...]:
        """The leaves whose values have to be known; a Jacobian's program, which is long, is made for small extents."""
        if described not in self._needed:
            self._needed[described] = tuple(table_paths(described)) if isinstance(self.plan, Columns | Rows) else ()
        return self._needed[described]

    def _with_ones(self, described: Structures) -> tuple[Path, ...]:
        """Have it known from now on which extents of such arguments are 1."""
        known = self._needed_of(described)
        self._needed[described] = (*known, *(path for path in array_paths(described) if path not in known))
        return self._needed[described]

    def for_values(self, arguments: tuple[object, ...], use: Callable[[Structures], T]) -> T:
        """``use(structures)``, in which those values of the arguments are known that have to be."""
        described = self.structures(arguments)
        while True:
            structures = described
            for path in self._needed_of(described):
                structures = fixed(structures, path, value_at(arguments, path))
            try:
                return use(structures)
            except ValueNeededError as unknown:
                if unknown.leaf is None:
                    raise
                path = leaf_paths(structures)[unknown.leaf]
                self._needed[described] = (*self._needed_of(described), path)

    def structures(self, arguments: tuple[object, ...]) -> Structures:
        names = self.parameters.names
        return tuple(describe(value, f"the argument {name!r}") for name, value in zip(names, arguments, strict=True))

    def compile(self, structures: Structures) -> Specialisation:
        """The code for these structures and for what is captured now."""
        with compile_lock, collection_paused():
            known = self._by_structures.get(structures, ())
            for specialisation in known:
                if specialisation.fresh():
                    return specialisation
            widen = None if stretched(structures) == structures else partial(self._widened, structures)
            for_large = partial(self.compile, large(structures))
            new = Specialisation(self._artifact(structures), structures, self.options, widen, for_large)
            self._by_structures[structures] = (*known, new)
            return new

    def _widened(self, structures: Structures, leaves: Sequence[object]) -> Specialisation:
        """The code for leaves of which it is known what extents are 1; if that is not enough, for all leaves."""
        exact = exactly(structures, leaves)
        self._with_ones(structures)
        return self.compile(stretched(structures) if exact == structures else exact)

    def _artifact(self, structures: Structures) -> Artifact:
        asked = Asked(self.function, self.plan, structures, self.options)
        artifact = remembered(asked)
        if artifact is None:
            artifact = self.program(structures).artifact(self.options)
            remember(asked, artifact)
        return artifact

    def program(self, structures: Structures) -> Program:
        """What is compiled for these structures, as IR."""
        return self._program(structures, self.options)

    def readable(self, structures: Structures) -> Program:
        """As it is shown and differentiated again: without what is done to compiled loops alone."""
        options = replace(self.options, lanes=False, parallel=False)
        return self._program(structures, replace(options, checkpoint="marked") if options.storage_limit else options)

    def following(self, structures: Structures) -> list[str]:
        """The names of the steps that change loops, in what is compiled."""
        from srcgrad.optimize.run_in_lanes import loops
        from srcgrad.watch import watching

        steps: list[tuple[str, object]] = []
        with watching(lambda step, function: steps.append((step, loops(function)))):
            self.program(structures)
        pairs = itertools.pairwise(steps)
        return [step for (_, before), (step, after) in pairs if after != before]

    def _program(self, structures: Structures, options: Options) -> Program:
        # Not at the top: to import the compiler takes longer than to load what it compiled before.
        from srcgrad.api import nested, nested_forward, program, slopes

        assert nested and nested_forward and slopes  # imported to tell the front end how a derivative is called
        return program.build(self.plan, program.Request(self.function, self.parameters, structures, options))


def _with_values(key: object, needed: tuple[Path, ...], arguments: tuple[object, ...]) -> object:
    """The key of arguments of which some values matter."""
    return (key, *(value_at(arguments, path) for path in needed))


def _gather(*arguments: object) -> tuple[object, ...]:
    return arguments


def structure_key(value: object) -> object:
    """Equal only for values of equal structure; cheaper than the structure itself, which it stands for."""
    kind = type(value)
    if kind in SCALARS:
        return kind
    if kind is int and -(2**63) <= value < 2**63:  # type: ignore[operator]  # an int
        return int
    if kind is np.ndarray and value.dtype.names is None:  # type: ignore[attr-defined]  # an array
        return (value.dtype, value.ndim, value.flags.num & LAYOUT)  # type: ignore[attr-defined]  # an array
    if isinstance(value, dict):
        return (kind, tuple(value), *map(structure_key, value.values()))
    if isinstance(value, tuple | list):
        return (kind, *map(structure_key, value))
    return describe(value)


def refuse_overlap(leaves: Sequence[object], artifact: Artifact) -> None:
    """Raise unless the arrays that the function writes to are apart from all others."""
    arrays = [(k, leaf) for k, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)]
    for k, written in arrays:
        if k not in artifact.written:
            continue
        for other, array in arrays:
            if other != k and np.may_share_memory(written, array) and np.shares_memory(written, array):
                names = [artifact.names[p] for p in (k, other)]
                raise ArgumentTypeError(
                    f"The arguments {names[0]!r} and {names[1]!r} overlap in memory, and {names[0]!r} is written to.",
                    hint=f"Pass a copy: {names[1]}.copy().",
                )
