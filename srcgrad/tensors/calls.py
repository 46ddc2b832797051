"""A function under ``@srcgrad.jit`` (or another transform) called on tensors: one operation, compiled as it is.

Its loops stay loops: it becomes one line of the recorded expression, and the compiler goes through its source when a
gradient is wanted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tensors.forms import form
from srcgrad.tensors.graph import Node, given, operand, parts_of, settle, values_of
from srcgrad.tensors.modes import modes
from srcgrad.tensors.operations.operands import number_node
from srcgrad.tensors.tensor import Tensor, wrap


def call_on_tensors(compiled: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a compiled function, recorded."""
    nodes: list[Node] = []
    spelled = [_spelled(a, nodes) for a in args] + [f"{key}={_spelled(a, nodes)}" for key, a in kwargs.items()]
    text = f"{{f0}}({', '.join(spelled)})"
    name = str(getattr(compiled, "__name__", "Compiled"))
    values_of(nodes)
    with np.errstate(all="ignore"):
        result = form("", text, functions=(compiled,)).run(*map(_read_only, nodes))
    return _recorded(name[:1].upper() + name[1:], text, compiled, nodes, result)


def _read_only(node: Node) -> object:
    """A value that the function cannot write to, as it might to an array of its caller's."""
    value = operand(node)
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _recorded(name: str, text: str, compiled: Any, nodes: list[Node], result: Any) -> Any:
    """The result as tensors. Its shape may depend on values, so it is known from the start."""
    several = isinstance(result, tuple)
    parts = [np.asarray(part) for part in (result if several else (result,))]
    shape: Any = tuple(p.shape for p in parts) if several else parts[0].shape
    dtype: Any = tuple(p.dtype for p in parts) if several else parts[0].dtype
    node = Node(form(name, text, functions=(compiled,), parts=len(parts) if several else 0), tuple(nodes), shape, dtype)
    carries = several or parts[0].dtype.kind == "f"
    node.needs_grad = carries and modes.grad and any(source.needs_grad for source in nodes)
    settle(node, result)
    return tuple(map(wrap, parts_of(node))) if several else wrap(node)


def _spelled(argument: Any, nodes: list[Node]) -> str:
    """An argument as text: a place for what is computed with, itself for what chooses the code."""
    if isinstance(argument, Tensor):
        nodes.append(argument.node)
    elif isinstance(argument, np.ndarray):
        nodes.append(given(np.array(argument)))  # the caller may change it before the gradient is asked for
    elif isinstance(argument, bool) or argument is None or isinstance(argument, str):
        return repr(argument)
    elif isinstance(argument, int | float):
        nodes.append(number_node(argument, np.dtype(np.int64 if isinstance(argument, int) else np.float64)))
    else:
        raise TypeError(f"a compiled function called on tensors takes tensors, arrays and numbers, got {argument!r}")
    return f"{{{len(nodes) - 1}}}"


def _hook(self: Tensor, compiled: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return call_on_tensors(compiled, args, kwargs)


Tensor.__srcgrad_call__ = _hook  # type: ignore[attr-defined]  # what the compiler's objects ask an argument for
