"""Names for values: the user's own, the same one for the versions of a variable, unique where lives overlap.

First the two sides of a copy are put into one class wherever their lives do not overlap and their names agree:
the versions of a loop-carried variable become one variable again and the copy vanishes. Then each class takes
the first of ``x``, ``x_1``, ``x_2`` ... that no class alive at the same time has taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from srcgrad.backend.identifiers import RESERVED, base_of, versions
from srcgrad.backend.interference import Bits, Interference, bits_of
from srcgrad.backend.statements import Statement, copies_in
from srcgrad.backend.stems import Stems
from srcgrad.ir.core import Function, Value, defined, walk
from srcgrad.ir.types import Array, Stack, Type


def name_values(
    function: Function,
    statements: Sequence[Statement],
    alive_together: Interference,
    unread: frozenset[Value],
    stems: Stems,
    taken: Iterable[str] = (),
) -> dict[Value, str]:
    """A name for each value that is printed. ``taken`` are names with another meaning in the module."""
    classes = _Classes(alive_together, alive_together.bits(function.parameters))
    for copy in copies_in(statements):
        for target, source in zip(copy.targets, copy.sources, strict=True):
            if isinstance(source, Value):
                classes.join(target, source)
    parameters = set(function.parameters)
    reserved = RESERVED | set(taken)
    naming = _Naming(classes, reserved, frozenset(base_of(v.name) for v in defined(function.body)))
    for parameter in function.parameters:
        naming.name(parameter, parameter.name or "a")
    for op in walk(function.body):
        if op.primitive in ("for", "range") and op.blocks[0].parameters[0] in unread:
            naming.names[op.blocks[0].parameters[0]] = "_"
    for value in defined(function.body):
        if value in classes.interference.numbers and value not in parameters:
            naming.name(value, stems.of(value, naming.names))
    return naming.names


def name_stacks(function: Function, taken: Iterable[str]) -> dict[Value, str]:
    """A name of its own for each stack: it and its cursor are variables from beginning to end."""
    others = RESERVED | set(taken) | {v.name for v in defined(function.body) if not isinstance(v.type, Stack)}
    names: dict[Value, str] = {}
    for value in defined(function.body):
        if isinstance(value.type, Stack):
            used = others | set(names.values())
            names[value] = next(name for name in versions(value.name or "stack") if name not in used)
    return names


def same_variable(a: Type, b: Type) -> bool:
    """May one Python variable hold both? Numba gives a variable one type."""
    if isinstance(a, Array) and isinstance(b, Array):
        return (a.dtype, a.rank, a.layout) == (b.dtype, b.rank, b.layout)
    return a == b


@dataclass
class _Classes:
    """Values that share a name, as a union of disjoint sets."""

    interference: Interference
    parameters: Bits  # those of the function
    parent: dict[Value, Value] = field(default_factory=dict)
    members: dict[Value, Bits] = field(default_factory=dict)
    conflicts: dict[Value, Bits] = field(default_factory=dict)
    names: dict[Value, str] = field(default_factory=dict)

    def find(self, value: Value) -> Value:
        while (above := self.parent.get(value, value)) is not value:
            value = above
        if value not in self.members:
            number = self.interference.number(value)
            self.members[value] = 1 << number
            self.conflicts[value] = self.interference.conflicts[number]
            self.names[value] = value.name if value.name.strip("_") else ""
        return value

    def join(self, first: Value, second: Value) -> None:
        if first in self.interference.folded or second in self.interference.folded:
            return
        a, b = self.find(first), self.find(second)
        if a is b or not same_variable(a.type, b.type) or isinstance(a.type, Stack):
            return
        if self.conflicts[a] & self.members[b]:
            return
        one, other = self.names[a], self.names[b]
        if one and other and base_of(one) != base_of(other):
            return
        if not (one and other) and (self.members[a] | self.members[b]) & self.parameters:
            return  # a parameter is not rebound to something that is not a version of it
        self.parent[b] = a
        self.members[a] |= self.members[b]
        self.conflicts[a] |= self.conflicts[b]
        self.names[a] = min(one or other, other or one, key=len)


@dataclass
class _Naming:
    classes: _Classes
    reserved: frozenset[str]
    variables: frozenset[str]  # the user's, which temporaries keep away from
    names: dict[Value, str] = field(default_factory=dict)
    holders: dict[str, list[Value]] = field(default_factory=dict)  # a name -> the classes that have it

    def name(self, value: Value, stem: str) -> None:
        if value in self.names:
            return
        leader = self.classes.find(value)
        wanted = self.classes.names[leader] or (f"{stem}_1" if stem in self.variables else stem)
        chosen = next(name for name in versions(wanted) if self.free(name, leader))
        self.holders.setdefault(chosen, []).append(leader)
        values = list(self.classes.interference.numbers)
        for number in bits_of(self.classes.members[leader]):
            self.names[values[number]] = chosen

    def free(self, name: str, leader: Value) -> bool:
        if name in self.reserved:
            return False
        return not any(self.clash(leader, holder) for holder in self.holders.get(name, ()))

    def clash(self, a: Value, b: Value) -> bool:
        if not same_variable(a.type, b.type) or isinstance(a.type, Stack):
            return True
        return bool(self.classes.conflicts[a] & self.classes.members[b])
