"""The generated adjoint of a tensor, with the names its leaves have where it is asked for."""

from __future__ import annotations

import sys

from srcgrad.tensors.expression import Writer, expression
from srcgrad.tensors.graph import PACKAGE, Node, operand, values_of
from srcgrad.tensors.structures import gradient_of, load
from srcgrad.tensors.tensor import Tensor


def backward_source(tensor: Tensor, level: str) -> str:
    """The text of the gradient of a number with respect to the leaves it was computed from."""
    if not tensor.requires_grad or tensor.node.form is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    output = tensor.node
    found = expression([output], _leaves(output))
    wrt = len(_leaves(output))
    names = names_in_sight()
    text = Writer(found, wrt, names.get).function(
        lambda name: name(output) if not output.shape else f"np.sum({name(output)})"
    )
    compiled = gradient_of(wrt, False)(load(text))
    values_of(found.inputs)
    source = compiled.backward_source(*map(operand, found.inputs), level=level)
    assert isinstance(source, str)
    return source


def _leaves(output: Node) -> list[Node]:
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = [output]
    while stack:
        node = stack.pop()
        if node in seen or not node.needs_grad:
            continue
        seen.add(node)
        if node.form is None:
            found[node] = None
        stack.extend(reversed(node.inputs))
    return list(found)


def names_in_sight() -> dict[Node, str]:
    """What the tensors are called in the code that asks, those of a module by their place in it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    found: dict[Node, str] = {}
    for name, value in (*frame.f_globals.items(), *frame.f_locals.items()):
        if isinstance(value, Tensor) and not name.startswith("_"):
            found[value.node] = name
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            for inner, parameter in value.named_parameters():
                found.setdefault(parameter.node, f"{name}.{inner}".replace(".", "_"))
    return found
