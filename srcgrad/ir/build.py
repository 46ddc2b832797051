"""Building IR op by op: a cursor that appends to the innermost open block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from srcgrad.ir.core import Attribute, Block, Const, Function, Location, Op, Operand, Value, index
from srcgrad.ir.types import INDEX, Type

COUNTERS = "ijklmnpqr"  # of nested loops, outermost first

# (primitive, operands, blocks, attributes) -> the types of the results
Infer = Callable[[str, Sequence[Operand], Sequence[Block], Mapping[str, Attribute]], tuple[Type, ...]]


class Builder:
    """Appends ops to the innermost open block.

    ``infer`` gives the result types of an op; ``location`` is stamped on each op made.
    """

    def __init__(self, infer: Infer) -> None:
        self.infer = infer
        self.location: Location | None = None
        self._open: list[tuple[tuple[Value, ...], list[Op]]] = []
        self._definitions: dict[Value, Op] = {}
        self._arguments: set[Value] = set()
        self._born: dict[Value, int] = {}
        # References that must not be written to any more, with the copy that must not be read after such a write
        # (None: whatever is read); kept by the front end. And the writes that may be to one of them.
        self.frozen: list[tuple[Value, Value | None]] = []
        self.doubtful: list[tuple[Value, Value, Value | None, Location | None]] = []  # target, frozen, its copy, where
        # Of those the ones that a variable may hold; and what was written to, with the blocks open then.
        self.kept: list[Value] = []
        self.written: list[tuple[Value, tuple[list[Op], ...]]] = []
        self.copies: list[tuple[Value, Value]] = []  # where NumPy has views: the copy, and of what
        self.extents: dict[tuple[Value, int], int] = {}  # of axes of arguments that are known; likewise
        self.stretches = False  # whether an extent may turn out to be 1 where it meets another; likewise

    @property
    def ops(self) -> list[Op]:
        """The ops of the innermost open block, which may be appended to."""
        return self._open[-1][1]

    @property
    def depth(self) -> int:
        return len(self._open)

    def note_write(self, target: Value) -> None:
        """Remember that memory is written to here."""
        self.written.append((target, tuple(ops for _, ops in self._open)))

    def written_in_loops(self) -> list[Value]:
        """What has been written to so far in the bodies of loops that are being made."""
        bodies = [ops for parameters, ops in self._open[1:] if parameters]
        return [target for target, blocks in self.written if any(b is body for b in blocks for body in bodies)]

    def is_of_this_iteration(self, op: Op) -> bool:
        """Whether an op is in an open block, and no loop has been opened since."""
        return any(op is other for ops in self._of_this_iteration() for other in ops)

    def is_open_in_this_iteration(self, block: object) -> bool:
        """Whether these are the ops of a block that is open, and no loop has been opened inside it."""
        return any(ops is block for ops in self._of_this_iteration())

    def _of_this_iteration(self) -> Iterator[list[Op]]:
        """The ops of the open blocks from the innermost out to the body of the innermost loop."""
        for parameters, ops in reversed(self._open):
            yield ops
            if parameters:
                return

    def is_open(self, ops: object) -> bool:
        """Whether these are the ops of a block that is being made."""
        return any(ops is known for _, known in self._open)

    def open(self, parameters: Sequence[Value] = ()) -> None:
        if not self._open:
            self._arguments.update(parameters)
        self._born.update(dict.fromkeys(parameters, len(self._born)))
        self._open.append((tuple(parameters), []))

    def close(self, yields: Sequence[Operand] = ()) -> Block:
        parameters, ops = self._open.pop()
        return Block(parameters, tuple(ops), tuple(yields))

    def emit(
        self,
        primitive: str,
        *operands: Operand,
        blocks: Sequence[Block] = (),
        names: Sequence[str] = (),
        **attributes: Attribute,
    ) -> tuple[Value, ...]:
        """Append an op and return all its results."""
        types = self.infer(primitive, operands, blocks, attributes)
        padded = [*names, *[""] * (len(types) - len(names))]
        results = tuple(Value(t, n) for t, n in zip(types, padded, strict=True))
        self.ops.append(Op(primitive, operands, results, tuple(blocks), attributes, self.location))
        self.record(self.ops[-1])
        return results

    def record(self, op: Op) -> None:
        """Remember an op as the definition of its results; needed only where ``ops`` was changed by hand."""
        self._definitions.update(dict.fromkeys(op.results, op))
        self._born.update(dict.fromkeys(op.results, len(self._born)))

    def definition(self, operand: Operand) -> Op | None:
        """The op that made a value (its operands are in scope wherever the value is), None for a parameter."""
        return self._definitions.get(operand) if isinstance(operand, Value) else None

    def older(self, a: Value, b: Value) -> bool:
        """Whether ``a`` was there before ``b`` was made; both are in scope."""
        if self.is_argument(a):
            return not self.is_argument(b)
        return a in self._born and b in self._born and self._born[a] < self._born[b]

    def is_argument(self, value: Value) -> bool:
        """Whether a value is a parameter of the function itself, not one of a loop and not made by an op."""
        return value in self._arguments

    def add_argument(self, value: Value) -> None:
        """Announce a parameter that the function will have besides those it was opened with."""
        self._arguments.add(value)

    def __call__(self, primitive: str, *operands: Operand, name: str = "", **attributes: Attribute) -> Value:
        """Append an op with one result and return it."""
        (value,) = self.emit(primitive, *operands, names=(name,), **attributes)  # type: ignore[arg-type]  # no attribute is called blocks
        return value

    def for_(
        self,
        trips: Operand,
        initial: Sequence[Operand],
        body: Callable[..., Sequence[Operand]],
        names: Sequence[str] = (),
        counter: str = "i",
        **attributes: Attribute,
    ) -> tuple[Value, ...]:
        """A counted loop; ``body(i, *carried)`` emits one iteration and returns what it yields."""
        padded = [*names, *[""] * (len(initial) - len(names))]
        parameters = (Value(INDEX, counter), *(Value(x.type, n) for x, n in zip(initial, padded, strict=True)))
        self.open(parameters)
        block = self.close_after(lambda: body(*parameters))
        return self.emit("for", trips, *initial, blocks=(block,), names=padded, **attributes)

    def parts(self, n: Operand, size: Operand) -> Value:
        """How many parts of this size there are, the last of which may be smaller."""
        less = index(int(size.value.real) - 1) if isinstance(size, Const) else self("sub", size, index(1))
        return self("floordiv", self("add", n, less), size)

    def nest(self, extents: Sequence[Operand], body: Callable[[tuple[Operand, ...]], object]) -> None:
        """A loop per axis, outermost first; ``body`` emits what happens at one index and carries nothing."""
        self._nested(tuple(extents), (), body)

    def _nested(
        self, extents: tuple[Operand, ...], at: tuple[Operand, ...], body: Callable[[tuple[Operand, ...]], object]
    ) -> None:
        if len(at) == len(extents):
            body(at)
            return
        n, counter = extents[len(at)], COUNTERS[len(at) % len(COUNTERS)]
        if isinstance(n, Const) and n.value == 1:
            self._nested(extents, (*at, index(0)), body)
            return

        def iteration(i: Value) -> tuple[Operand, ...]:
            self._nested(extents, (*at, i), body)
            return ()

        self.for_(n, (), iteration, counter=counter)

    def while_(
        self,
        initial: Sequence[Operand],
        test: Callable[..., Operand],
        body: Callable[..., Sequence[Operand]],
        names: Sequence[str],
    ) -> tuple[Value, ...]:
        """A loop as long as ``test(*carried)`` holds; ``body(*carried)`` returns what it yields."""
        blocks = []
        for emit_block in (lambda *carried: (test(*carried),), body):
            parameters = tuple(Value(x.type, n) for x, n in zip(initial, names, strict=True))
            self.open(parameters)
            blocks.append(self.close(emit_block(*parameters)))
        return self.emit("while", *initial, blocks=blocks, names=names)

    def if_(
        self,
        condition: Operand,
        then: Callable[[], Sequence[Operand]],
        otherwise: Callable[[], Sequence[Operand]] = tuple,
        names: Sequence[str] = (),
    ) -> tuple[Value, ...]:
        """A branch; each callback emits one side and returns what it yields."""
        blocks = []
        for side in (then, otherwise):
            self.open()
            blocks.append(self.close_after(side))
        return self.emit("if", condition, blocks=blocks, names=names)

    def close_after(self, emit_block: Callable[[], Sequence[Operand]]) -> Block:
        """Run a callback that fills the block just opened, then close it."""
        return self.close(emit_block())


def build_function(
    infer: Infer,
    name: str,
    parameters: Sequence[Value],
    body: Callable[[Builder], Sequence[Operand]],
    callees: Mapping[str, Function] | None = None,
) -> Function:
    """A function whose body the callback emits; the callback returns the results."""
    builder = Builder(infer)
    builder.open(parameters)
    results = body(builder)
    return Function(name, builder.close(results), callees or {})
