"""Twins of references: for each active array a shadow (reverse mode) or a tangent array (forward mode).

The pass works on the primal. Beside an allocation stands the allocation of its twin, a view of an array has
the same view of the twin, and references that are carried, merged or stacked carry, merge and stack their twins::

    u = alloc(n, dtype=f64, fill='empty')           u = alloc(n, dtype=f64, fill='empty')
    with for_(t, u, v) as (p, q): ...         ->    u_bar = alloc(n, dtype=f64, fill='zeros', shadow=True)
                                                    with for_(t, u, v, u_bar, v_bar) as (p, q, p_bar, q_bar): ...

What follows sees twins as forward values like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.extents import Extents
from srcgrad.differentiate.activity import Activity
from srcgrad.differentiate.turns import Turn, is_filled, is_its_own, turns_of
from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Op, Operand, Value, first_carried, index
from srcgrad.ir.rewrite import Replacement, fresh, rewrite
from srcgrad.ir.types import Array, Scalar, Stack, fits
from srcgrad.primitives.table import Effect, effect, new_builder

Twins = dict[Value, Value]
BAR, DOT = "_bar", "_dot"  # end the names of adjoints and shadows, and of tangents
SHADOW_MARKS = frozenset(("shadow", "recycled"))


def suffixed(value: Operand, suffix: str) -> str:
    """The name of a value's companion; none for that of a temporary."""
    return f"{value.name}{suffix}" if isinstance(value, Value) and value.name else ""


def holds_numbers(operand: Operand) -> bool:
    """Whether it is a stack of scalars, and not of references, whose twins are on another one from the start."""
    return isinstance(operand.type, Stack) and isinstance(operand.type.element, Scalar)


def as_memory(function: Function) -> Function:
    """The shadows of an earlier reversal as memory like any other: its sweep is part of the forward sweep now."""

    def visit(op: Op) -> Replacement | None:
        if op.primitive != "alloc" or SHADOW_MARKS.isdisjoint(op.attributes):
            return None
        return [replace(op, attributes={k: v for k, v in op.attributes.items() if k not in SHADOW_MARKS})], {}

    return rewrite(function, visit)


class TwinPass:
    """Adds twins to a function; ``twins`` maps each active reference to its twin afterwards."""

    def __init__(self, activity: Activity, suffix: str, *, shadow: bool) -> None:
        self.activity = activity
        self.suffix = suffix
        self.shadow = shadow  # shadows start at zero; tangent arrays start as their array does
        self.twins: Twins = {}
        self.builder: Builder = new_builder()
        self.recycled: set[Value] = set()  # arrays whose shadow was that of another one before

    def function(self, function: Function, given: Twins) -> Function:
        """``given`` are twins that come in as parameters; they are appended to the function's own."""
        self.twins.update(given)
        self.extents = Extents(function)
        self.builder.open((*function.parameters, *given.values()))
        for parameter in function.parameters:
            if parameter in self.activity and isinstance(parameter.type, Array) and parameter not in self.twins:
                self.twins[parameter] = self._twin_of_parameter(parameter)
        self._ops(function.body)
        return replace(function, body=self.builder.close(function.body.yields))

    def _name(self, value: Value) -> str:
        return suffixed(value, self.suffix)

    def _twin_of_parameter(self, parameter: Value) -> Value:
        """Memory of its own, in Fortran order where the parameter is."""
        kind = parameter.type
        assert isinstance(kind, Array)
        axes = range(kind.rank)
        extents = [index(1) if k in kind.ones else self.builder("dim", parameter, axis=k) for k in axes]
        ordered = extents if kind.layout != "F" else extents[::-1]
        name = self._name(parameter)
        memory = self._zeros(kind, ordered, name)
        if kind.layout != "F":
            return memory
        return self.builder("transpose", memory, permutation=tuple(reversed(axes)), name=name)

    def _zeros(self, kind: Array, extents: Sequence[Operand], name: str) -> Value:
        marks = {"shadow": True} if self.shadow else {}
        return self.builder("alloc", *extents, dtype=kind.dtype, fill="zeros", name=name, **marks)

    def _active(self, operand: Operand) -> bool:
        return isinstance(operand.type, Array | Stack) and operand in self.activity

    def twin(self, operand: Operand) -> Value:
        assert isinstance(operand, Value)
        return self.twins[operand]

    def _ops(self, block: Block) -> None:
        for op in block.ops:
            self._op(op, block)

    def _op(self, op: Op, block: Block) -> None:
        self.builder.location = op.location
        kind = effect(op.primitive)
        if kind is Effect.CONTROL:
            self._control(op, self._turns(op, block))
            return
        if op.primitive == "alloc" and op.result in self.recycled:
            filled = is_filled(op.result, block, self.extents)
            marks = {} if filled else {"recycled": True}
            self.builder.ops.append(replace(op, attributes={**op.attributes, **marks}))
            return
        self.builder.ops.append(op)
        if kind is Effect.CALL:
            self._call(op)
            return
        if not op.results or not self._active(op.results[0]):
            if op.primitive == "push" and self._active(op.operands[0]) and isinstance(op.operands[1].type, Array):
                self.builder.emit("push", self.twin(op.operands[0]), self.twin(op.operands[1]))
            return
        result = op.result
        name = self._name(result)
        if kind is Effect.ALLOCATE:
            attributes = {**op.attributes, "fill": "zeros", "shadow": True} if self.shadow else op.attributes
            self.twins[result] = Value(result.type, name)
            self.builder.ops.append(replace(op, results=(self.twins[result],), attributes=attributes))
        elif kind is Effect.VIEW:
            self.twins[result] = self._view(op, name)
        elif op.primitive == "stack" and self.shadow and holds_numbers(result):
            self.twins[result] = Value(result.type, name)  # of adjoints: the reverse sweep makes it
        elif op.primitive == "stack":
            self.twins[result] = self.builder("stack", name=name, **op.attributes)
        elif op.primitive == "pop" and isinstance(result.type, Array):
            self.twins[result] = self.builder("pop", self.twin(op.operands[0]), name=name)

    def _call(self, op: Op) -> None:
        """A derived call gives the tangents of its array results; a call with a link gives fresh memory."""
        for result in filter(self._active, op.results):
            if self.shadow and "inert" in op.attributes:
                assert isinstance(result.type, Array)
                extents = [self.builder("dim", result, axis=k) for k in range(result.type.rank)]
                self.twins[result] = self._zeros(result.type, extents, self._name(result))
                continue
            if self.shadow:
                raise UnsupportedError(
                    f"{op.text('callee')} is recursive and returns an array that depends on the inputs.",
                    hint="Let it return scalars, or write the recursion as a loop.",
                )
            self.twins[result] = Value(_twin_type(result), self._name(result))

    def _view(self, op: Op, name: str) -> Value:
        """The same view of the twin, of the view's own type unless the twin's layout is known where its is not."""
        operands = (self.twin(op.operands[0]), *op.operands[1:])
        (kind,) = self.builder.infer(op.primitive, operands, (), op.attributes)
        view = Value(op.result.type if fits(kind, op.result.type) else kind, name)
        self.builder.ops.append(replace(op, operands=operands, results=(view,)))
        return view

    def _turns(self, op: Op, block: Block) -> list[Turn]:
        """The arrays of a loop whose shadows take turns."""
        if not self.shadow or op.primitive == "if":
            return []
        turns = [t for t in turns_of(op, self.extents, self.activity.sites) if self._active(t.fresh)]
        return [t for t in turns if all(is_its_own(op, place, block) for place in t.places)]

    def _control(self, op: Op, turns: Sequence[Turn]) -> None:
        """Carry and merge the twins of every active reference among what the op carries or merges."""
        first = first_carried(op)
        chosen = [k for k, result in enumerate(op.results) if self._active(result)]
        initial: list[Operand] = []
        if op.primitive != "if":
            initial = [self._fit(self.twin(op.operands[first + k]), op.results[k]) for k in chosen]
        spare = [self._spare(turn) for turn in turns]
        blocks = tuple(self._block(block, op, chosen, turns) for block in op.blocks)
        results = tuple(Value(_twin_type(op.results[k]), self._name(op.results[k])) for k in chosen)
        self.twins.update(zip((op.results[k] for k in chosen), results, strict=True))
        operands, all_results = (*op.operands, *initial, *spare), (*op.results, *results, *map(fresh, spare))
        self.builder.ops.append(replace(op, operands=operands, results=all_results, blocks=blocks))

    def _spare(self, turn: Turn) -> Value:
        """The shadow of the first new array, in front of the loop."""
        kind = turn.fresh.type
        assert isinstance(kind, Array)
        self.recycled.add(turn.fresh)
        initial = self.twin(turn.initial)
        extents = [index(1) if k in kind.ones else self.builder("dim", initial, axis=k) for k in range(kind.rank)]
        return self._zeros(kind, extents, self._name(turn.fresh))

    def _block(self, block: Block, op: Op, chosen: Sequence[int], turns: Sequence[Turn]) -> Block:
        parameters: list[Value] = []
        first = first_carried(op)
        if op.primitive != "if":
            for k in chosen:
                own = block.parameters[first + k]
                parameters.append(Value(_twin_type(own), self._name(own)))
                self.twins[own] = parameters[-1]
        spare = [Value(turn.fresh.type, self._name(turn.fresh)) for turn in turns]
        self.twins.update(zip((turn.fresh for turn in turns), spare, strict=True))
        self.builder.open((*block.parameters, *parameters, *spare))
        self._ops(block)
        if op.primitive == "while" and block is op.blocks[0]:  # the test
            return self.builder.close(block.yields)
        yields = [self._fit(self.twin(block.yields[k]), op.results[k]) for k in chosen]
        handed_on = [self.twin(block.parameters[first + turn.places[-1]]) for turn in turns]
        return self.builder.close((*block.yields, *yields, *handed_on))

    def _fit(self, twin: Value, reference: Value) -> Value:
        """The twin as the type that twins of this reference have everywhere."""
        return twin if twin.type == _twin_type(reference) else self.builder("relax", twin, name=twin.name)


def _twin_type(reference: Value) -> Array | Stack:
    """The reference's own type, but the twin of an array of unknown strides may be better laid out: relaxed."""
    kind = reference.type
    assert isinstance(kind, Array | Stack)
    if isinstance(kind, Array) and kind.layout == "A":
        return Array(kind.dtype, kind.rank, "A")
    return kind
