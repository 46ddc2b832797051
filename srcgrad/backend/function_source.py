"""One function as text: statements with names, comments with the user's lines, helpers noted as they are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from srcgrad.backend.branches import shortest_branch
from srcgrad.backend.comments import INDENT, Line, with_comments
from srcgrad.backend.copies import in_order
from srcgrad.backend.expressions import Expressions
from srcgrad.backend.facts import HEADER, facts_of
from srcgrad.backend.folding import carried_past_writes, fold
from srcgrad.backend.interference import interference
from srcgrad.backend.memory_text import array_text, check_text, index_check
from srcgrad.backend.names import name_stacks, name_values
from srcgrad.backend.printed import shown
from srcgrad.backend.python_numbers import python_numbers
from srcgrad.backend.raised_text import exception_text, own_exceptions
from srcgrad.backend.ranges import write_ranges
from srcgrad.backend.runtime import HELPERS
from srcgrad.backend.scratch_text import ROWS, SCRATCH_NAMES, places, pushed_rows, row_stack_lines, row_width
from srcgrad.backend.stacks import cursor, is_scalar_stack, reference_stack_lines, scalar_stack_lines
from srcgrad.backend.statements import (
    Copies,
    For,
    If,
    Leave,
    Plain,
    Return,
    Statement,
    While,
    copies_in,
    statements_of,
    unread,
)
from srcgrad.backend.stems import stems_of
from srcgrad.backend.threads_text import is_threaded, names_around
from srcgrad.backend.vector_text import VECTOR_NAMES, may_vectorise
from srcgrad.ir.core import Function, Location, Op, Operand, Value, used
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.routines import ROUTINES, SHOW

AUGMENTED = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class FunctionPrinter:
    """Prints one function of a module.

    Parameters
    ----------
    function : Function
    name : str
        Its identifier in the module.
    entry : bool
        Called from outside: stacks come and go as arrays, not with their cursors.
    callees : mapping
        The identifiers of callees by key.
    compiled : bool
        Print the forms that Numba makes fast rather than those that read best.
    vector_math : bool
        In loops that may vectorise, call srcgrad.vector_math.
    helpers : set of str
        Learns the helpers used.
    """

    def __init__(
        self,
        function: Function,
        name: str,
        entry: bool,
        callees: Mapping[str | None, str],
        compiled: bool,
        vector_math: bool,
        helpers: set[str],
    ) -> None:
        self.placed = places(function) if vector_math else {}
        self.function = function = write_ranges(function, readable=not compiled)
        self.name = name
        self.entry = entry
        self.callees = callees
        self.compiled = compiled
        self.vector_math = vector_math
        self.helpers = helpers
        self.threaded: list[str] = []  # the callees that are run in threads
        self.lines: list[Line] = []
        self.depth = 1
        self.location: Location | None = None
        self.facts = facts_of(function)
        self.rows = pushed_rows(function)
        self.unread = unread(function, Counter(used(function.body)))
        self.body = self.prepare()

    def prepare(self) -> tuple[Statement, ...]:
        """Fold, name, then fold again what a copy would otherwise only pass on."""
        function = self.function
        statements = self.plan(frozenset())
        passed_on = frozenset(
            source
            for copy in copies_in(statements)
            for target, source in zip(copy.targets, copy.sources, strict=True)
            if isinstance(source, Value) and source not in self.folded and self.names[source] != self.names[target]
        )
        passed_on -= carried_past_writes(function) if self.compiled else frozenset()
        if passed_on:
            statements = self.plan(passed_on)
        self.expressions = Expressions(
            self.names, self.folded, self.facts, python_numbers(function, self.entry), self.helpers
        )
        return statements

    def plan(self, passed_on: frozenset[Value]) -> tuple[Statement, ...]:
        self.folded = fold(self.function, self.facts, passed_on)
        statements = statements_of(self.function, self.folded, self.unread)
        alive = interference(self.function, statements, self.folded)
        around = [name for callee in self.callees.values() for name in names_around(callee)]
        vector = (*VECTOR_NAMES, *SCRATCH_NAMES) if self.vector_math else ()
        raised = map(exception_text, own_exceptions(self.function))
        other = {*HELPERS, *ROUTINES, *self.callees.values(), *around, *vector, *raised}
        stacks = name_stacks(self.function, other)
        taken = {*other, *stacks.values(), *map(cursor, stacks.values())}
        self.names = {
            **name_values(
                self.function, statements, alive, self.unread, stems_of(self.function.body, self.facts), taken
            ),
            **stacks,
        }
        return statements

    def text(self) -> str:
        for parameter in self.function.parameters:
            if self.entry and is_scalar_stack(parameter):
                # The array of a stack that was handed over full.
                stack = self.expressions.text(parameter)
                self.line(f"{cursor(stack)} = {stack}.size")
        self.sequence(self.body)
        head = f"def {self.name}({', '.join(self.parameter_names())}):\n"
        return head + with_comments(self.lines)

    def passed(self, operand: Operand, entry: bool) -> list[str]:
        """How an operand is handed to a function: a stack of scalars between functions with its cursor."""
        text = self.expressions.text(operand)
        return [text, cursor(text)] if not entry and is_scalar_stack(operand) else [text]

    # Statements

    def line(self, text: str) -> None:
        """A line; one that belongs to the line before comes indented."""
        bare = text.lstrip(" ")
        deeper = (len(text) - len(bare)) // len(INDENT)
        self.lines.append(Line(self.depth + deeper, bare, self.location))

    def sequence(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self.statement(statement)

    def indented(self, statements: Sequence[Statement]) -> None:
        self.depth += 1
        before = len(self.lines)
        self.sequence(statements)
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def statement(self, statement: Statement) -> None:
        match statement:
            case Plain(op):
                self.location = op.location
                self.plain(op)
            case Copies(targets, sources):
                self.location = None
                self.copies(targets, sources)
            case For(op, _, (Plain(call),)) if self.compiled and is_threaded(op):
                self.location = op.location
                self.line(self.in_threads(op, call))
            case For(op, counter, body):
                self.location = op.location
                self.line(f"for {self.names[counter]} in {self.range(op)}:")
                outside = self.expressions.vector
                self.expressions.vector = self.vector_math and may_vectorise(op)
                self.loop_body(body)
                self.expressions.vector = outside
            case While():
                self.location = statement.op.location
                self.while_(statement)
            case If():
                self.location = statement.op.location
                self.branch(statement)
            case Leave(condition):
                self.line(f"if {self.expressions.negated(condition)}:")
                self.line(f"{INDENT}break")
            case Return(values):
                self.return_(values)

    def loop_body(self, body: Sequence[Statement]) -> None:
        """Inside loops indices are written for Numba, in text meant for it."""
        self.expressions.loops += self.compiled
        self.indented(body)
        self.expressions.loops -= self.compiled

    def range(self, op: Op) -> str:
        bounds = [self.expressions.text(x) for x in op.operands[: HEADER[op.primitive]]]
        if op.primitive == "range":
            if bounds[2] == "1":
                del bounds[2]
            if bounds[0] == "0" and len(bounds) == 2:
                del bounds[0]
        return f"range({', '.join(bounds)})"

    def while_(self, loop: While) -> None:
        if not loop.test:
            self.line(f"while {self.expressions.text(loop.condition)}:")
            self.loop_body(loop.body)
            return
        self.line("while True:")
        self.loop_body((*loop.test, Leave(loop.condition), *loop.body))

    def branch(self, branch: If) -> None:
        """``if`` and ``else``, the shorter forms where they say the same."""
        start = len(self.lines)
        condition = branch.op.operands[0]
        self.line(f"if {self.expressions.text(condition)}:")
        self.indented(branch.then)
        middle = len(self.lines)
        self.line("else:")
        self.indented(branch.otherwise)
        then, otherwise = self.lines[start + 1 : middle], self.lines[middle + 1 :]
        self.lines[start:] = shortest_branch(self.lines[start], then, otherwise, self.expressions.negated(condition))

    def copies(self, targets: Sequence[Value], sources: Sequence[Operand]) -> None:
        moves = []
        for target, source in zip(targets, sources, strict=True):
            name, text = self.names[target], self.expressions.text(source)
            if name != text:
                reads = frozenset(self.names[v] for v in self.expressions.leaves(source))
                moves.append((name, text, reads))
        for group in in_order(moves):
            left, right = ", ".join(m[0] for m in group), ", ".join(m[1] for m in group)
            self.line(f"{left} = {right}")

    def return_(self, values: Sequence[Operand]) -> None:
        texts = [self.returned(x) for x in values]
        if not self.entry:
            texts += [t for p in self.function.parameters if is_scalar_stack(p) for t in self.passed(p, False)]
        self.location = None
        if texts:
            self.line(f"return {', '.join(texts)}")
        elif not self.lines:
            self.line("pass")

    def returned(self, operand: Operand) -> str:
        text = self.expressions.text(operand)
        if not isinstance(operand.type, Stack):
            return text
        assert self.entry and is_scalar_stack(operand), "only an entry returns stacks, and only of scalars"
        return f"{text}[:{cursor(text)}].copy()"

    # Ops

    def plain(self, op: Op) -> None:
        for text in self.op_lines(op):
            self.line(text)

    def op_lines(self, op: Op) -> Iterator[str]:
        text = self.expressions.text
        match op.primitive:
            case "store":
                array, *indices, value = op.operands
                yield f"{self.expressions.element(array, tuple(indices))} = {text(value)}"
            case "accumulate":
                array, *indices, value = op.operands
                added = self.folded.get(value) if isinstance(value, Value) else None
                less = added.operands[0] if added is not None and added.primitive == "neg" else None
                sign, amount = ("+=", text(value)) if less is None else ("-=", text(less))
                yield f"{self.expressions.element(array, tuple(indices))} {sign} {amount}"
            case "check":
                yield from check_text(op, self.expressions)
            case "check_index":
                yield from index_check(op, self.expressions, read=op.result not in self.unread)
            case "stack" | "push" | "pop":
                yield from self.stack_lines(op)
            case "alloc" if op.result in self.rows:
                pass  # where it is pushed
            case "call":
                yield self.call(op)
            case _:
                yield from self.assignment(op)

    def assignment(self, op: Op) -> Iterator[str]:
        name = self.names[op.result]
        is_array = isinstance(op.result.type, Array)
        value = array_text(op, self.expressions, self.placed) if is_array else self.expressions.op(op)[0]
        if name == value:
            return
        sign = AUGMENTED.get(op.primitive)
        if sign and self.expressions.text(op.operands[0]) == name and value.startswith(f"{name} {sign} "):
            yield f"{name} {sign}= {self.expressions.text(op.operands[1])}"
        else:
            yield f"{name} = {value}"

    def call(self, op: Op) -> str:
        arguments = [t for x in op.operands for t in self.passed(x, False)]
        targets = [self.names[r] for r in op.results]
        targets += [t for x in op.operands if is_scalar_stack(x) for t in self.passed(x, False)]
        callee = op.text("callee")
        if callee == SHOW:
            return f"print({', '.join(shown(op.text('text'), arguments[2:]))})"
        if callee in ROUTINES:
            self.helpers.add(callee)
            return f"{callee}({', '.join(arguments)})"
        call = f"{self.callees[callee]}({', '.join(arguments)})"
        return f"{', '.join(targets)} = {call}" if targets else call

    def in_threads(self, loop: Op, call: Op) -> str:
        """The call of a function that runs the iterations of a loop, calls all of them, in threads."""
        self.threaded.append(call.text("callee"))
        arguments = [self.expressions.text(x) for x in (loop.operands[0], *call.operands[1:])]
        return f"{names_around(self.callees[call.text('callee')])[0]}({', '.join(arguments)})"

    def parameter_names(self) -> list[str]:
        return [name for p in self.function.parameters for name in self.passed(p, self.entry)]

    def stack_lines(self, op: Op) -> Iterator[str]:
        text = self.expressions.text
        stack = op.result if op.primitive == "stack" else op.operands[0]
        if op.primitive == "push":
            value = text(op.operands[1])
        else:
            value = "" if op.result in self.unread else self.names[op.result]
        width = row_width(stack, self.facts.definitions)
        compiled = width is not None and self.vector_math
        if op.primitive == "push" and not compiled and (width or is_scalar_stack(stack)):
            self.helpers.add("grow")
        if width is not None:
            if compiled:
                self.expressions.imported.add(ROWS[op.primitive])
            yield from row_stack_lines(op, text(stack), cursor(text(stack)), value, width, self.vector_math)
            return
        lines = scalar_stack_lines if is_scalar_stack(stack) else reference_stack_lines
        yield from lines(op, text(stack), value)
