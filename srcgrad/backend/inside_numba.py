"""Calling a derivative from inside njit code: there is no Python layer, so a small wrapper is compiled instead.

The wrapper takes the arguments apart and builds the result. Captured arrays are passed by address, since Numba
would freeze a copy of a global array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import sigutils
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic, typeof_impl
from numba.np.numpy_support import as_dtype

from srcgrad.backend.entry import compile_for, compile_lock
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.boundary.pytree import array_leaf, count_leaves, describe, layout_of, scalar_leaf
from srcgrad.frontend.boundary.structure import Leaf, Static, Structure, Tree
from srcgrad.ir.types import dtype_of


@dataclass(frozen=True)
class FlatCode:
    """Compiled code on leaves: ``run`` is a Numba dispatcher that takes the leaves, then the hidden arrays."""

    run: Any
    result: Structure
    hidden: Sequence[np.ndarray]


class CallableInNumba:
    """Base of objects that njit code may call."""

    def numba_entry(self) -> InsideEntry:
        raise NotImplementedError


@typeof_impl.register(CallableInNumba)  # type: ignore[untyped-decorator]  # Numba's
def _typeof(value: CallableInNumba, context: object) -> Any:
    return types.Dispatcher(value.numba_entry())


class InsideEntry(CPUDispatcher):  # type: ignore[misc]  # Numba has no annotations
    """What type inference asks for a specialisation, with the Numba types of the arguments."""

    def __init__(self, stub: Callable[..., object], specialise: Callable[[tuple[Structure, ...]], FlatCode]) -> None:
        super().__init__(stub, targetoptions={"nopython": True})
        self._specialise = specialise
        self._wrappers: list[Any] = []  # Numba forgets the code of a dispatcher that is collected

    def compile(self, sig: object) -> object:
        arguments, _ = sigutils.normalize_signature(sig)
        with compile_lock:
            if arguments not in self.overloads:
                code = self._specialise(tuple(structure_of(t) for t in arguments))
                wrapper = _Wrapper(arguments).compile(code)
                self._wrappers.append(wrapper)
                compiled = compile_for(wrapper, arguments)
                # Found again by the types asked for and, where Numba replaced literals, by the compiled ones.
                self.overloads[arguments] = self.overloads[tuple(compiled.signature.args)] = compiled
            return self.overloads[arguments].entry_point


def structure_of(type_: Any) -> Structure:
    """The structure of a value of this Numba type."""
    match type_:
        case types.Omitted():
            return describe(type_.value)
        case types.Literal():
            literal = type_.literal_value
            return Static(literal, literal) if isinstance(literal, str) else describe(literal)
        case types.NoneType():
            return Static(None, None)
        case types.Boolean() | types.Integer() | types.Float() | types.Complex():
            dtype = dtype_of(as_dtype(type_))
            assert dtype is not None
            return scalar_leaf(dtype)
        case types.Array() if isinstance(type_.dtype, types.Number | types.Boolean) and type_.aligned:
            dtype = dtype_of(as_dtype(type_.dtype))
            assert dtype is not None
            return array_leaf(dtype, type_.ndim, type_.layout, type_.mutable)
        case types.BaseNamedTuple():
            return Tree(type_.instance_class, tuple(type_.fields), tuple(structure_of(t) for t in type_.types))
        case types.BaseTuple():
            return Tree(tuple, (), tuple(structure_of(t) for t in type_.types))
        case types.Dispatcher():
            return Static(type_.dispatcher, type_.dispatcher)
    raise ArgumentTypeError(
        f"A derivative is called inside njit code with an argument of Numba type {type_}.",
        hint="Inside njit code pass numbers, arrays and tuples of them, None, or literal strings.",
    )


@dataclass
class _Wrapper:
    """The text of the wrapper, and the objects it names."""

    arguments: Sequence[Any]
    names: dict[str, object] = field(default_factory=dict)

    def compile(self, code: FlatCode) -> Any:
        parameters = [f"a{k}" for k in range(len(self.arguments))]
        leaves = [leaf for p, t in zip(parameters, self.arguments, strict=True) for leaf in self.leaves(p, t)]
        leaves += [self.hidden(array) for array in code.hidden]
        count = count_leaves(code.result)
        results = iter(["r"] if count == 1 else [f"r[{k}]" for k in range(count)])
        self.names |= {"run": code.run, "carray": numba.carray, "farray": numba.farray, "pointer": pointer}
        text = f"def wrapper({', '.join(parameters)}):\n    r = run({', '.join(leaves)})\n"
        text += f"    return {self.result(code.result, results)}\n"
        exec(text, self.names)
        return numba.njit(self.names["wrapper"])

    def leaves(self, name: str, type_: Any) -> list[str]:
        """Expressions for the leaves of an argument."""
        if isinstance(type_, types.BaseTuple):
            return [leaf for k, t in enumerate(type_.types) for leaf in self.leaves(f"{name}[{k}]", t)]
        if isinstance(type_, types.Omitted):
            return [self.constant(type_.value)] if isinstance(describe(type_.value), Leaf) else []
        return [name] if isinstance(structure_of(type_), Leaf) else []

    def constant(self, value: object) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def hidden(self, array: np.ndarray) -> str:
        layout = layout_of(array)
        if layout == "A":
            raise UnsupportedError(
                "A derivative called inside njit code reads a global array that is not contiguous.",
                hint="Pass that array as an argument.",
            )
        self.constant(array)  # keeps it alive as long as the code
        view = "carray" if layout == "C" else "farray"
        return f"{view}(pointer({array.ctypes.data}, {self.constant(array.dtype.type)}), {array.shape})"

    def result(self, structure: Structure, leaves: Any) -> str:
        match structure:
            case Leaf():
                return str(next(leaves))
            case Static(value=None):
                return "None"
            case Tree(cls=cls, children=children) if issubclass(cls, tuple):
                items = "".join(f"{self.result(child, leaves)}, " for child in children)
                return f"({items})" if cls is tuple else f"{self.constant(cls)}({items})"
        raise UnsupportedError(
            "A derivative called inside njit code has a result that is neither a number, an array nor a tuple.",
            hint="Inside njit code use tuples in place of dicts, lists and dataclasses.",
        )


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def pointer(typingctx: Any, address: Any, dtype: Any) -> Any:
    """A typed pointer to an address known at compile time."""
    result = types.CPointer(dtype.dtype)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(result))

    return result(types.int64, dtype), build
