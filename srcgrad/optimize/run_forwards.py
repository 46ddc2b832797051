"""Count a loop up where it counts down and the order of its iterations does not matter.

A mirror loop runs its iterations from the last to the first. When they only add to sums and to memory that the
loop does not read, or each touches elements of its own, the same loop counting up is easier to read and vectorises.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x_bar: f64[:], n: i64, ct: f64):
...     with for_(n):
...         def _(q: i64):
...             last: i64 = sub(n, 1)
...             i: i64 = sub(last, q)
...             accumulate(x_bar, i, ct)
...             yield
...     return
... '''
>>> print(to_text(remove_dead(run_forwards(parse(before, infer)))))
def f(x_bar: f64[:], n: i64, ct: f64):
    with for_(n):
        def _(i: i64):
            accumulate(x_bar, i, ct)
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.effects import Effects, Touch
from srcgrad.analysis.sums import only_sums
from srcgrad.ir.core import Block, Function, Op, Value, used, walk
from srcgrad.ir.rewrite import Environment, renamed, substitute, with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect


def run_forwards(function: Function) -> Function:
    effects = Effects(function)
    names: Environment = {}
    body = _block(function.body, effects, names)
    return function if body is function.body else replace(function, body=substitute(body, names))


def _block(block: Block, effects: Effects, names: Environment) -> Block:
    ops = tuple(_op(op, effects, names) for op in block.ops)
    return with_ops(block, ops)


def _op(op: Op, effects: Effects, names: Environment) -> Op:
    blocks = tuple(_block(b, effects, names) for b in op.blocks)
    current = with_blocks(op, blocks)
    downward = _downward_index(op, effects.definitions) if op.primitive == "for" else None
    if downward is None or not _order_free(op, effects):
        return current
    body = current.blocks[0]
    counter = Value(downward.type, downward.name)
    names[downward] = counter
    kept = tuple(inner for inner in body.ops if downward not in inner.results)
    parameters = (counter, *body.parameters[1:])
    return replace(current, blocks=(Block(parameters, kept, tuple(renamed(y, names) for y in body.yields)),))


def _downward_index(op: Op, definitions: Definitions) -> Value | None:
    """The value ``trips - 1 - counter``, if the counter is used for nothing else."""
    body = op.blocks[0]
    counter = body.parameters[0]
    users = [inner for inner in body.ops if counter in inner.operands]
    if len(users) != 1 or list(used(body)).count(counter) != 1 or users[0].primitive != "sub":
        return None
    index = users[0].result
    expected = definitions.affine(op.operands[0]) - Affine({counter: 1}, 1)
    return index if definitions.affine(index) == expected else None


def _order_free(op: Op, effects: Effects) -> bool:
    body = op.blocks[0]
    if len(body.parameters) > 1 and not only_sums(op):
        return False
    if any(effect(inner.primitive) in (Effect.CALL, Effect.STACK, Effect.GUARD) for inner in walk(body)):
        return False
    touches = [t for table in (effects.reads, effects.writes) for ts in table.values() for t in ts]
    inside = [t for t in touches if any(block is body for block, _ in t.path)]
    writes = [t for t in inside if effect(t.op.primitive) is Effect.WRITE]
    return not any(_collide(a, b, body, effects) for a in writes for b in inside)


def _collide(write: Touch, other: Touch, loop: Block, effects: Effects) -> bool:
    """Whether two iterations touch one element, and not only by adding to it."""
    if write.op.primitive == other.op.primitive == "accumulate":
        return False
    sites = effects.sites.sites
    if not sites(write.array) & sites(other.array):
        return False
    return effects.may_meet_later(write, other, loop) or effects.may_meet_later(other, write, loop)
