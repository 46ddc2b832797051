"""Cotangents from outputs back to leaves, in as few pieces as possible, each one generated adjoint.

The expression is cut where something has to happen in between: at a hook, at a tensor that retains its gradient or
whose gradient is asked for, at an `autograd.Function`, between the chunks of a long expression, and at every operation
while anomalies are looked for. A cut value gets its level, one more than that of whatever uses it: the pieces are swept
level by level, so that the cotangent of a cut value is complete when its turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.tensors.chunks import chunks
from srcgrad.tensors.expression import Expression, Text, Writer, expression, refuse_freed
from srcgrad.tensors.forms import form
from srcgrad.tensors.graph import Node, at_line, given, is_custom, operand, part_of, settle, values_of
from srcgrad.tensors.modes import modes, set_grad_enabled
from srcgrad.tensors.structures import gradient_of, only_gradient_of, structures, work_of
from srcgrad.tensors.tensor import Tensor, wrap


@dataclass
class Wanted:
    """The gradients asked for: of nodes, and of leaves by their tensor; of all leaves if ``everything``."""

    nodes: Collection[Node] = ()
    owners: Collection[Tensor] = ()
    everything: bool = False

    def __contains__(self, node: Node) -> bool:
        if node.owner is not None:
            return self.everything or any(node.owner is owner for owner in self.owners)
        return node in self.nodes


@dataclass
class Gradients:
    """What a sweep has found."""

    nodes: dict[Node, Tensor] = field(default_factory=dict)
    leaves: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)  # by id of the leaf


class Sweep:
    """One backward pass."""

    def __init__(self, wanted: Wanted, create_graph: bool) -> None:
        self._wanted = wanted
        self._create_graph = create_graph
        self._found = Gradients()
        self._cotangents: dict[Node, Tensor] = {}
        self._needed: set[Node] = set()
        self._levels: dict[Node, int] = {}
        self._chunks: dict[Node, int] = {}
        self._custom: dict[int, list[Node]] = {}

    def run(self, outputs: Sequence[Node], cotangents: Sequence[Tensor | None], retain: bool) -> Gradients:
        """The gradients; a cotangent of None is the 1 of a number."""
        order = self._ordered(outputs)
        for node in outputs:
            self._levels.setdefault(node, 0)
        self._chunks = chunks([node for node in reversed(order) if node.form is not None])
        self._set_levels(order)
        with set_grad_enabled(self._create_graph):
            first = outputs[0]
            implicit = len(outputs) == 1 and cotangents[0] is None and not first.shape and not first.hooks
            for node, cotangent in zip(outputs, cotangents, strict=True):
                self._add(node, wrap(given(np.ones(node.shape, node.dtype))) if cotangent is None else cotangent)
            for level in range(max(self._levels.values()) + 1):
                self._sweep_level(level, implicit and level == 0)
            self._finish_leaves()
        if not retain:
            for node in order:
                node.freed = True
        return self._found

    # -- the order ----------------------------------------------------------------------------------------

    def _ordered(self, outputs: Sequence[Node]) -> list[Node]:
        """The nodes on the way from a wanted one to an output, users before what they use."""
        order: list[Node] = []
        seen: set[Node] = set()
        stack = [(node, False) for node in outputs]
        while stack:
            node, ready = stack.pop()
            if ready:
                if node in self._wanted or any(source in self._needed for source in node.inputs):
                    self._needed.add(node)
                    order.append(node)
                continue
            if node in seen or not node.needs_grad:
                continue
            seen.add(node)
            stack.append((node, True))
            stack.extend((source, False) for source in node.inputs)
        return order[::-1]

    def _set_levels(self, order: Sequence[Node]) -> None:
        for node in order:
            inner = level = self._levels.setdefault(node, 0)
            if node.form is not None and not node.form.text:
                # It waits for the cotangents of all its results; what it returns is swept on from there.
                self._custom.setdefault(level, []).append(node)
                inner += 1
            for source in node.inputs:
                if source in self._needed:
                    least = inner + self._is_cut(node, source)
                    self._levels[source] = max(self._levels.get(source, 0), least)

    def _is_cut(self, user: Node, node: Node) -> bool:
        """Whether the sweep stops between a node and what uses it."""
        if node.form is None or node.form.parts:
            return False
        special = node.hooks or node.retained is not None or node in self._wanted or modes.anomaly
        return bool(special) or is_custom(node) or self._chunks.get(node) != self._chunks.get(user)

    # -- one level ----------------------------------------------------------------------------------------

    def _sweep_level(self, level: int, implicit: bool) -> None:
        ready = [node for node in self._cotangents if self._levels[node] == level]
        outputs: list[Node] = []
        for node in ready:
            self._arrive(node)
            if not is_custom(node) and any(source in self._needed for source in node.inputs):
                outputs.append(node)
        for node in self._custom.get(level, ()):
            self._sweep_custom(node)
        pieces: dict[object, list[Node]] = {}
        for node in outputs:
            pieces.setdefault(node if modes.anomaly else self._chunks.get(node), []).append(node)
        for piece in pieces.values():
            self._sweep_piece(piece, implicit)

    def _arrive(self, node: Node) -> None:
        """The cotangent of a node is complete: hooks may change it, who asked for it gets it."""
        cotangent = self._cotangents[node]
        for hook in list((node.hooks or {}).values()):
            cotangent = changed_by(hook, cotangent)
        self._cotangents[node] = cotangent
        if node.retained is not None:
            node.retained.grad = wrap(cotangent.node)
        if node in self._wanted:
            self._found.nodes[node] = cotangent

    def _finish_leaves(self) -> None:
        for key, (owner, gradient) in self._found.leaves.items():
            for hook in list((owner._hooks or {}).values()):
                gradient = changed_by(hook, gradient)
            self._found.leaves[key] = (owner, gradient)

    def _add(self, node: Node, cotangent: Tensor) -> None:
        if node.owner is not None:
            known = self._found.leaves.get(id(node.owner))
            total = cotangent if known is None else known[1] + cotangent
            if node in self._wanted:
                self._found.leaves[id(node.owner)] = (node.owner, total)
            return
        before = self._cotangents.get(node)
        self._cotangents[node] = cotangent if before is None else before + cotangent

    def _sweep_custom(self, apply: Node) -> None:
        """Through an `autograd.Function`, by its own backward."""
        refuse_freed((apply,))
        assert apply.form is not None and apply.value is not None
        parts: list[Tensor | None] = [None] * len(apply.shape)
        for node, cotangent in self._cotangents.items():
            if is_custom(node) and node.inputs[0] is apply and node.form is not None:
                parts[node.form.sizes[0]] = cotangent
        if all(part is None for part in parts):
            return
        backward: Any = apply.form.functions[0]
        for source, gradient in zip(apply.inputs, backward(parts), strict=True):
            if gradient is not None and source in self._needed:
                self._add(source, gradient)

    def _sweep_piece(self, outputs: list[Node], implicit: bool) -> None:
        """Through the operations from outputs to the next cuts, by one generated adjoint."""
        stops = self._stops(outputs)
        if not stops:
            return
        cotangents = [] if implicit else [self._cotangents[node] for node in outputs]
        piece = Piece(outputs, stops, [c.node for c in cotangents])
        refuse_freed([node for node in piece.expression.ops if node in self._needed])
        gradients = piece.recorded() if self._create_graph else piece.computed()
        for node, gradient in zip(stops, gradients, strict=True):
            if modes.anomaly:
                complain_of(outputs[0], gradient.node)
            self._add(node, gradient)

    def _stops(self, outputs: Sequence[Node]) -> list[Node]:
        stops: dict[Node, None] = {}
        seen: set[Node] = set(outputs)
        stack = [(node, source) for node in reversed(outputs) for source in reversed(node.inputs)]
        while stack:
            user, node = stack.pop()
            if node not in self._needed or node in stops:
                continue
            if node.form is None or self._is_cut(user, node):
                stops[node] = None
            elif node not in seen:
                seen.add(node)
                stack.extend((node, source) for source in reversed(node.inputs))
        return list(stops)


class Piece:
    """Operations between stops and outputs, to be differentiated in one go."""

    def __init__(self, outputs: list[Node], stops: list[Node], cotangents: list[Node]) -> None:
        self._outputs = outputs
        self._stops = stops
        self._cotangents = cotangents
        self.expression: Expression = expression(outputs, stops, cotangents)

    def computed(self) -> list[Tensor]:
        """The gradients at the stops; values that somebody may ask for become known on the way."""
        values = [
            n
            for n in self.expression.ops
            if n.value is None and (n.held or n in self._outputs) and not n.form.parts  # type: ignore[union-attr]
        ]
        if not self._cotangents:
            values = [n for n in values if n is not self._outputs[0]]
        key = ("gradient", self.expression.key, len(self._cotangents), *map(self.expression.ops.index, values))
        made = gradient_of(len(self._stops), bool(values))
        structure = structures.find(key, lambda: self._text(values), made, work_of(self.expression))
        values_of(self.expression.inputs)
        value, gradients = structure.compiled()(*map(operand, self.expression.inputs))
        if values:
            value, others = value
            for node, found in zip(values, others, strict=True):
                settle(node, found)
        if not self._cotangents and self._outputs[0].value is None:
            settle(self._outputs[0], value)
        return [wrap(given(np.asarray(g, n.dtype))) for n, g in zip(self._stops, gradients, strict=True)]

    def recorded(self) -> list[Tensor]:
        """The gradients as operations of their own, which can be differentiated in turn."""
        key = ("recorded", self.expression.key, len(self._cotangents))
        made = only_gradient_of(len(self._stops))
        structure = structures.find(key, lambda: self._text([]), made, work_of(self.expression))
        inputs = tuple(self.expression.inputs)
        operands = ", ".join(f"{{{k}}}" for k in range(len(inputs)))
        compiled = structure.compiled()
        of = form("Gradient", f"{{f0}}({operands})", functions=(compiled,), parts=len(self._stops))
        node = Node(of, inputs, tuple(n.shape for n in self._stops), tuple(n.dtype for n in self._stops))
        node.needs_grad = any(source.needs_grad for source in inputs)
        return [wrap(part_of(node, k)) for k in range(len(self._stops))]

    def _text(self, values: Sequence[Node]) -> Text:
        """The function whose gradient is the product of cotangents and Jacobian; then the values wanted besides."""
        return Writer(self.expression, len(self._stops)).function(lambda name: self._results(name, values))

    def _results(self, name: Callable[[Node], str], values: Sequence[Node]) -> str:
        if not self._cotangents:
            number = name(self._outputs[0])
        else:
            pairs = zip(self._cotangents, self._outputs, strict=True)
            number = " + ".join(f"np.sum({name(c)} * {name(n)})" for c, n in pairs)
        others = "".join(f"{name(n)}, " for n in values)
        return f"{number}, ({others})" if others else number


def changed_by(hook: Callable[[Tensor], Tensor | None], gradient: Tensor) -> Tensor:
    result = hook(gradient)
    return gradient if result is None else result


def complain_of(node: Node, gradient: Node) -> None:
    """Raise if a gradient is NaN or infinite."""
    (value,) = values_of((gradient,))
    if np.isfinite(value).all():
        return
    what = "nan" if np.isnan(value).any() else "inf"
    assert node.form is not None
    where = at_line(*node.place) if node.place else ""
    raise RuntimeError(f"Function '{node.form.name}Backward0' returned {what} values in its 0th output.{where}")
