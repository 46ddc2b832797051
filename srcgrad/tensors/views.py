"""Tensors that look into others: how a view is read, and how a write to it reaches what it looks into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from srcgrad.annotations.custom import stop_gradient
from srcgrad.tensors.forms import Form, form
from srcgrad.tensors.formulas.stores import replaced
from srcgrad.tensors.graph import Node, record


@dataclass(frozen=True)
class View:
    """``read`` makes the view from its base; ``write`` the new base from the old one and the new view."""

    read: Callable[[Node], Node]
    write: Callable[[Node, Node], Node]
    detaches: bool = False


def reshaping(shape: tuple[int, ...]) -> View:
    """The same elements in the same order."""
    return View(lambda base: reshape(base, shape), lambda base, new: reshape(new, base.shape))


def permuting(order: tuple[int, ...]) -> View:
    inverse = tuple(sorted(range(len(order)), key=order.__getitem__))
    return View(lambda base: permute(base, order), lambda base, new: permute(new, inverse))


def indexing(key: str, sizes: tuple[int, ...], arrays: tuple[Node, ...] = ()) -> View:
    """``key`` is the text between the brackets, with ``{1}`` ... for index arrays."""
    return View(
        lambda base: record(_index_form(key, sizes), base, *arrays),
        lambda base, new: record(_store_form(key, sizes, len(arrays)), base, *arrays, new),
    )


@lru_cache(maxsize=4096)
def _index_form(key: str, sizes: tuple[int, ...]) -> Form:
    return form("Index" if "{1}" in key else "Slice", f"{{0}}[{key}]", sizes, keeps=False)


@lru_cache(maxsize=4096)
def _store_form(key: str, sizes: tuple[int, ...], arrays: int) -> Form:
    spelled = ", ".join(_as_object(part) for part in key.split(", ") if part)
    text = f"{{f0}}({{0}}, ({spelled},), {{{arrays + 1}}})"
    return form("IndexPut" if arrays else "CopySlices", text, sizes, (replaced,), keeps=False)


def _as_object(part: str) -> str:
    """A part of a key where no brackets are: ``a:b:c`` becomes ``slice(a, b, c)``."""
    if part == "...":
        return "Ellipsis"
    if ":" not in part:
        return part
    return f"slice({', '.join(bound or 'None' for bound in part.split(':'))})"


def detaching() -> View:
    """The same values, through which no derivative goes."""
    return View(detached, _refuse_or_take, detaches=True)


def _refuse_or_take(base: Node, new: Node) -> Node:
    if base.needs_grad and base.owner is None:
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: a "
            "detached view of it was written to. Write to a .clone() of the detached tensor."
        )
    if new.needs_grad:
        raise RuntimeError("a value that requires grad is written to a detached tensor. Write to a .clone() of it.")
    return new


def reshape(node: Node, shape: tuple[int, ...]) -> Node:
    if node.shape == shape:
        return node
    sizes = ", ".join(f"{{s{k}}}" for k in range(len(shape)))
    comma = "," if len(shape) == 1 else ""
    return record(form("View", f"np.reshape({{0}}, ({sizes}{comma}))", shape, keeps=False), node)


def permute(node: Node, order: tuple[int, ...]) -> Node:
    if order == tuple(range(len(order))):
        return node
    return record(form("Permute", f"np.transpose({{0}}, {order})", keeps=False), node)


DETACH = form("Detach", "{f0}({0})", functions=(stop_gradient,), keeps=False, discrete=True)


def detached(node: Node) -> Node:
    """The same value without a derivative."""
    return record(DETACH, node) if node.needs_grad else node
