"""Memory: allocation, loads and stores, views, extents and stacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from srcgrad.ir.core import Block, Const, Operand
from srcgrad.ir.types import INDEX, Array, DType, Scalar, Stack, Type
from srcgrad.primitives.table import Attributes, Effect, Operands, Primitive, register


def array_of(operand: Operand) -> Array:
    assert isinstance(operand.type, Array), f"expected an array, got {operand.type!r}"
    return operand.type


def _indices(array: Array, indices: Operands) -> None:
    assert len(indices) == array.rank, f"{len(indices)} indices for rank {array.rank}"
    assert all(i.type == INDEX for i in indices), "indices are i64"


def _ones(extents: Operands) -> frozenset[int]:
    return frozenset(k for k, n in enumerate(extents) if isinstance(n, Const) and n.value == 1)


def _alloc(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    dtype = attributes["dtype"]
    assert isinstance(dtype, DType) and attributes["fill"] in ("empty", "zeros")
    assert all(n.type == INDEX for n in operands)
    return (Array(dtype, len(operands), "C", _ones(operands)),)


def _load(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    array = array_of(operands[0])
    _indices(array, operands[1:])
    return (Scalar(array.dtype),)


def _store(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    array = array_of(operands[0])
    _indices(array, operands[1:-1])
    assert operands[-1].type == Scalar(array.dtype), f"store of {operands[-1].type!r} into {array!r}"
    return ()


def _dim(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    axis = attributes["axis"]
    assert isinstance(axis, int) and 0 <= axis < array_of(operands[0]).rank
    return (INDEX,)


def slice_parts(axes: str, operands: Operands) -> Iterator[tuple[str, tuple[Operand, ...]]]:
    """For each axis of the source of a ``slice`` its letter, and those of the operands behind the source it takes."""
    position = 0
    for letter in axes:
        count = {":": 0, "i": 1, "s": 3}[letter]
        yield letter, tuple(operands[position : position + count])
        position += count
    assert position == len(operands)


def _slice(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """``axes`` has a letter per axis of the source: ``:`` keeps it, ``i`` takes one index, ``s`` start, count, step."""
    source, axes = array_of(operands[0]), attributes["axes"]
    assert isinstance(axes, str) and len(axes) == source.rank
    ones: set[int] = set()
    rank = 0
    runs = ""  # the letters; `r` for a slice with a step known to be 1
    for axis, (letter, taken) in enumerate(slice_parts(axes, operands[1:])):
        assert all(x.type == INDEX for x in taken)
        runs += "r" if letter == "s" and _ones(taken[2:]) else letter
        if letter == "i":
            continue
        if (letter == ":" and axis in source.ones) or (letter == "s" and _ones(taken[1:2])):
            ones.add(rank)
        rank += 1
    return (Array(source.dtype, rank, _sliced_layout(source.layout, runs), frozenset(ones)),)


def _sliced_layout(layout: str, axes: str) -> str:
    """C stays C when indices come first, then perhaps a run of neighbours, then whole axes; F mirrors the indices."""
    if layout == "C":
        inner = axes.lstrip("i")
        return "C" if set(inner[1:]) <= {":"} and inner[:1] in ("", ":", "r") else "A"
    return "F" if layout == "F" and set(axes[::-1].lstrip("i")) <= {":"} else "A"


def _transpose(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """Axis k of the result is axis ``permutation[k]`` of the source."""
    source, permutation = array_of(operands[0]), attributes["permutation"]
    assert isinstance(permutation, tuple) and sorted(permutation) == list(range(source.rank))  # type: ignore[type-var]  # ints
    ones = frozenset(k for k, axis in enumerate(permutation) if axis in source.ones)
    if permutation == tuple(range(source.rank)):
        layout = source.layout
    elif permutation == tuple(reversed(range(source.rank))):
        layout = {"C": "F", "F": "C", "A": "A"}[source.layout]
    else:
        layout = "A"
    return (Array(source.dtype, source.rank, layout, ones),)


def _reshape(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """A view of C-contiguous memory under another shape of the same size."""
    source = array_of(operands[0])
    assert source.layout == "C" and all(n.type == INDEX for n in operands[1:])
    return (Array(source.dtype, len(operands) - 1, "C", _ones(operands[1:])),)


def _expand(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """New axes of extent 1 at the positions ``axes`` of the result."""
    source, axes = array_of(operands[0]), attributes["axes"]
    assert isinstance(axes, tuple)
    rank = source.rank + len(axes)
    old = iter(range(source.rank))
    origin = {k: next(old) for k in range(rank) if k not in axes}
    ones = {k for k in range(rank) if k in axes or origin[k] in source.ones}
    return (Array(source.dtype, rank, source.layout, frozenset(ones)),)


def _relax(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """The same reference with less known of it: any layout, no extent known to be 1. Merges of references need it."""
    source = array_of(operands[0])
    return (Array(source.dtype, source.rank, "A"),)


def _new_stack(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    element = attributes["element"]
    assert isinstance(element, tuple) and isinstance(element[0], Scalar | Array)
    return (Stack(element[0]),)


def _push(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    stack, value = operands
    assert isinstance(stack.type, Stack) and stack.type.element == value.type
    return ()


def _pop(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    (stack,) = operands
    assert isinstance(stack.type, Stack)
    return (stack.type.element,)


for _row in (
    Primitive("alloc", Effect.ALLOCATE, _alloc),
    Primitive("load", Effect.READ, _load),
    Primitive("store", Effect.WRITE, _store),
    Primitive("accumulate", Effect.WRITE, _store),
    Primitive("dim", Effect.PURE, _dim),
    Primitive("slice", Effect.VIEW, _slice),
    Primitive("transpose", Effect.VIEW, _transpose),
    Primitive("reshape", Effect.VIEW, _reshape),
    Primitive("expand", Effect.VIEW, _expand),
    Primitive("relax", Effect.VIEW, _relax),
    Primitive("stack", Effect.STACK, _new_stack),
    Primitive("push", Effect.STACK, _push),
    Primitive("pop", Effect.STACK, _pop),
):
    register(_row)
