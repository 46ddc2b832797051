"""Calls that come with a rule, prepared for reversal: the forward sweep of the rule in place, and a ``link``.

::

    y: f64[:] = call(x, callee='f', types=...)    ->    y, r = ... the body of f's `forward`, inert ...
                                                        link(y, x, r, outs=1, ins=1, rule='f_backward')

*Inert* ops are not differentiated. ``link(*outs, *ins, *residuals)`` does nothing at run time, and says that ``outs``
depend on ``ins`` by the rule, which needs the ``residuals``; scalars among the outs go on as its results. A routine
stays the call that it is, inert, and is linked to what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from srcgrad.analysis.effects import Effects, Touch
from srcgrad.differentiate.activity import Activity, differentiable
from srcgrad.differentiate.checkpoints.memory import copied, plain
from srcgrad.errors import UnsupportedError
from srcgrad.ir.core import Attribute, Block, Function, Op, Operand, Rules, Value, walk
from srcgrad.ir.rewrite import Environment, Replacement, copy_block, fresh, renamed, rewrite, substitute_op
from srcgrad.ir.types import Array
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import new_builder

# The rule for reverse mode of a callee by the rule it has for forward mode: the key of its `backward`.
Transpose = Callable[[str], str]


def link_rules(function: Function, activity: Activity, transpose: Transpose) -> Function:
    """Every active call that comes with a rule, so prepared."""
    return replace(function, body=Linker(function, activity, transpose).block(function.body))


def has_rules(function: Function) -> bool:
    return any(op.primitive == "call" and is_ruled(op, function.callees) for op in walk(function.body))


def is_ruled(op: Op, callees: Mapping[str, Function]) -> bool:
    callee = op.text("callee")
    return callee in ROUTINES or (callee in callees and callees[callee].rules is not None)


def runs_itself(rules: Rules) -> bool:
    """Whether the function itself is the forward sweep of its rule."""
    return bool(rules.backward) and not rules.forward


class Linker:
    def __init__(self, function: Function, activity: Activity, transpose: Transpose) -> None:
        self.function = function
        self.activity = activity
        self.transpose = transpose
        self.effects = Effects(function)
        self.names: Environment = {}  # what results of calls are called from now on

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            if op.primitive == "call" and is_ruled(op, self.function.callees) and self._is_active(op):
                ops.extend(self.routine(op) if op.text("callee") in ROUTINES else self.call(op))
                continue
            blocks = tuple(self.block(b) for b in op.blocks)
            ops.append(substitute_op(replace(op, blocks=blocks) if blocks else op, self.names))
        return Block(block.parameters, tuple(ops), tuple(renamed(y, self.names) for y in block.yields))

    def _is_active(self, op: Op) -> bool:
        routine = ROUTINES.get(op.text("callee"))
        outs = op.results if routine is None else op.operands[routine.outs]
        return any(x in self.activity for x in outs)

    def routine(self, op: Op) -> list[Op]:
        row = ROUTINES[op.text("callee")]
        current = substitute_op(op, self.names)
        ins = tuple(x for x in current.operands[: row.reads] if differentiable(x))
        outs = current.operands[row.outs]
        copies, residuals = self.lasting(op, op.operands)
        return [*inert([current]), *copies, self.link(op, outs, ins, residuals, row.name)]

    def call(self, op: Op) -> list[Op]:
        """The body of ``forward`` in the place of the call."""
        rules = self.function.callees[op.text("callee")].rules
        assert rules is not None
        self._check_reached(op, rules)
        if not rules.backward:
            return self.by_jvp(op, rules)
        if runs_itself(rules):
            return self.itself(op, rules)
        forward = self.function.callees[rules.forward]
        operands = [renamed(x, self.names) for x in op.operands]
        body = spliced(forward, operands)
        results, kept = body.yields[: len(op.results)], body.yields[len(op.results) :]
        copies, residuals = self.lasting(op, kept)
        ins = tuple(operands[k] for k in rules.into)
        return [*inert(body.ops), *copies, self.linked(op, results, ins, residuals, rules.backward)]

    def by_jvp(self, op: Op, rules: Rules) -> list[Op]:
        """The function itself, linked by the transposed rule: of the operands and the cotangents."""
        body = spliced(self.function.callees[op.text("callee")], [renamed(x, self.names) for x in op.operands])
        copies, residuals = self.lasting(op, op.operands)
        ins = tuple(renamed(op.operands[k], self.names) for k in rules.wrt)
        return [
            *inert(body.ops),
            *copies,
            self.linked(op, body.yields, ins, residuals, self.transpose(op.text("callee"))),
        ]

    def itself(self, op: Op, rules: Rules) -> list[Op]:
        """The call as it is, linked to its operands."""
        current = replace(substitute_op(op, self.names), results=tuple(map(fresh, op.results)))
        copies, residuals = self.lasting(op, op.operands)
        ins = tuple(current.operands[k] for k in rules.into)
        return [*inert([current]), *copies, self.linked(op, current.results, ins, residuals, rules.backward)]

    def _check_reached(self, op: Op, rules: Rules) -> None:
        """No operand may carry a derivative past the rule."""
        if any(x in self.activity for k, x in enumerate(op.operands) if k not in rules.wrt):
            raise past_rule(op)

    def linked(
        self, op: Op, results: Sequence[Operand], ins: tuple[Operand, ...], residuals: list[Operand], rule: str
    ) -> Op:
        """The link of a call's results, which go by the new names."""
        floating = [k for k, r in enumerate(op.results) if differentiable(r)]
        link = self.link(op, tuple(results[k] for k in floating), ins, residuals, rule)
        scalars = iter(link.results)
        for k, (old, new) in enumerate(zip(op.results, results, strict=True)):
            self.names[old] = next(scalars) if k in floating and not isinstance(old.type, Array) else new
        return link

    def link(
        self, op: Op, outs: tuple[Operand, ...], ins: tuple[Operand, ...], residuals: Sequence[Operand], rule: str
    ) -> Op:
        attributes: dict[str, Attribute] = {"outs": len(outs), "ins": len(ins), "rule": rule}
        scalars = tuple(Value(x.type, getattr(x, "name", "")) for x in outs if not isinstance(x.type, Array))
        return Op("link", (*outs, *ins, *residuals), scalars, (), attributes, op.location)

    def lasting(self, op: Op, kept: Iterable[Operand]) -> tuple[list[Op], list[Operand]]:
        """What the reverse sweep reads, copied where it may be written to before."""
        builder = new_builder()
        builder.open()
        residuals: list[Operand] = []
        for value in kept:
            array = isinstance(value.type, Array) and value in self.effects.sites.tokens
            now = renamed(value, self.names)
            if isinstance(now, Value) and array and not self.unchanged(op, value):
                now = copied(builder, now, plain(now))
            residuals.append(now)
        return list(inert(builder.close().ops)), residuals

    def unchanged(self, op: Op, array: Operand) -> bool:
        """Whether nobody writes to the array before the end of the sweep."""
        assert isinstance(array, Value)
        touch = Touch(op, array, None, self.effects.paths[op])
        return self.effects.rereadable(touch, self.effects.function.body)


def spliced(function: Function, operands: Sequence[Operand]) -> Block:
    """A copy of the function's body on these operands."""
    names: Environment = dict(zip(function.parameters, operands, strict=True))
    return copy_block(Block((), function.body.ops, function.body.yields), names)


def splice_calls(function: Function, keys: Collection[str]) -> Function:
    """The bodies of these callees in the place of their calls."""

    def visit(op: Op) -> Replacement | None:
        if op.primitive != "call" or op.text("callee") not in keys:
            return None
        body = spliced(function.callees[op.text("callee")], op.operands)
        return body.ops, dict(zip(op.results, body.yields, strict=True))

    return rewrite(function, visit) if keys else function


def with_forward_sweeps(function: Function) -> Function:
    """Calls with a rule for reverse mode as the forward sweeps of their rules: forward mode can go through these."""

    def visit(op: Op) -> Replacement | None:
        callee = function.callees.get(op.text("callee")) if op.primitive == "call" else None
        if callee is None or callee.rules is None or not callee.rules.forward:
            return None
        forward = with_forward_sweeps(replace(function.callees[callee.rules.forward], callees=function.callees))
        body = spliced(forward, op.operands)
        return body.ops, dict(zip(op.results, body.yields, strict=False))

    return rewrite(function, visit)


def inert(ops: Iterable[Op]) -> Iterator[Op]:
    """The ops, marked as not differentiated, with all that is inside."""
    for op in ops:
        blocks = tuple(replace(b, ops=tuple(inert(b.ops))) for b in op.blocks)
        yield replace(op, blocks=blocks, attributes={**op.attributes, "inert": True})


def drop_links(function: Function) -> Function:
    """The program without links and marks, once it is reversed."""

    def visit(op: Op) -> Replacement | None:
        if op.primitive == "link":
            scalars = [x for x in op.operands[: op.integer("outs")] if not isinstance(x.type, Array)]
            return [], dict(zip(op.results, scalars, strict=True))
        if "inert" in op.attributes:
            return [replace(op, attributes={k: v for k, v in op.attributes.items() if k != "inert"})], {}
        return None

    return rewrite(function, visit)


def past_rule(op: Op) -> UnsupportedError:
    """The refusal of a derivative that would go around a rule."""
    message = (
        f"{op.text('callee')}() says itself what its derivative is, but the derivative is asked for with respect to "
        "an argument among nondiff_argnums or an array from outside."
    )
    return _refusal(op, message, "Make it an argument that the rule covers, or pass it through stop_gradient().")


def without_jvp(op: Op) -> UnsupportedError:
    """The refusal of forward mode through a rule for reverse mode."""
    message = f"{op.text('callee')}() has a rule for reverse mode only (custom_vjp), and forward mode is asked for."
    return _refusal(op, message, "Give the rule by custom_jvp, which serves both, or use grad, vjp or jacrev.")


def _refusal(op: Op, message: str, hint: str) -> UnsupportedError:
    where = op.location
    return UnsupportedError(
        message,
        hint=hint,
        file=where.file if where else None,
        line=where.line if where else None,
        column=where.column if where else None,
        end_column=where.end_column if where else None,
    )
