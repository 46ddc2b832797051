"""Compiled expressions, found by their structure: plain at first, jitted once they are hot.

``srcgrad.tensor_jit`` is "auto" (jitted from the third use on, or as soon as plain execution would be slow),
"always" or "never".
"""

from __future__ import annotations

import difflib
import linecache
import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import RLock
from types import ModuleType
from typing import Any

from srcgrad.api import grad, jit, value_and_grad
from srcgrad.backend import cache
from srcgrad.tensors.expression import HEAD, Expression, Text
from srcgrad.tensors.forms import Function
from srcgrad.tensors.graph import Node

HOT = 3  # uses
SLOW = 30_000  # operations on numbers, about a tenth of a second in plain Python
LIMIT = 512  # structures kept
CHOICES = ("auto", "always", "never")


class Structure:
    """A text with its compiled forms.

    Parameters
    ----------
    text : Text
    made : function
        The compiled object for a Python function and options: its gradient, or itself.
    work : int
        About how many numbers one use computes.
    """

    def __init__(self, text: Text, made: Callable[..., Any], work: int) -> None:
        self.text = text
        self.function = load(text)
        self._made = made
        self._work = work
        self._uses = 0
        self._plain: Any = None
        self._jitted: Any = None

    def compiled(self) -> Any:
        """What to call, for a use now."""
        choice = tensor_jit()
        self._uses += 1
        if choice == "never" or (choice == "auto" and self._uses < HOT and self._work * self._uses < SLOW):
            if self._plain is None:
                self._plain = self._made(self.function, jit=False)
            return self._plain
        if self._jitted is None:
            self._jitted = self._made(self.function)
        return self._jitted

    @property
    def is_hot(self) -> bool:
        """Whether the next use is jitted."""
        choice = tensor_jit()
        return choice == "always" or (choice == "auto" and self._uses + 1 >= HOT)

    def used(self) -> None:
        """Count a use that went another way."""
        self._uses += 1


class Structures:
    """The structures in use, the last ones used kept."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._by_key: OrderedDict[object, Structure] = OrderedDict()
        self._by_text: dict[object, Structure] = {}
        self._lock = RLock()
        self._warned = False

    def __len__(self) -> int:
        return len(set(self._by_key.values()))

    def find(self, key: object, write: Callable[[], Text], made: Callable[..., Any], work: int) -> Structure:
        """The structure for a key; where that is new, it may still have a known text."""
        with self._lock:
            found = self._by_key.get(key)
            if found is not None:
                self._by_key.move_to_end(key)
                return found
            text = write()
            by_text = (text, made)
            found = self._by_text.get(by_text)
            if found is None:
                found = self._by_text[by_text] = Structure(text, made, work)
            self._by_key[key] = found
            if len(self._by_key) > self.limit:
                self._forget()
            return found

    def clear(self) -> None:
        self._by_key.clear()
        self._by_text.clear()
        self._warned = False

    def _forget(self) -> None:
        """Drop the one that was not used for longest, and say once what varies."""
        newest = next(reversed(self._by_key.values())).text.source
        _, dropped = self._by_key.popitem(last=False)
        if dropped not in self._by_key.values():
            self._by_text = {key: kept for key, kept in self._by_text.items() if kept is not dropped}
        if self._warned:
            return
        self._warned = True
        near = next((s.text.source for s in reversed(list(self._by_key.values())[:-1])), "")
        warnings.warn(
            f"More than {self.limit} different expressions were compiled; each new one takes time, and old ones are "
            f"dropped. {what_varies(near, newest)} Write loops whose length varies as a function under @srcgrad.jit.",
            RuntimeWarning,
            stacklevel=2,
        )


def what_varies(a: str, b: str) -> str:
    """In words, how the texts of two expressions differ."""
    before, after = a.splitlines()[1:], b.splitlines()[1:]
    if len(before) != len(after):
        return f"The last two differ in their number of operations, {len(before) - 1} and {len(after) - 1}."
    lines = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    if not lines:
        return "The last two differ in the shapes or types of their arguments only."
    return f"The last two differ first in: {'; '.join(line[2:].strip() for line in lines[:2])}."


structures = Structures(LIMIT)


def tensor_jit() -> str:
    """``srcgrad.tensor_jit``, checked."""
    chosen = vars(sys.modules["srcgrad"])["tensor_jit"]
    if chosen not in CHOICES:
        raise ValueError(f"srcgrad.tensor_jit is {chosen!r}; the choices are {', '.join(CHOICES)}")
    assert isinstance(chosen, str)
    return chosen


def load(text: Text) -> Function:
    """The Python function with this text; tracebacks and the compiler find its source."""
    source = HEAD + text.source
    name = f"expression_{cache.digest(source)}"
    kept = cache.keep(f"{name}.py", source)
    path = str(kept) if kept else f"<srcgrad {name}>"
    if not kept:
        linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = ModuleType(name)
    vars(module).update(text.functions)
    exec(compile(source, path, "exec"), vars(module))
    function = vars(module)["expression"]
    assert callable(function)
    return function  # type: ignore[no-any-return]  # a function


def gradient_of(wrt: int, several: bool) -> Callable[..., Any]:
    """What makes ``((value, others), gradients)`` of the function, or ``(value, gradients)`` if there are no others."""
    return _makers(value_and_grad, wrt, several)


def only_gradient_of(wrt: int) -> Callable[..., Any]:
    """What makes the gradients alone."""
    return _makers(grad, wrt, False)


MAKERS: dict[tuple[object, int, bool], Callable[..., Any]] = {}


def _makers(transform: Callable[..., Any], wrt: int, several: bool) -> Callable[..., Any]:
    """Always the same object for the same request: it is part of the key."""

    def make(function: Function, **options: bool) -> Any:
        return transform(function, argnums=tuple(range(wrt)), has_aux=several, **options)

    return MAKERS.setdefault((transform, wrt, several), make)


def itself(function: Function, **options: bool) -> Any:
    """The function, compiled."""
    return jit(function, **options)


def work_of(found: Expression) -> int:
    """About how many numbers an expression computes, those within products included."""
    return sum(_work(node) for node in found.ops)


def _work(node: Node) -> int:
    sizes = [_size(source.shape) for source in node.inputs] or [1]
    if node.form is not None and node.form.name in PRODUCTS:
        return max(sizes) * max(1, _size(node.shape) // max(1, min(sizes))) + max(sizes)
    return max(_size(node.shape), *sizes)


PRODUCTS = frozenset({"Mm", "Bmm", "Einsum", "Conv2D", "Conv1D", "Linear", "Gradient"})


def _size(shape: Sequence[Any]) -> int:
    total = 1
    for n in shape:
        total *= n if isinstance(n, int) else _size(n)
    return total
