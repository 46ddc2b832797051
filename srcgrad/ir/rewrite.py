"""Copying and substituting: the moves every pass is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace

from srcgrad.ir.core import Block, Function, Op, Operand, Value

Environment = MutableMapping[Value, Operand]


def renamed(operand: Operand, environment: Mapping[Value, Operand]) -> Operand:
    return environment.get(operand, operand) if isinstance(operand, Value) else operand


def fresh(value: Value) -> Value:
    return Value(value.type, value.name)


def unchanged(new: Sequence[object], old: Sequence[object]) -> bool:
    """Whether both hold the very same objects."""
    return len(new) == len(old) and all(a is b for a, b in zip(new, old, strict=True))


def with_blocks(op: Op, blocks: Sequence[Block]) -> Op:
    """The op with other blocks; the op itself if they are its own."""
    return op if unchanged(blocks, op.blocks) else replace(op, blocks=tuple(blocks))


def with_ops(block: Block, ops: Sequence[Op]) -> Block:
    """The block with other ops; the block itself if they are its own."""
    return block if unchanged(ops, block.ops) else replace(block, ops=tuple(ops))


def copy_op(op: Op, environment: Environment) -> Op:
    """A copy with fresh results, operands renamed; the environment learns the new names."""
    operands = tuple(renamed(x, environment) for x in op.operands)
    blocks = tuple(copy_block(b, environment) for b in op.blocks)
    results = tuple(fresh(v) for v in op.results)
    environment.update(zip(op.results, results, strict=True))
    return Op(op.primitive, operands, results, blocks, op.attributes, op.location)


def copy_block(block: Block, environment: Environment) -> Block:
    """A copy in which every value defined inside is fresh."""
    parameters = tuple(fresh(v) for v in block.parameters)
    environment.update(zip(block.parameters, parameters, strict=True))
    ops = tuple(copy_op(op, environment) for op in block.ops)
    return Block(parameters, ops, tuple(renamed(x, environment) for x in block.yields))


def substitute(block: Block, environment: Mapping[Value, Operand]) -> Block:
    """Replace uses (definitions stay the same values). Parts without a use are shared, not copied."""
    if not environment:
        return block
    ops = tuple(substitute_op(op, environment) for op in block.ops)
    yields = tuple(renamed(x, environment) for x in block.yields)
    if unchanged(ops, block.ops) and yields == block.yields:
        return block
    return Block(block.parameters, ops, yields)


def substitute_op(op: Op, environment: Mapping[Value, Operand]) -> Op:
    operands = tuple(renamed(x, environment) for x in op.operands)
    blocks = tuple(substitute(b, environment) for b in op.blocks)
    if unchanged(operands, op.operands) and unchanged(blocks, op.blocks):
        return op
    return replace(op, operands=operands, blocks=blocks)


# What to put in the place of an op: ops, and what its results are called from now on.
Replacement = tuple[Iterable[Op], Mapping[Value, Operand]]


def rewrite(function: Function, visit: Callable[[Op], Replacement | None]) -> Function:
    """Visit every op once, inner blocks first; ``visit`` sees it with operands already renamed.

    It returns None to keep the op, or the ops that take its place and the names of its old results.
    """
    return replace(function, body=rewrite_block(function.body, {}, visit))


def rewrite_block(block: Block, environment: Environment, visit: Callable[[Op], Replacement | None]) -> Block:
    ops: list[Op] = []
    for op in block.ops:
        current = _with_inner(op, environment, visit)
        replacement = visit(current)
        if replacement is None:
            ops.append(current)
        else:
            new_ops, names = replacement
            ops.extend(new_ops)
            environment.update(names)
    return Block(block.parameters, tuple(ops), tuple(renamed(x, environment) for x in block.yields))


def _with_inner(op: Op, environment: Environment, visit: Callable[[Op], Replacement | None]) -> Op:
    """The op with operands renamed and inner blocks rewritten; the op itself where neither changed it."""
    operands = tuple(renamed(x, environment) for x in op.operands)
    blocks = tuple(rewrite_block(b, environment, visit) for b in op.blocks)
    if not blocks and unchanged(operands, op.operands):
        return op
    return replace(op, operands=operands, blocks=blocks)


def map_functions(function: Function, step: Callable[[Function], Function]) -> Function:
    """Apply a step to a function and to each of its callees; each sees all callees while it is transformed."""
    entry = step(function)
    callees = {name: step(replace(callee, callees=function.callees)) for name, callee in function.callees.items()}
    return replace(entry, callees={name: replace(callee, callees={}) for name, callee in callees.items()})
