"""The recorded expression: nodes that know how they are computed, and their value once somebody asked for it.

A node never changes but for its value becoming known. What a tensor is changes, by in-place updates: then the tensor
points to another node, and what was computed from the old one stays right.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.tensors.forms import Form, item
from srcgrad.tensors.modes import modes

if TYPE_CHECKING:
    from srcgrad.tensors.tensor import Tensor

Value = np.ndarray
PACKAGE = str(Path(__file__).resolve().parents[1])


class Node:
    """A value of a program: given, or made by an operation.

    Attributes
    ----------
    form, inputs
        How it is made; None and () for what was given.
    shape, dtype
        Of the value; of an operation with several results those of all, as tuples.
    value
        The array (or the tuple of arrays), None while nobody has asked.
    needs_grad
        A derivative may be asked for.
    owner
        The leaf tensor whose value this is, if it wants a gradient.
    freed
        A backward pass has been through; what the derivative needs is gone.
    hooks
        Called with the gradient of this value.
    retained
        The tensor whose ``.grad`` receives the gradient of this value, though it is no leaf.
    place
        File and line of the operation, noted while anomalies are looked for.
    """

    __slots__ = (
        "__weakref__",
        "dtype",
        "form",
        "freed",
        "holder",
        "hooks",
        "inputs",
        "needs_grad",
        "owner",
        "place",
        "retained",
        "shape",
        "value",
    )

    def __init__(self, form: Form | None, inputs: tuple[Node, ...], shape: tuple[Any, ...], dtype: Any) -> None:
        self.form = form
        self.inputs = inputs
        self.shape = shape
        self.dtype = dtype
        self.value: Value | None = None
        self.needs_grad = False
        self.owner: Tensor | None = None
        self.freed = False
        self.hooks: dict[int, Callable[[Tensor], Tensor | None]] | None = None
        self.retained: Tensor | None = None
        self.holder: weakref.ref[Tensor] | None = None
        self.place: tuple[str, int] | None = None

    def __repr__(self) -> str:
        return f"Node({self.form.name if self.form else 'given'}, {self.dtype}{list(self.shape)})"

    @property
    def held(self) -> bool:
        """Whether a tensor of the user's still stands for it."""
        return self.holder is not None and self.holder() is not None

    @property
    def blocked(self) -> bool:
        """Whether derivatives stop here though operands have some: it was made under ``no_grad``."""
        form = self.form
        if form is None or self.needs_grad or form.discrete or self.value is not None:
            return False
        return any(source.needs_grad for source in self.inputs)


def is_custom(node: Node) -> bool:
    """Whether a node is a result of an `autograd.Function`, which has no text."""
    return bool(node.inputs) and node.inputs[0].form is not None and not node.inputs[0].form.text


def given(value: Value, owner: Tensor | None = None) -> Node:
    """A node for an array; for a leaf that wants a gradient with its tensor."""
    array = np.require(value, requirements=["C", "A"])
    node = Node(None, (), array.shape, array.dtype)
    node.value = array
    node.owner = owner
    node.needs_grad = owner is not None
    return node


class Signature:
    """Shapes and types of results by form and operands, found by running the operation once on dummies."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[tuple[Any, ...], Any]] = {}

    def of(self, form: Form, inputs: tuple[Node, ...]) -> tuple[tuple[Any, ...], Any]:
        key = (form, *[(node.shape, node.dtype) for node in inputs])
        known = self._known.get(key)
        if known is None:
            if len(self._known) > 20_000:
                self._known.clear()
            known = self._known[key] = self._found(form, inputs)
        return known

    def _found(self, form: Form, inputs: tuple[Node, ...]) -> tuple[tuple[Any, ...], Any]:
        try:
            with np.errstate(all="ignore"):
                result = form.run(*map(_dummy, inputs))
        except np.linalg.LinAlgError:  # the dummies are singular, the values need not be
            values_of(inputs)
            result = form.run(*map(operand, inputs))
        if form.parts:
            parts = [np.asarray(part) for part in result]
            return tuple(p.shape for p in parts), tuple(p.dtype for p in parts)
        array = np.asarray(result)
        return array.shape, array.dtype


def _dummy(node: Node) -> object:
    """An array like the node's value that takes no memory: ones, but zeros for what may be an index."""
    if node.form is not None and node.form.parts:
        shapes = zip(node.shape, node.dtype, strict=True)
        return tuple(np.broadcast_to(np.ones((), d), s) for s, d in shapes)
    number = np.ones((), node.dtype) if node.dtype.kind == "f" else np.zeros((), node.dtype)
    return np.broadcast_to(number, node.shape) if node.shape else number[()]


def operand(node: Node) -> object:
    """A known value as it is passed: a number for an array without axes."""
    value = node.value
    if isinstance(value, np.ndarray) and not value.shape:
        return value[()]
    return value


signatures = Signature()


def record(form: Form, *inputs: Node) -> Node:
    """A node for an operation. What needs no gradient, and can be computed, is computed at once."""
    shape, dtype = signatures.of(form, inputs)
    node = Node(form, inputs, shape, dtype)
    wanted = modes.grad and not form.discrete and any(source.needs_grad for source in inputs)
    if wanted and (form.parts or dtype.kind == "f"):
        node.needs_grad = True
        if modes.anomaly:
            node.place = users_line()
            values_of((node,))
        return node
    for source in inputs:  # what waited for a value that has come: chains of such results would grow forever
        if source.value is None and not source.needs_grad and all(i.value is not None for i in source.inputs):
            compute(source)
    if all(source.value is not None for source in inputs):
        compute(node)
    return node


def parts_of(node: Node) -> tuple[Node, ...]:
    """A node for each result of an operation that has several."""
    assert node.form is not None
    return tuple(part_of(node, k) for k in range(node.form.parts))


def part_of(node: Node, k: int) -> Node:
    part = Node(item(k), (node,), node.shape[k], node.dtype[k])
    part.needs_grad = node.needs_grad and part.dtype.kind == "f"
    part.value = None if node.value is None else node.value[k]
    return part


def compute(node: Node) -> None:
    """The value from those of the operands, by NumPy."""
    assert node.form is not None
    with np.errstate(all="ignore"):
        result = node.form.run(*map(operand, node.inputs))
    settle(node, result)


def settle(node: Node, result: object) -> None:
    """Give a node its value."""
    if node.form is not None and node.form.parts:
        assert isinstance(result, tuple)
        node.value = tuple(np.asarray(part) for part in result)  # type: ignore[assignment]  # of several results
    else:
        node.value = np.asarray(result, node.dtype)
    if modes.anomaly and node.form is not None:
        complain_of_nonfinite(node)
    if not node.needs_grad:
        node.inputs = ()  # nobody will ask again


def complain_of_nonfinite(node: Node) -> None:
    """Raise if a value is NaN or infinite and its operands are not."""
    assert node.form is not None
    if node.form.parts or node.value is None or node.dtype.kind != "f" or np.isfinite(node.value).all():
        return
    for source in node.inputs:
        known = isinstance(source.value, np.ndarray) and source.dtype.kind == "f"
        if known and not np.isfinite(source.value).all():  # type: ignore[arg-type]  # an array
            return
    file, line = node.place or users_line()
    what = "nan" if np.isnan(node.value).any() else "inf"
    raise RuntimeError(f"Function '{node.form.name}' returned {what} values in its forward pass.{at_line(file, line)}")


def at_line(file: str, line: int) -> str:
    from srcgrad.errors import excerpt

    return "\n" + excerpt(file, line, None, None)


def users_line() -> tuple[str, int]:
    """File and line outside srcgrad from which it was called."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def values_of(nodes: Iterable[Node]) -> list[Value]:
    """The values of nodes, computed where they are not known yet, operation by operation."""
    wanted = tuple(nodes)
    for node in pending(wanted):
        compute(node)
    return [node.value for node in wanted]  # type: ignore[misc]  # known by now


def pending(nodes: Iterable[Node]) -> Iterator[Node]:
    """What has to be computed for these, operands first."""
    stack = [(node, False) for node in nodes]
    seen: set[Node] = set()
    while stack:
        node, ready = stack.pop()
        if node.value is not None or (node in seen and not ready):
            continue
        if ready:
            yield node
            continue
        seen.add(node)
        stack.append((node, True))
        stack.extend((source, False) for source in node.inputs)
