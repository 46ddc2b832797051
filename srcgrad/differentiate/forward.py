"""Forward mode: beside every op that carries a derivative stands the op on its tangents.

Arrays carry their tangents in twin arrays (``shadows.TwinPass``), scalars in twin scalars, which are carried and
merged by control flow as the values are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.grounds import Grounds
from srcgrad.differentiate.activity import carries_derivative, differentiable, find_active
from srcgrad.differentiate.callees import Callees, Pattern
from srcgrad.differentiate.cancelling import Cancelling
from srcgrad.differentiate.live import Live
from srcgrad.differentiate.norms import mark_norms
from srcgrad.differentiate.partials import (
    absorbed,
    add_array,
    convert,
    fill_array,
    guarded_products,
    is_steep,
    is_strong_zero,
    masked,
    partials,
    require_rules,
    scaled,
    towers,
    zeros_like,
)
from srcgrad.differentiate.regular import mark_regular, names_infinity
from srcgrad.differentiate.rules import past_rule, splice_calls, without_jvp
from srcgrad.differentiate.shadows import DOT, TwinPass, suffixed
from srcgrad.frontend.calls.inline import inline_rule
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Rules, Value, defined, first_carried, zero_like
from srcgrad.ir.rewrite import map_functions
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives.routines import ROUTINES, Routine
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect, new_builder

CARRIES = frozenset({"add", "sub", "neg", "mul", "cast"})  # what overflows where an operand does


def forward(function: Function, wrt: Sequence[int]) -> Function:
    """The function of ``(*primals, *tangents of wrt)`` that gives ``(*results, *tangents of floating results)``."""
    callees = Callees(dict(function.callees), "_jvp", _derive)
    pattern = tuple((k, function.parameters[k].type) for k in wrt)
    result = _derive(callees, function, pattern)
    whole = replace(result, callees=callees.all)
    return map_functions(whole, lambda f: splice_calls(f, callees.spliced)) if callees.spliced else whole


def _derive(callees: Callees, function: Function, pattern: Pattern) -> Function:
    function = mark_norms(mark_regular(function))
    tangents = {function.parameters[k]: Value(kind, f"{function.parameters[k].name}{DOT}") for k, kind in pattern}
    grounds = Grounds(function)
    activity = find_active(function, tangents, reverse=False)
    twin_pass = TwinPass(activity, DOT, shadow=False)
    twinned = twin_pass.function(function, {p: t for p, t in tangents.items() if isinstance(p.type, Array)})
    active = {v for v in defined(twinned.body) if isinstance(v.type, Scalar) and v in activity}
    walk = _Forward(active, twin_pass.twins, callees, guarded_products(function), names_infinity(twinned), grounds)
    walk.tangents.update({p: t for p, t in tangents.items() if isinstance(p.type, Scalar)})
    walk.builder.open((*function.parameters, *tangents.values()))
    walk.ops(twinned.body)
    results = [walk.tangent_of_result(x) for x in function.results if differentiable(x)]
    return replace(function, body=walk.builder.close((*function.results, *results)))


class _Forward:
    def __init__(
        self,
        active: set[Value],
        twins: dict[Value, Value],
        callees: Callees,
        guarded: frozenset[Operand],
        names_infinity: bool,
        grounds: Grounds,
    ) -> None:
        self.builder: Builder = new_builder()
        self.cancelling = Cancelling(self.builder)
        self.live = Live(self.builder, grounds)
        self.guarded = guarded
        self.active = active
        self.twins = twins
        self.callees = callees
        self.names_infinity = names_infinity  # where it does, infinite numbers are multiplied and divided
        self.tangents: dict[Value, Operand] = {}
        self.steep: set[Value] = set()  # those whose tangents may be infinite where they are not
        self.towering: set[Value] = set()  # those that overflow where their tangents do: ``1.0 + np.exp(x)``

    def tangent(self, operand: Operand) -> Operand:
        if isinstance(operand, Value) and operand in self.tangents:
            return self.tangents[operand]
        return zero_like(operand)

    def tangent_of_result(self, result: Operand) -> Operand:
        if isinstance(result.type, Scalar):
            return self.tangent(result)
        if result in self.twins:
            assert isinstance(result, Value)
            return self.twins[result]
        assert isinstance(result.type, Array)
        extents = [self.builder("dim", result, axis=k) for k in range(result.type.rank)]
        return self.builder("alloc", *extents, dtype=result.type.dtype, fill="zeros")

    def ops(self, block: Block) -> None:
        for op in block.ops:
            self.builder.location = op.location
            self.op(op)

    def op(self, op: Op) -> None:
        kind = effect(op.primitive)
        if kind is Effect.CONTROL:
            self.control(op)
            return
        if kind is Effect.CALL:
            self.call(op)
            return
        self.builder.ops.append(op)
        self.builder.record(op)
        if op.primitive == "load" and op.operands[0] in self.twins:
            name = suffixed(op.result, DOT)
            self.tangents[op.result] = self.builder("load", self.twin(op.operands[0]), *op.operands[1:], name=name)
        elif kind is Effect.WRITE and op.operands[0] in self.twins:
            self.write(op)
        elif op.primitive == "push" and op.operands[0] in self.twins and isinstance(op.operands[1].type, Scalar):
            self.builder.emit("push", self.twin(op.operands[0]), self.tangent(op.operands[1]))
        elif op.primitive == "pop" and op.operands[0] in self.twins and isinstance(op.result.type, Scalar):
            self.tangents[op.result] = self.builder("pop", self.twin(op.operands[0]), name=suffixed(op.result, DOT))
        elif kind is Effect.PURE and op.result in self.active:
            self.scalar(op)

    def call(self, op: Op) -> None:
        """The callee's derivative in the place of the callee: it gives the results and their tangents."""
        chosen = [(k, x) for k, x in enumerate(op.operands) if x in self.twins or x in self.active]
        if not chosen:
            self.builder.ops.append(op)
            return
        callee = op.text("callee")
        if callee in ROUTINES:
            self.routine(op, ROUTINES[callee])
            return
        rules = self.callees.primals[callee].rules if callee in self.callees.primals else None
        if rules is not None:
            self.by_rule(op, rules)
            return
        pattern = tuple((k, self.twins[x].type if x in self.twins else x.type) for k, x in chosen)
        name = self.callees.derivative(callee, pattern)
        self.derived_call(op, name, [self.twin(x) if x in self.twins else self.tangent(x) for _, x in chosen])

    def derived_call(self, op: Op, name: str, tangents: Sequence[Operand]) -> None:
        """A call that gives the results of ``op`` and their tangents."""
        floating = [r for r in op.results if differentiable(r)]
        dots = tuple(self.twins.get(r) or Value(r.type, suffixed(r, DOT)) for r in floating)
        types = (*(r.type for r in op.results), *(d.type for d in dots))
        operands, results = (*op.operands, *tangents), (*op.results, *dots)
        self.builder.ops.append(Op("call", operands, results, (), {"callee": name, "types": types}, op.location))
        for result, dot in zip(floating, dots, strict=True):
            if isinstance(result.type, Array):
                self.twins[result] = dot
            else:
                self.tangents[result] = dot

    def by_rule(self, op: Op, rules: Rules) -> None:
        """A callee that says what its derivative is; its rule is put in the place of the call afterwards."""
        if any(x in self.twins or x in self.active for k, x in enumerate(op.operands) if k not in rules.wrt):
            raise past_rule(op)
        if not rules.jvp:
            raise without_jvp(op)
        self.callees.spliced.add(rules.jvp)
        operands = [op.operands[k] for k in rules.wrt]
        self.derived_call(op, rules.jvp, [self.given(x) or zeros_like(self.builder, x) for x in operands])

    def given(self, operand: Operand) -> Operand | None:
        """The tangent of a scalar or the tangents of an array, None where there is none."""
        if operand in self.twins:
            return self.twin(operand)
        return self.tangents.get(operand) if isinstance(operand, Value) else None

    def routine(self, op: Op, row: Routine) -> None:
        """The routine, then the tangents of what it fills, by its rule."""
        self.builder.ops.append(op)
        tangents = [self.given(x) for x in op.operands[: row.reads]]
        outs = op.operands[row.outs]
        if row.jvp_into is not None and any(t is not None for t in tangents):
            inline_rule(self.builder, row.jvp_into, (*op.operands, *tangents, *map(self.twin, outs)))
            return
        if row.jvp is None or all(t is None for t in tangents):
            found: list[Operand | None] = [None] * len(outs)
        else:
            found = inline_rule(self.builder, row.jvp, (*op.operands, *tangents))
        for filled, dot in zip(outs, found, strict=True):
            if filled in self.twins and row.adding:
                if dot is not None:
                    add_array(self.builder, self.twin(filled), dot)
            elif filled in self.twins:
                fill_array(self.builder, self.twin(filled), dot)

    def twin(self, reference: Operand) -> Value:
        assert isinstance(reference, Value)
        return self.twins[reference]

    def write(self, op: Op) -> None:
        array, *indices, value = op.operands
        if op.primitive == "store" or value in self.tangents:
            self.builder.emit(op.primitive, self.twin(array), *indices, self.tangent(value))

    def scalar(self, op: Op) -> None:
        if op.primitive == "cast":
            if op.operands[0] in self.tangents:
                self.tangents[op.result] = convert(self.builder, self.tangent(op.operands[0]), op.result.type)
        elif is_strong_zero(op):
            if op.operands[1] in self.tangents:
                self.tangents[op.result] = self.tangent(op.operands[1])
        elif op.primitive == "select":
            condition, *sides = op.operands
            if any(s in self.tangents for s in sides):
                chosen = (self.tangent(s) for s in sides)
                self.tangents[op.result] = self.builder("select", condition, *chosen, name=suffixed(op.result, DOT))
        elif carries_derivative(op) and any(x in self.tangents for x in op.operands):
            self.combine(op)

    def combine(self, op: Op) -> None:
        """The sum of each partial times the tangent of its operand."""
        if towers(op) or (op.primitive in CARRIES and any(x in self.towering for x in op.operands)):
            self.towering.add(op.result)
        if SCALARS[op.primitive].transpose is not None:
            tangents = (self.tangent(x) for x in op.operands)
            self.tangents[op.result] = self.builder(op.primitive, *tangents, name=suffixed(op.result, DOT))
            return
        total: Operand | None = None
        require_rules(op, self.tangents.__contains__)
        found = [(x, p) for x, p in zip(op.operands, partials(self.builder, op), strict=True) if x in self.tangents]
        for operand, partial in found:
            term = self.term(op, operand, partial)
            if term.type != op.result.type:
                term = convert(self.builder, term, op.result.type)
            total = term if total is None else self.builder("add", total, term, name=suffixed(op.result, DOT))
        assert total is not None
        self.tangents[op.result] = total
        self.cancelling.note_steep(op, [(p, self.tangent(x)) for x, p in found], total)
        grows = self.names_infinity and op.primitive in ("mul", "div")
        if grows or is_steep(op) or any(x in self.steep for x in op.operands):
            self.steep.add(op.result)

    def term(self, op: Op, operand: Operand, partial: Operand) -> Operand:
        """A partial times the tangent of its operand."""
        tangent = self.tangent(operand)
        exact = self.cancelling.finite_product(partial, tangent)
        if exact is not None:
            return exact
        term = scaled(self.builder, op, partial, tangent, self.live.tangent(op, tangent))
        if op.result in self.guarded and not isinstance(partial, Const):
            term = masked(self.builder, tangent, term)
        wins = operand in self.steep and not self.live.share_roots(operand, partial)
        is_flat = op.primitive == "div" and operand is op.operands[1] and operand in self.towering
        if wins or is_flat or op.result in self.guarded:
            term = absorbed(self.builder, partial, term)
        self.live.note(term, partial, tangent)
        return term

    def control(self, op: Op) -> None:
        """Carry and merge the tangents of every active scalar among what the op carries or merges."""
        first = first_carried(op)
        chosen = [k for k, result in enumerate(op.results) if result in self.active]
        initial = [self.tangent(op.operands[first + k]) for k in chosen] if op.primitive != "if" else []
        blocks = tuple(self.block(block, op, chosen, first) for block in op.blocks)
        results = tuple(Value(op.results[k].type, suffixed(op.results[k], DOT)) for k in chosen)
        self.tangents.update(zip((op.results[k] for k in chosen), results, strict=True))
        operands, all_results = (*op.operands, *initial), (*op.results, *results)
        self.builder.ops.append(replace(op, operands=operands, results=all_results, blocks=blocks))

    def block(self, block: Block, op: Op, chosen: Sequence[int], first: int) -> Block:
        parameters: list[Value] = []
        if op.primitive != "if":
            for k in chosen:
                own = block.parameters[first + k]
                parameters.append(Value(own.type, suffixed(own, DOT)))
                self.tangents[own] = parameters[-1]
        self.builder.open((*block.parameters, *parameters))
        self.ops(block)
        is_test = op.primitive == "while" and block is op.blocks[0]
        yields = () if is_test else tuple(self.tangent(block.yields[k]) for k in chosen)
        return self.builder.close((*block.yields, *yields))
