"""Values on demand: operation by operation under NumPy at first, compiled in one piece once an expression is hot."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import Error
from srcgrad.tensors.chunks import LIMIT
from srcgrad.tensors.expression import Text, Writer, expression
from srcgrad.tensors.graph import Node, Value, operand, pending, settle, values_of
from srcgrad.tensors.modes import modes
from srcgrad.tensors.structures import itself, structures, work_of

FEW = 3  # operations that are not worth compiling


def value_of(node: Node) -> Value:
    """The value of a node, which is then known."""
    if node.value is None:
        _compute(node)
    assert node.value is not None
    return node.value


def _compute(node: Node) -> None:
    todo = list(pending((node,)))
    if (
        not FEW < len(todo) <= LIMIT
        or modes.anomaly
        or not node.needs_grad
        or not all(n.form and n.form.text for n in todo)
    ):
        values_of((node,))
        return
    inside = set(todo)
    stops = list(dict.fromkeys(source for n in todo for source in n.inputs if source not in inside))
    results = [node, *(n for n in todo if n is not node and n.held and not n.form.parts)]  # type: ignore[union-attr]
    found = expression(results, stops)

    def write() -> Text:
        writer = Writer(found, len(stops))
        return writer.function(lambda name: f"({''.join(f'{name(n)}, ' for n in results)})")

    structure = structures.find(("values", found.key), write, itself, work_of(found))
    if not structure.is_hot:
        structure.used()
        values_of((node,))
        return
    try:
        values: Sequence[object] = structure.compiled()(*map(operand, found.inputs))
    except Error:  # NumPy knows more than the compiler; what is refused is differentiation
        values_of((node,))
        return
    for n, value in zip(results, values, strict=True):
        settle(n, value)
