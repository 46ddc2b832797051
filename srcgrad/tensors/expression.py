"""A recorded expression as a Python function in srcgrad's own language.

For ``loss = ((x @ w - y) ** 2).sum()``, differentiated with respect to ``w``, the function reads::

    def expression(w, x, y):
        t0 = np.matmul(x, np.reshape(w, (x.shape[1],)))
        ...
        return t3

Everything that was given is an argument, numbers too, so that the next step of a training loop finds the same text.
Extents are written in terms of the arguments' shapes; that two of them are equal is said by a reshape, so that the
compiler need not allow for one being broadcast to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from srcgrad.tensors.forms import Function
from srcgrad.tensors.graph import Node, is_custom, values_of

HEAD = "import numpy as np\nfrom scipy import special\n\n\n"
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


@dataclass(frozen=True, eq=False)
class Expression:
    """Part of a recorded graph: from inputs through operations to outputs.

    Attributes
    ----------
    inputs : list of Node
        First those with respect to which it is differentiated, then what else it reads.
    ops : list of Node
        In an order in which they can be computed.
    key : tuple
        Equal for expressions with the same text.
    """

    inputs: list[Node]
    ops: list[Node]
    key: tuple[object, ...]


def expression(outputs: Sequence[Node], stops: Sequence[Node], cotangents: Sequence[Node] = ()) -> Expression:
    """The operations between ``stops`` and ``outputs``; ``cotangents`` are further inputs."""
    inputs: list[Node] = [*stops]
    taken: dict[Node, int] = {node: k for k, node in enumerate(stops)}
    ops = _operations(outputs, taken)
    for node in ops:
        for source in node.inputs:
            if source not in taken and _is_input(source):
                taken[source] = len(inputs)
                inputs.append(source)
    for node in (*outputs, *cotangents):
        if node not in taken and (_is_input(node) or node in cotangents):
            taken[node] = len(inputs)
            inputs.append(node)
    number = {node: len(inputs) + k for k, node in enumerate(ops)}
    number.update(taken)
    rows = [(node.form, *[number[source] for source in node.inputs]) for node in ops]
    kinds = [(node.shape, node.dtype) for node in inputs]
    key = (len(stops), *kinds, *rows, *[number[node] for node in (*outputs, *cotangents)])
    return Expression(inputs, ops, key)


def _is_input(node: Node) -> bool:
    """Whether it is taken as it is: given, or computed already and nothing to be differentiated."""
    return node.form is None or (node.value is not None and not node.needs_grad) or is_custom(node)


def _operations(outputs: Sequence[Node], stops: Collection[Node]) -> list[Node]:
    """The operations to be computed, operands first. Where derivatives are blocked, the value is taken."""
    order: list[Node] = []
    seen: set[Node] = set(stops)
    # An output that is a stop too: it is differentiated through, so its operands are wanted.
    stack = [(node, False) for node in reversed(outputs)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
            continue
        if node in seen:
            continue
        seen.add(node)
        if node.blocked:
            values_of((node,))
        if _is_input(node):
            continue
        stack.append((node, True))
        stack.extend((source, False) for source in reversed(node.inputs))
    return order


def refuse_freed(nodes: Sequence[Node]) -> None:
    """Raise if a backward pass has freed what the derivative of one of these needs."""
    for node in nodes:
        if node.freed and node.needs_grad and node.form is not None and node.form.keeps:
            raise RuntimeError(FREED)


@dataclass(frozen=True)
class Text:
    """The source of a function, and the functions it calls by name."""

    source: str
    functions: tuple[tuple[str, Function], ...]


class Writer:
    """Writes an expression as a function. ``called`` may give names to nodes."""

    def __init__(self, found: Expression, wrt: int, called: Callable[[Node], str | None] | None = None) -> None:
        self._expression = found
        self._names: dict[Node, str] = {}
        self._functions: dict[int, tuple[str, Function]] = {}
        self._taken: set[str] = {"np", "special"}
        self._symbols: dict[int, str] = {}
        self._products: dict[int, str] = {}
        for node in found.ops:
            for function in node.form.functions if node.form else ():
                self._name_function(function)
        for k, node in enumerate(found.inputs):
            self._names[node] = self._free((called and called(node)) or (f"x{k}" if k < wrt else f"c{k - wrt}"))
        for k, node in enumerate(found.ops):
            self._names[node] = self._free((called and called(node)) or f"t{k}")

    def function(self, results: Callable[[Callable[[Node], str]], str]) -> Text:
        """The function; ``results`` writes what it returns from the names of nodes."""
        lines = [*self._equal_extents()]
        for node in self._expression.ops:
            assert node.form is not None
            operands = [self._names[source] for source in node.inputs]
            functions = {key: name for key, (name, _) in self._functions.items()}
            lines.append(f"{self._names[node]} = {node.form.write(operands, self._size, functions)}")
        lines.append(f"return {results(self._names.__getitem__)}")
        parameters = ", ".join(self._names[node] for node in self._expression.inputs)
        body = "".join(f"    {line}\n" for line in lines)
        return Text(f"def expression({parameters}):\n{body}", tuple(self._functions.values()))

    def _equal_extents(self) -> Iterator[str]:
        """The lines that say which extents of arguments are equal, and which are 1."""
        for node in self._expression.inputs:
            name = self._names[node]
            if not isinstance(node.shape, tuple) or not node.shape or isinstance(node.shape[0], tuple):
                continue
            known = [n == 1 or n in self._symbols for n in node.shape]
            for axis, n in enumerate(node.shape):
                if n != 1:
                    self._symbols.setdefault(n, f"{name}.shape[{axis}]")
            for axis in range(len(node.shape) - 1):  # as a reshape merges them
                merged = node.shape[axis] * node.shape[axis + 1]
                self._products.setdefault(merged, f"{name}.shape[{axis}] * {name}.shape[{axis + 1}]")
            repeated = len({n for n in node.shape if n != 1}) < sum(n != 1 for n in node.shape)
            if any(known) or repeated:
                sizes = "".join(f"{self._size(n)}, " for n in node.shape).rstrip(" ")
                yield f"{name} = np.reshape({name}, ({sizes if len(node.shape) == 1 else sizes[:-1]}))"

    def _size(self, n: int) -> str:
        if n <= 1:
            return str(n)
        return self._symbols.get(n) or self._products.get(n) or str(n)

    def _name_function(self, function: Function) -> None:
        if id(function) in self._functions:
            return
        name = getattr(function, "__name__", "function")
        name = "gradient" if name == "expression" else name  # of another expression
        self._functions[id(function)] = (self._free(name if name.isidentifier() else "function"), function)

    def _free(self, name: str) -> str:
        if name in self._taken:
            k = 1
            while f"{name}_{k}" in self._taken:
                k += 1
            name = f"{name}_{k}"
        self._taken.add(name)
        return name
