"""The object a user holds: called, it compiles for the arguments' types once and runs; and it shows its code.

There are two entries. The native one is Numba's own dispatcher: nothing is looked at in Python. The general one
takes pytrees, constants, captured arrays and whatever else needs a look at the arguments; it costs about 3 µs.
An object starts with the native entry and changes over for good when that declines a call.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Signature
from types import MethodType
from typing import TYPE_CHECKING, Any

from srcgrad.api.plans import Plan, Primal, Structures
from srcgrad.api.specialise import Constant, Specialisations
from srcgrad.backend.entry import NativeEntry, NotNative, NumbaError, boxed_by_numba
from srcgrad.backend.inside_numba import CallableInNumba, FlatCode, InsideEntry
from srcgrad.backend.rewording import reword
from srcgrad.errors import ArgumentTypeError, AtTheCall, Error
from srcgrad.frontend.boundary.callables import innermost
from srcgrad.frontend.boundary.known import ValueNeededError, of_large_products, of_unequal_extents, stretched
from srcgrad.ir.core import Function
from srcgrad.ir.messages import TOO_MUCH
from srcgrad.settings import Options

if TYPE_CHECKING:
    from srcgrad.api.program import Program
    from srcgrad.frontend.lower import Lowered


# What is done to loops that are compiled, by steps that readers are not shown.
FOLLOWING = {
    "run_row_by_row": "does for each row what array statements do for all rows",
    "run_in_threads": "runs independent iterations in threads, in 32 chunks",
    "run_in_lanes": "runs independent iterations side by side, in blocks of 64",
    "run_along_diagonals": "goes through tables along their antidiagonals",
    "carry_elements": "hands elements of arrays on from one iteration to the next as numbers",
    "copy_columns": "looks at rows of a few numbers by columns",
}
FOLLOWS = '# What is compiled {} (see level="compiled").\n'


class Compiled(CallableInNumba):
    """A function that is compiled on first use for each kind of arguments."""

    def __init__(self, function: Callable[..., object], plan: Plan, options: Options) -> None:
        functools.update_wrapper(self, function)
        self._begin(Specialisations(function, plan, options))

    def _begin(self, table: Specialisations) -> None:
        """As if nothing had been called yet."""
        self._table = table
        self._python = innermost(table.function) or innermost  # which never changes
        self._code = self._python.__code__
        self._parameters = self._table.parameters
        self.__signature__ = Signature(self._parameters.rows)
        self._guards: tuple[Constant, ...] = ()
        self._inside = InsideEntry(self._table.bind, self._compile_inside)
        native = table.options.jit and not self._parameters.variadic
        self._native = NativeEntry(self._parameters.positional_stub(), self._compile_natively)
        self._general_entry = self._parameters.binder(self._general)
        self._entry = self._parameters.binder(self._native) if native else self._general_entry

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._python.__code__ is not self._code:
            self._begin(Specialisations(self._table.function, self._table.plan, self._table.options))
        entry = self._entry
        try:
            return entry(*args, **kwargs)
        except MemoryError as error:
            if self._table.options.storage_limit is None or not _is_too_much(error):
                raise
            sparing = self._sparing
            assert isinstance(sparing, Compiled)
            with AtTheCall():
                return sparing(*args, **kwargs)
        except (NotNative, NumbaError):  # Numba's are about types that it cannot name
            if entry is self._general_entry:
                raise
        except Exception as error:
            # What Numba's dispatcher says of an argument [] before it asks us (0.68).
            declined = "cannot compute fingerprint" in str(error)
            started_again = of_unequal_extents(*error.args) or of_large_products(*error.args)
            if not declined and (entry is self._general_entry or not started_again):
                taking_over = _taking_over(args, kwargs) if isinstance(error, ArgumentTypeError) else None
                if taking_over is not None:
                    return taking_over(self, args, kwargs)
                reword(error)
                if isinstance(error, Error):
                    # A refusal is about the user's code: how we got there would only hide where that is.
                    error.__traceback__ = None
                raise
        taking_over = _taking_over(args, kwargs)
        if taking_over is not None:
            return taking_over(self, args, kwargs)
        self._entry = self._general_entry
        with AtTheCall():
            return self(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> object:
        """As a decorated method, a function of the object too."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{self._table.plan.title} of {self._parameters.name}>"

    def _general(self, *arguments: object) -> object:
        """A call with one argument per parameter, whatever they are."""
        code = self._table.find(arguments)
        return code(code.leaves(arguments))

    # -- the native entry and calls from njit code --------------------------------------------------------

    def _compile_natively(self, structures: Structures, arguments: Sequence[object]) -> Any:
        try:
            specialisation = self._table.compile(structures)
            if not specialisation.artifact.is_for_sizes_of(arguments):
                specialisation = specialisation.for_large()
        except ValueNeededError as unknown:  # which the general entry looks at
            raise NotNative from unknown
        artifact = specialisation.artifact
        if artifact.hidden or artifact.written or not boxed_by_numba(artifact.result):
            raise NotNative
        if specialisation.constants:
            self._guards += tuple(specialisation.constants)
            self._entry = self._parameters.binder(self._guarded)
        return specialisation.run.entry

    def _guarded(self, *arguments: object) -> object:
        """The native entry, unless a captured constant has changed."""
        for constant in self._guards:
            if not constant.holds():
                raise NotNative
        return self._native(*arguments)

    def _compile_inside(self, structures: Structures) -> FlatCode:
        specialisation = self._table.compile(stretched(structures))
        return FlatCode(specialisation.run.entry, specialisation.artifact.result, specialisation.hidden())

    def numba_entry(self) -> InsideEntry:
        return self._inside

    # -- looking inside -----------------------------------------------------------------------------------

    @property
    def function(self) -> Callable[..., object]:
        """The user's Python function."""
        return self._table.function

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return self._parameters.names

    def bound(self, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, ...]:
        """The arguments of a call, one per parameter."""
        return self._table.bound(args, kwargs)

    def program(self, structures: Structures) -> Program:
        """What a call with arguments of these structures computes, as IR."""
        return self._table.readable(structures)

    def lowered(self, structures: Structures) -> Lowered:
        """The same as if it had been lowered from source: so the derivative of a derivative is found."""
        program = self.program(structures)
        return replace(program.lowered, function=program.function, result=program.result)

    @functools.cached_property
    def primal(self) -> Compiled:
        """The function itself, compiled; its effects on its arguments are kept."""
        return self._relative("primal", Compiled(self._table.function, Primal(), self._table.options))

    @AtTheCall()
    def primal_source(self, *args: object, level: str = "readable", **kwargs: object) -> str:
        """The generated source of the function itself, for arguments like these."""
        primal = self.primal
        assert isinstance(primal, Compiled)
        return primal.source(*args, level=level, **kwargs)

    @AtTheCall()
    def source(self, *args: object, level: str = "readable", **kwargs: object) -> str:
        """The generated Python source that runs in a call with arguments like these.

        ``level="readable"`` is meant to be read, ``level="compiled"`` is the text that is compiled.
        """
        from srcgrad.backend.python_source import COMPILED, emit

        def text(structures: Structures) -> str:
            if level == COMPILED:
                return emit(self._table.program(structures).function, level, self._table.options.vector_math)
            changing = self._table.following(structures)
            notes = [FOLLOWS.format(FOLLOWING[step]) for step in changing if step in FOLLOWING]
            return "".join(notes) + emit(self.program(structures).function, level)

        return self._table.for_values(self._table.bound(args, kwargs), text)

    @AtTheCall()
    def ir(self, *args: object, after: str = "", **kwargs: object) -> str:
        """The intermediate representation after the named step, or after the last one."""
        from srcgrad.ir.text import to_text
        from srcgrad.watch import watching

        steps: dict[str, Function] = {}
        with watching(steps.__setitem__):
            self._table.for_values(self._table.bound(args, kwargs), self._table.program)
        if after and after not in steps:
            raise ValueError(f"no step is called {after!r}; the steps are {', '.join(steps)}")
        return to_text(steps[after] if after else list(steps.values())[-1])

    def _program(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Program:
        return self._table.for_values(self._table.bound(args, kwargs), self.program)

    @functools.cached_property
    def _sparing(self) -> Compiled:
        """The same with checkpoints in all loops that carry a state."""
        budget = self._table.options.storage_limit
        assert budget is not None
        options = replace(self._table.options, checkpoint=budget)
        return self._relative("_sparing", type(self)(self._table.function, self._table.plan, options))

    # -- pickling -----------------------------------------------------------------------------------------

    def _relative(self, name: str, other: Compiled) -> Compiled:
        """``other`` is found again as the attribute ``name`` of this object."""
        other._home = (self, name)
        return other

    _home: tuple[Compiled, str] | None = None

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self._home is not None:
            return getattr, self._home
        # As a decorator the object took the function's place, which then cannot be found by its name.
        if _named(self._table.function) is self:
            return self._table.function.__qualname__
        return type(self), (self._table.function, self._table.plan, self._table.options)


def _taking_over(args: tuple[object, ...], kwargs: Mapping[str, object]) -> Callable[..., Any] | None:
    """The method of an argument that calls compiled functions in its own way, as ``__array_function__`` of NumPy."""
    for argument in (*args, *kwargs.values()):
        if hasattr(type(argument), "__srcgrad_call__"):
            return MethodType(type(argument).__srcgrad_call__, argument)  # type: ignore[attr-defined]  # just seen
    return None


def _is_too_much(error: MemoryError) -> bool:
    """Whether it says that the reverse sweep would keep more than it may; the numbers may be put in already."""
    return bool(error.args) and str(error.args[0]).startswith(TOO_MUCH.partition("{")[0])


def _named(function: Callable[..., object]) -> object:
    """What is now found under the name of a function."""
    found: object = sys.modules.get(getattr(function, "__module__", ""))
    for name in getattr(function, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found
