"""Taking arguments apart and putting results together: a small Python function made for each specialisation.

For ``loss(params, x)`` with ``params = {"w": array, "b": float}`` and its gradient it reads::

    def call(a0, a1):
        r = run(a0['w'], a0['b'], a1)
        return {'w': r[0], 'b': float(r[1])}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.frontend.boundary.generators import memory_of
from srcgrad.frontend.boundary.objects import Record, Records
from srcgrad.frontend.boundary.pytree import NATIVE, build_container, count_leaves
from srcgrad.frontend.boundary.run_time_lists import listed
from srcgrad.frontend.boundary.structure import Choice, Leaf, Maybe, RunTimeList, Static, Structure, Tree
from srcgrad.ir.types import Array


def flattener(arguments: tuple[Structure, ...]) -> Callable[..., Any]:
    """The function from arguments of these structures to the list of their leaves."""
    names = [f"a{k}" for k in range(len(arguments))]
    leaves = [leaf for name, structure in zip(names, arguments, strict=True) for leaf in _leaves(name, structure)]
    names_in_text: dict[str, object] = {"memory_of": memory_of}
    return _made(f"def made({', '.join(names)}):\n    return [{', '.join(leaves)}]\n", names_in_text)


def rebuilder(result: Structure) -> Callable[..., Any]:
    """The function from what flat code returns (nothing, one value, or a tuple) to the result."""
    count = count_leaves(result)
    text = _Text(iter(["r"] if count == 1 else [f"r[{k}]" for k in range(count)]))
    return _made(f"def made(r):\n    return {text.of(result)}\n", text.names)


def _made(source: str, names: dict[str, object]) -> Callable[..., Any]:
    exec(source, names)
    made = names["made"]
    assert callable(made)
    return made


def _leaves(name: str, structure: Structure) -> Iterator[str]:
    if isinstance(structure, Leaf):
        yield name
    if isinstance(structure, Tree):
        for k, child in enumerate(structure.children):
            yield from _leaves(_part(name, structure, k), child)


def _part(name: str, structure: Tree, k: int) -> str:
    if issubclass(structure.cls, np.random.Generator):
        return f"memory_of({name})[{k}]"
    if issubclass(structure.cls, dict | Records | Record):
        return f"{name}[{structure.keys[k]!r}]"
    if issubclass(structure.cls, tuple | list):
        return f"{name}[{k}]"
    return f"{name}.{structure.keys[k]}"


@dataclass
class _Text:
    """The expression that builds a result, and the objects it names."""

    leaves: Iterator[str]
    names: dict[str, object] = field(default_factory=dict)

    def of(self, structure: Structure) -> str:
        match structure:
            case Leaf(type=Array()):
                return next(self.leaves)
            case Leaf(type=type_):
                # Numba hands float32 back as a Python float, plain Python hands float64 back as NumPy's.
                convert = NATIVE.get(type_.dtype, type_.dtype.numpy.type)
                return f"{self.name(convert)}({next(self.leaves)})"
            case Static(value=value):
                return self.name(value)
            case Tree(cls=cls, children=(item,)) if cls is RunTimeList:
                columns = "".join(f"{next(self.leaves)}, " for _ in range(count_leaves(item)))
                return f"{self.name(listed)}({self.name(structure)}, ({columns}))"
            case Tree(cls=cls, keys=keys, children=children):
                items = "".join(f"{self.of(child)}, " for child in children)
                if cls is tuple:
                    return f"({items})"
                return f"{self.name(build_container)}({self.name(cls)}, {keys!r}, ({items}))"
            case Choice() | Maybe():
                raise AssertionError("what depends on the path stays inside a program")

    def name(self, value: object) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name
