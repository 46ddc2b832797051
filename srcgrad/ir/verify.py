"""Is it a program? Defined once, in scope, typed as the table of primitives says.

Python leaks loop variables, so a value used outside its scope runs silently and gives a wrong number. This
check runs after every step in tests.
"""

from __future__ import annotations

from srcgrad.ir.build import Infer
from srcgrad.ir.core import Block, Function, Op, Operand, Value
from srcgrad.ir.types import fits


class InvalidProgramError(AssertionError):
    """A fault of the compiler's own: a pass made something that is not a program."""


def verify(function: Function, infer: Infer, typed: dict[int, Op] | None = None) -> None:
    """Raise InvalidProgramError, which names the op, unless ``function`` and its callees are well formed.

    ``typed``, by identity, are ops of which the types are known to be right; those found to be are added. Ops never
    change, and a pass leaves most of them.
    """
    for current in (function, *function.callees.values()):
        _Verifier(current, infer, {} if typed is None else typed).block(current.body, frozenset())


class _Verifier:
    def __init__(self, function: Function, infer: Infer, typed: dict[int, Op]) -> None:
        self.function = function
        self.infer = infer
        self.typed = typed
        self.defined: set[Value] = set()

    def block(self, block: Block, outer: frozenset[Value]) -> None:
        scope = set(outer)
        self.define(block.parameters, scope, None)
        for op in block.ops:
            self.op(op, scope)
        self.use(block.yields, scope, None)

    def op(self, op: Op, scope: set[Value]) -> None:
        self.use(op.operands, scope, op)
        for inner in op.blocks:
            self.block(inner, frozenset(scope))
        if id(op) not in self.typed:
            self.types(op)
            self.typed[id(op)] = op
        self.define(op.results, scope, op)

    def types(self, op: Op) -> None:
        try:
            types = self.infer(op.primitive, op.operands, op.blocks, op.attributes)
        except (AssertionError, KeyError, ValueError) as fault:
            raise self.fault(f"{type(fault).__name__}: {fault}", op) from fault
        if len(types) != len(op.results) or not all(fits(t, v.type) for t, v in zip(types, op.results, strict=True)):
            raise self.fault(f"results are {[v.type for v in op.results]}, not {types}", op)

    def define(self, values: tuple[Value, ...], scope: set[Value], op: Op | None) -> None:
        for value in values:
            if value in self.defined:
                raise self.fault(f"{value!r} is defined twice", op)
            self.defined.add(value)
            scope.add(value)

    def use(self, operands: tuple[Operand, ...], scope: set[Value], op: Op | None) -> None:
        for operand in operands:
            if isinstance(operand, Value) and operand not in scope:
                raise self.fault(f"{operand!r} is used out of scope", op)

    def fault(self, what: str, op: Op | None) -> InvalidProgramError:
        where = f" in op {op.primitive}{op.operands} at {op.location}" if op else ""
        return InvalidProgramError(f"{self.function.name}: {what}{where}")
