"""Hand elements on from one iteration to the next as numbers, where these are now written to memory and read again.

The reverse of a stencil adds to ``u_bar[i]`` and ``u_bar[i + 1]``. No vectoriser takes such a loop: each iteration adds
to what the next one reads. With what goes to ``u_bar[i + 1]`` carried, each element is touched once. A sweep of Gauss
and Seidel stays sequential, but a number is handed on faster than through memory.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], x_bar: f64[:], n: i64):
...     with for_(n):
...         def _(i: i64):
...             v: f64 = load(x, i)
...             j: i64 = add(i, 1)
...             accumulate(x_bar, i, 1.0)
...             accumulate(x_bar, j, v)
... '''
>>> print(to_text(remove_dead(carry_elements(parse(before, infer)))))
def f(x: f64[:], x_bar: f64[:], n: i64):
    _1: bool = lt(0, n)
    with for_(n, 0.0) as (x_bar_carried,):
        def _(i: i64, x_bar_carried_1: f64):
            v: f64 = load(x, i)
            _2: f64 = add(1.0, x_bar_carried_1)
            accumulate(x_bar, i, _2)
            yield v
    with if_(_1):
        def _():
            accumulate(x_bar, n, x_bar_carried)
        def _():
            pass
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.affine import Affine, as_ops
from srcgrad.analysis.effects import Effects
from srcgrad.analysis.windows import Window, windows_of
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Operand, Value, constant, index, is_zero, walk, zero_like
from srcgrad.ir.rewrite import substitute, with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect, new_builder

LONGEST = 6  # positions of a window; what is further apart vectorises, or is rare
LEAVING = (Effect.CHECK, Effect.GUARD, Effect.CALL)
MOST = 12  # numbers that a loop carries for its windows


def carry_elements(function: Function) -> Function:
    if not any(map(_may_have_windows, walk(function.body))):
        return function
    body = _carried_in(function.body, Effects(function))
    return function if body is function.body else replace(function, body=body)


def _carried_in(block: Block, effects: Effects) -> Block:
    ops: list[Op] = []
    for op in block.ops:
        passages = _passages(op, effects) if _may_have_windows(op) else []
        if passages:
            ops += _carrying(op, passages, effects.definitions.affine(op.operands[0]))
        else:
            ops.append(with_blocks(op, [_carried_in(b, effects) for b in op.blocks]))
    return with_ops(block, ops)


def _may_have_windows(op: Op) -> bool:
    """An innermost loop that writes, and that nothing can leave before its end: what is carried would be lost."""
    if op.primitive != "for" or "threads" in op.attributes:
        return False
    ops = list(walk(op.blocks[0]))
    if any(o.primitive in LOOPS or effect(o.primitive) in LEAVING for o in ops):
        return False
    places: dict[Operand, set[tuple[Operand, ...]]] = {}
    for o in ops:
        if o.primitive in ("load", "store", "accumulate"):
            places.setdefault(o.operands[0], set()).add(indices(o))
    written = {o.operands[0] for o in ops if effect(o.primitive) is Effect.WRITE}
    return any(len(places[array]) > 1 for array in written.intersection(places))


def _passages(loop: Op, effects: Effects) -> list[_Passage]:
    """Of each window whose elements are written to before another iteration asks for them."""
    windows = [w for w in windows_of(loop, effects) if len(w.positions) <= LONGEST and _hands_on(w)]
    trips = loop.operands[0]
    if isinstance(trips, Const) and any(trips.value.real < len(w.positions) for w in windows):
        return []  # written out, or hardly worth it
    passages = [_Passage(w) for w in windows]
    return passages if sum(len(state.parts) for p in passages for state in p.entered) <= MOST else []


def _hands_on(window: Window) -> bool:
    """Whether what is written at one position is read, or added to, at a later one."""
    written = [k for k, ops in enumerate(window.positions) if any(o.primitive != "load" for o in ops)]
    asked = [k for k, ops in enumerate(window.positions) if any(o.primitive != "store" for o in ops)]
    return bool(written and asked) and written[0] < asked[-1]


@dataclass(frozen=True)
class _State:
    """What the loop knows of an element.

    A ``sum`` has to be added to what memory holds, or takes its place where that was ``cleared``. A ``value`` is the
    element, which memory lacks if it is ``owed``.
    """

    kind: str = "memory"
    parts: tuple[Operand, ...] = ()
    owed: bool = False


@dataclass
class _Passage:
    """What takes the place of the accesses of a window: an element is followed from position to position.

    Contributions are carried one by one, and added up where the element leaves. Sums of what is carried, carried again,
    would make a chain that the vectoriser does not take (measured with Numba 0.68.1, LLVM 22).
    """

    window: Window
    edits: dict[Op, Sequence[Op]] = field(default_factory=dict)  # what takes the place of an access
    names: dict[Value, Operand] = field(default_factory=dict)  # what was loaded, as it is known now
    ends: list[Op] = field(default_factory=list)  # at the end of an iteration
    entered: list[_State] = field(default_factory=list)  # of the element at each position, when an iteration begins
    left: list[_State] = field(default_factory=list)  # and when it ends

    def __post_init__(self) -> None:
        state = IN_MEMORY
        for position in range(len(self.window.positions)):
            self.entered.append(state)
            self.left.append(self.passed(position, state))
            carried = (Value(x.type, f"{self.window.root.name}_carried") for x in self.left[-1].parts)
            state = replace(self.left[-1], parts=tuple(carried))
        assert state.kind == "memory", "an element that leaves is in memory"

    @property
    def parameters(self) -> list[Value]:
        return [x for state in self.entered for x in state.parts if isinstance(x, Value)]

    @property
    def yields(self) -> list[Operand]:
        return [x for state in self.left for x in state.parts]

    def passed(self, position: int, entered: _State) -> _State:
        """The state of an element after a position."""
        state, own = entered, None  # `own`: what this position adds to a sum
        for op in self.window.positions[position]:
            builder = _builder_at(op)
            if op.primitive == "accumulate" and state.kind != "value":
                own = op.operands[-1] if own is None else builder("add", own, op.operands[-1])
            elif op.primitive == "accumulate":
                state = _State("value", (builder("add", state.parts[0], op.operands[-1]),), owed=True)
            elif op.primitive == "store":
                clears = is_zero(op.operands[-1]) and self.only_added_to_after(position, op)
                state = _State("cleared") if clears else _State("value", op.operands[-1:], owed=True)
                own = None
            else:
                state, own = self.loaded(op, _with(state, own), builder), None
            self.edits[op] = builder.close().ops
        return self.settled(position, entered, _with(state, own))

    def only_added_to_after(self, position: int, store: Op) -> bool:
        """Whether all that comes after a store to an element are contributions, at this position and later ones."""
        here = self.window.positions[position]
        later = [op for ops in self.window.positions[position + 1 :] for op in ops]
        return all(op.primitive == "accumulate" for op in (*here[here.index(store) + 1 :], *later))

    def loaded(self, load: Op, state: _State, builder: Builder) -> _State:
        """The state in which the element itself is known."""
        if state.kind != "value":
            value: Operand = builder("load", *load.operands, name=load.result.name)
            if state.kind == "sum":
                value = builder("add", value, _total(builder, state.parts))
            state = _State("value", (value,), owed=state.kind == "sum")
        self.names[load.result] = state.parts[0]
        return state

    def settled(self, position: int, entered: _State, state: _State) -> _State:
        """What is owed goes to memory where nothing later writes; what is then read is carried on."""
        later = {op.primitive for ops in self.window.positions[position + 1 :] for op in ops}
        if state.kind == "memory" or (later - {"load"} and (state.kind in ("sum", "cleared") or state.owed)):
            return state
        if state.kind == "value" and not state.owed:
            return state if "load" in later and entered.kind == "value" else IN_MEMORY
        access = self.window.positions[position][-1]
        place = access.operands[: 1 + len(indices(access))]
        builder = _builder_at(access)
        if state.kind == "sum" and not later:
            builder.emit("accumulate", *place, _total(builder, state.parts))
        elif state.kind == "cleared":
            builder.emit("store", *place, self.total(builder, state.parts))
        else:
            if state.kind == "sum":
                state = _State("value", (builder("add", builder("load", *place), _total(builder, state.parts)),))
            builder.emit("store", *place, state.parts[0])
        self.ends += builder.close().ops
        return replace(state, owed=False) if later else IN_MEMORY

    def element(self, builder: Builder, position: int, counter: Affine) -> list[Operand]:
        return [self.window.root, *(as_ops(builder, form) for form in self.window.place(position, counter))]

    @property
    def zero(self) -> Const:
        element = self.window.root.type
        assert isinstance(element, Array)
        return constant(0, element.dtype)

    def total(self, builder: Builder, parts: Sequence[Operand]) -> Operand:
        return _total(builder, parts) if parts else self.zero

    def preloaded(self, builder: Builder, kind: str) -> list[Operand]:
        """The elements that the first iteration takes for known, or for cleared."""
        positions = (position for position, state in enumerate(self.entered) if state.kind == kind)
        return [builder("load", *self.element(builder, position, Affine({}, 0))) for position in positions]

    def drain(self, builder: Builder, trips: Affine, results: Iterator[Value], cleared: Iterator[Operand]) -> None:
        """What elements that have not left are owed, after the last iteration, and what was not cleared after all."""
        for position, state in enumerate(self.entered):
            parts = [next(results) for _ in state.parts]
            if state.kind == "sum":
                builder.emit("accumulate", *self.element(builder, position, trips), _total(builder, parts))
            elif state.kind == "cleared":
                builder.emit("store", *self.element(builder, position, trips), self.total(builder, parts))
            elif state.owed:
                builder.emit("store", *self.element(builder, position, trips), *parts)
        for position, state in enumerate(self.entered):
            if state.kind == "cleared":
                builder.emit("accumulate", *self.element(builder, position, Affine({}, 0)), next(cleared))


def _carrying(loop: Op, passages: Sequence[_Passage], trips: Affine) -> list[Op]:
    """The loop that carries what its windows hand on, and what comes before and after it."""
    builder = _builder_at(loop)
    runs = builder("lt", index(0), loop.operands[0])
    states = [state for passage in passages for state in passage.entered]
    known, cleared = (_preloaded(builder, runs, passages, kind) for kind in ("value", "cleared"))
    initial = [next(known) if state.kind == "value" else zero_like(x) for state in states for x in state.parts]
    results = [Value(x.type, x.name) for passage in passages for x in passage.parameters]
    block = _body(loop.blocks[0], passages)
    operands = (*loop.operands, *initial)
    builder.ops.append(replace(loop, operands=operands, results=(*loop.results, *results), blocks=(block,)))
    carried = iter(results)

    def drain() -> tuple[Operand, ...]:
        for passage in passages:
            passage.drain(builder, trips, carried, cleared)
        return ()

    builder.if_(runs, drain)
    return list(builder.close().ops)


def _preloaded(builder: Builder, runs: Operand, passages: Sequence[_Passage], kind: str) -> Iterator[Operand]:
    """The elements that are in such a state when the loop begins; zeros where it does not run."""
    zeros = [p.zero for p in passages for state in p.entered if state.kind == kind]
    if not zeros:
        return iter(())
    return iter(builder.if_(runs, lambda: [x for p in passages for x in p.preloaded(builder, kind)], lambda: zeros))


def _body(body: Block, passages: Sequence[_Passage]) -> Block:
    edits = {op: ops for passage in passages for op, ops in passage.edits.items()}
    names = {old: new for passage in passages for old, new in passage.names.items()}
    ops = [new for op in body.ops for new in edits.get(op, (op,))]
    ends = [op for passage in passages for op in passage.ends]
    parameters = [x for passage in passages for x in passage.parameters]
    yields = [x for passage in passages for x in passage.yields]
    block = Block((*body.parameters, *parameters), (*ops, *ends), (*body.yields, *yields))
    return substitute(block, {old: _latest(new, names) for old, new in names.items()})


def _latest(operand: Operand, names: Mapping[Value, Operand]) -> Operand:
    while isinstance(operand, Value) and operand in names:
        operand = names[operand]
    return operand


IN_MEMORY = _State()


def _with(state: _State, own: Operand | None) -> _State:
    if own is None:
        return state
    return _State("cleared" if state.kind == "cleared" else "sum", (*state.parts, own))


def _total(builder: Builder, parts: Sequence[Operand]) -> Operand:
    """The sum, what came last first."""
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = builder("add", total, part)
    return total


def _builder_at(op: Op) -> Builder:
    builder = new_builder()
    builder.open()
    builder.location = op.location
    return builder
