"""What an operation is: a piece of Python text over its operands, in NumPy's words.

The same text runs under NumPy as it is, and is a line of the function that is compiled where a gradient is wanted:

>>> square = form("Square", "np.square({0})")
>>> square.run(np.array([1.0, 2.0]))
array([1., 4.])

Forms are interned: two operations of the same form hold the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import special

Function = Callable[..., Any]
GLOBALS: dict[str, object] = {"np": np, "special": special}


class Form:
    """An operation without its operands.

    Attributes
    ----------
    name : str
        As in PyTorch's ``grad_fn``, ``Mul``.
    text : str
        ``{0}``, ``{1}`` stand for operands, ``{s0}`` for sizes, ``{f0}`` for functions.
    sizes : tuple of int
        Extents, positions and bounds; in the function they are written in terms of the operands' shapes where
        they can be, so that it holds for other sizes too.
    functions : tuple of functions
        What the text calls besides NumPy.
    keeps : bool
        The derivative needs operands or result, which a backward pass frees.
    discrete : bool
        The result has no derivative by its nature: comparisons, positions.
    parts : int
        The number of results, 0 for one that is no tuple.
    under_numpy : tuple of functions
        What stands for ``functions`` under NumPy, where those would be slow.
    """

    def __init__(
        self,
        name: str,
        text: str,
        sizes: tuple[int, ...] = (),
        functions: tuple[Function, ...] = (),
        keeps: bool = True,
        discrete: bool = False,
        parts: int = 0,
        under_numpy: tuple[Function, ...] = (),
    ) -> None:
        self.name = name
        self.text = text
        self.sizes = sizes
        self.functions = functions
        self.keeps = keeps
        self.discrete = discrete
        self.parts = parts
        self.under_numpy = under_numpy or functions

    def __repr__(self) -> str:
        return f"Form({self.name}: {self.text})"

    def write(self, operands: Sequence[str], size: Callable[[int], str], names: Mapping[int, str]) -> str:
        """The text with these operands; ``names`` gives the name of a function by its id."""
        sizes = {f"s{k}": size(n) for k, n in enumerate(self.sizes)}
        functions = {f"f{k}": names[id(f)] for k, f in enumerate(self.functions)}
        return self.text.format(*operands, **sizes, **functions)

    @cached_property
    def run(self) -> Function:
        """The operation under NumPy."""
        names = {id(f): f"f{k}" for k, f in enumerate(self.functions)}
        given = {f"f{k}": f for k, f in enumerate(self.under_numpy)}
        count = 1 + max((k for k in range(self.text.count("{")) if f"{{{k}}}" in self.text), default=-1)
        operands = [f"a{k}" for k in range(count)]
        text = self.write(operands, str, names)
        made: Function = eval(f"lambda {', '.join(operands)}: {text}", {**GLOBALS, **given})
        return made


@lru_cache(maxsize=8192)
def form(
    name: str,
    text: str,
    sizes: tuple[int, ...] = (),
    functions: tuple[Function, ...] = (),
    keeps: bool = True,
    discrete: bool = False,
    parts: int = 0,
    under_numpy: tuple[Function, ...] = (),
) -> Form:
    """The form with these attributes, always the same object; see `Form`."""
    return Form(name, text, sizes, functions, keeps, discrete, parts, under_numpy)


@lru_cache(maxsize=64)
def item(k: int) -> Form:
    """Result ``k`` of an operation that has several."""
    return form("Item", f"{{0}}[{k}]", sizes=(k,), keeps=False)
