"""Where paths meet: one structure for the values a variable may have, and the operands that carry them.

``describe`` gives a value's structure, ``join`` the structure that holds two of them, ``flatten`` the operands
of a value in a structure (with the casts that takes), ``rebuild`` the value from operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from srcgrad.errors import Error, UnsupportedError
from srcgrad.frontend import values
from srcgrad.frontend.arrays.delayed import materialized
from srcgrad.frontend.arrays.stores import keep_apart
from srcgrad.frontend.boundary.pytree import Identity, function_key, leaves_of
from srcgrad.frontend.boundary.structure import Choice, Leaf, Maybe, Static, Structure, Tree
from srcgrad.frontend.containers.list_state import ListOfItems, will_hold
from srcgrad.frontend.control.one_of_lists import OneOfLists, joined_lists, operands_of_list, rebuilt_list
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.classes import several
from srcgrad.frontend.numbers.promotion import as_scalar, cast, promoted
from srcgrad.frontend.scope import Scope
from srcgrad.frontend.values import ArrayValue, Cell, Counted, Delayed, FrontValue, ScalarValue, SinglePass, TupleValue
from srcgrad.ir.core import Const, Operand, constant, index, truth
from srcgrad.ir.types import Array, Scalar, Type

NONE = Static(None, None)


class JoinError(Exception):
    """Two values that no one structure holds; says what they are, and whether both are numbers or arrays."""

    leaves: bool = False


def settle(lowering: Lowering, value: FrontValue) -> FrontValue:
    """The value with memory for every array expression in it."""
    if isinstance(value, Delayed | ArrayValue):
        return keep_apart(lowering.builder, materialized(lowering.builder, value))
    if isinstance(value, TupleValue) and any(isinstance(v, Delayed | TupleValue | ArrayValue) for v in value.items):
        items = tuple(settle(lowering, v) for v in value.items)
        if value.mutable:
            value.places = tuple(p if isinstance(p, Cell) else v for p, v in zip(value.places, items, strict=True))
            return value
        return TupleValue(items, value.cls, value.keys, value.home)
    return value


def held(lowering: Lowering, value: FrontValue) -> FrontValue:
    """The value as a variable or parameter holds it: with memory, and such that it can be read twice."""
    refuse_iterator(lowering, value)
    if isinstance(value, TupleValue):
        will_hold(lowering, value)
    return settle(lowering, value)


def refuse_iterator(lowering: Lowering, value: FrontValue) -> None:
    """What can be gone through only once is not kept: where it is used again, it would begin again."""
    if (
        isinstance(value, values.Yielding)
        or (isinstance(value, Counted) and value.once)
        or (isinstance(value, TupleValue) and value.cls is SinglePass)
    ):
        hint = "Loop over it where it is made, or make a tuple() of it."
        lowering.refuse(None, "an iterator is kept in a variable: it could be used only once", hint)


def describe(value: FrontValue) -> Structure:
    """The structure of a settled value."""
    match value:
        case ScalarValue():
            return Leaf(Scalar(value.dtype), value.weak, classes=value.classes)
        case ArrayValue():
            return Leaf(value.type)
        case TupleValue():
            return Tree(value.cls, value.keys, tuple(describe(v) for v in value.items))  # type: ignore[arg-type]  # dict keys may be any constant here
        case values.Static():
            return Static(value.value, _key(value.value))
        case values.OneOf(options=options):
            return Choice(tuple(_option(describe(f)) for f in options))
        case values.MaybeNone(some=some):
            return Maybe(describe(some))
        case values.Closure(node=node, scope=scope) if not value.defaults:
            return Static(value, (Identity(node), Identity(scope)))
        case _:
            return Static(value, Identity(value))


@dataclass(frozen=True, eq=False)
class Changeable(Static):
    """A container that can be changed, as that very object; ``items`` are what was in it when this was made."""

    value: TupleValue
    items: tuple[Structure, ...]


def identified(value: FrontValue) -> Structure:
    """The structure of a value in which what can be changed is that very object, and not what is in it now."""
    if isinstance(value, values.MaybeNone):
        return Maybe(identified(value.some))
    if not isinstance(value, TupleValue):
        return describe(value)
    items = tuple(identified(v) for v in value.items)
    if value.mutable:
        return Changeable(value, Identity(value), items)
    return Tree(value.cls, value.keys, items)  # type: ignore[arg-type]  # as in describe


def contents(s: Structure) -> Structure:
    """The structure in which an object that can be changed is what was in it."""
    if isinstance(s, Changeable):
        return Tree(s.value.cls, s.value.keys, tuple(contents(c) for c in s.items))  # type: ignore[arg-type]  # as in describe
    if isinstance(s, Tree):
        return Tree(s.cls, s.keys, tuple(contents(c) for c in s.children))
    return Maybe(contents(s.some)) if isinstance(s, Maybe) else s


def freeze(s: Structure) -> None:
    """Refuse changes from now on to the objects of which a copy has been made: it would not see them."""
    if isinstance(s, Static) and isinstance(s.value, values.GrowingList):
        s.value.shared.append(True)
    if isinstance(s, Changeable):
        s.value.home = s.value.origin = None
        for item in s.items:
            freeze(item)
    if isinstance(s, Tree | Maybe):
        for child in parts_of(s):
            freeze(child)


def parts_of(s: Tree | Maybe) -> tuple[Structure, ...]:
    """The structures of which one is made."""
    return (s.some,) if isinstance(s, Maybe) else s.children


def outlives(lowering: Lowering, s: Structure) -> bool:
    """Whether the objects in a structure were made in front of the block that has just been lowered."""
    if isinstance(s, Changeable):
        return lowering.builder.is_open(s.value.home)
    return not isinstance(s, Tree | Maybe) or all(outlives(lowering, c) for c in parts_of(s))


def escapes(lowering: Lowering, s: Structure) -> bool:
    """Whether a function in a structure was made by a call inside the block that has just been lowered.

    Only there the variables of that call have values.
    """
    if isinstance(s, Tree | Maybe):
        return any(escapes(lowering, c) for c in parts_of(s))
    made_by = [f.value.scope for f in _options(s) if isinstance(f.value, values.Closure)]
    while made_by:
        scope = made_by.pop()
        assert isinstance(scope, Scope)
        if scope.home is not None and not lowering.builder.is_open(scope.home):
            return True
        made_by += [scope.parent] if scope.parent is not None else []
    return False


def _option(s: Structure) -> Static:
    assert isinstance(s, Static)
    return s


def _options(s: Structure) -> tuple[Static, ...]:
    """The functions or strings that a structure may stand for; () for anything else."""
    if isinstance(s, Choice):
        return s.options
    if isinstance(s, Static) and (isinstance(s.value, values.Closure | str | None | Enum) or callable(s.value)):
        return (s,)
    return ()


def _key(value: object) -> object:
    if isinstance(value, bool | int | float | complex):
        return (type(value), repr(value))
    if isinstance(value, str | None | type(Ellipsis)):
        return value
    return function_key(value) if callable(value) else Identity(value)


def join(a: Structure, b: Structure) -> Structure:
    """The structure that holds both; JoinError where there is none."""
    if a == b:
        return a
    a, b = contents(a), contents(b)
    lists = joined_lists(a, b)
    if lists is not None:
        return lists
    if _is_number(a) and _is_number(b):
        samples = [_sample(a), _sample(b)]
        dtype, weak = promoted(samples)
        return Leaf(Scalar(dtype), weak, classes=several(*samples))
    match a, b:
        case Leaf(type=Array() as x), Leaf(type=Array() as y) if (x.dtype, x.rank) == (y.dtype, y.rank):
            return Leaf(x if x == y else Array(x.dtype, x.rank, "A"))
        case Tree(), Tree() if (a.cls, a.keys, len(a.children)) == (b.cls, b.keys, len(b.children)):
            return Tree(a.cls, a.keys, tuple(join(x, y) for x, y in zip(a.children, b.children, strict=True)))
    options = (*_options(a), *_options(b))
    if _options(a) and _options(b) and not any(map(holds_operands, options)):
        return Choice(tuple(dict.fromkeys(options)))
    if NONE in (a, b) or Maybe in (type(a), type(b)):
        return _joined_maybe(a, b)
    fault = JoinError(f"{spelled(a)} or {spelled(b)}")
    fault.leaves = all(isinstance(s, Leaf) or _is_number(s) for s in (a, b))
    raise fault


def _joined_maybe(a: Structure, b: Structure) -> Structure:
    """The structure of a value that is None on some paths."""
    a, b = (s.some if isinstance(s, Maybe) else s for s in (a, b))
    if NONE in (a, b):
        return Maybe(dynamic(b if a == NONE else a))
    return Maybe(join(dynamic(a), dynamic(b)))


def _is_number(s: Structure) -> bool:
    if isinstance(s, Static):
        return isinstance(s.value, bool | int | float | complex)
    return isinstance(s, Leaf) and isinstance(s.type, Scalar)


def _sample(s: Structure) -> ScalarValue:
    """Some number of that type."""
    if isinstance(s, Static):
        return as_scalar(values.Static(s.value))
    assert isinstance(s, Leaf) and isinstance(s.type, Scalar)
    return ScalarValue(constant(0, s.type.dtype), s.weak, s.classes)


def spelled(s: Structure) -> str:
    """A structure in the user's words."""
    match s:
        case Leaf(type=Array(dtype=dtype, rank=rank)):
            return f"an array of rank {rank} and dtype {dtype.numpy}"
        case Leaf(type=type_):
            return f"a number ({type_.dtype.numpy})"
        case Tree(cls=cls, children=(_, item)) if cls is ListOfItems:
            return f"a list of run-time length, with {spelled(item)} in it"
        case Tree(cls=cls, children=children):
            return f"a {cls.__name__} of {len(children)}"
        case Choice(options=options):
            return f"one of {len(options)} functions or strings"
        case Maybe(some=some):
            return f"{spelled(some)} or None"
        case Static(value=values.Bound()):
            return "a partial call"
        case Static(value=values.Counted()):
            return "a sequence of run-time length"
        case Static(value=values.Yielding()):
            return "a generator"
        case Static(value=values.SliceValue()):
            return "a slice"
        case Static(value=values.GrowingList()):
            return "a list of run-time length"
        case Static(value=values.Closure() as closure):
            return f"the function {closure.name}"
        case Static(value=value):
            return repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"


def dynamic(s: Structure) -> Structure:
    """The structure with numbers known now turned into numbers at run time."""
    if isinstance(s, Static) and _is_number(s):
        return Leaf(Scalar(_sample(s).dtype), weak=True)
    if isinstance(s, Tree):
        return Tree(s.cls, s.keys, tuple(dynamic(c) for c in s.children))
    return Maybe(dynamic(s.some)) if isinstance(s, Maybe) else s


def types_of(s: Structure) -> list[Type]:
    return [leaf.type for leaf in leaves_of(s)]


def flatten(lowering: Lowering, value: FrontValue, s: Structure) -> list[Operand]:
    """The operands of a value in a structure that holds it."""
    if isinstance(s, Static):
        return []
    if isinstance(s, Choice):
        return [_tag(lowering, value, s)]
    if isinstance(s, Maybe):
        return _maybe_operands(lowering, value, s)
    if isinstance(s, Tree) and s.cls is OneOfLists:
        return operands_of_list(lowering, value, s)
    if isinstance(s, Tree):
        assert isinstance(value, TupleValue)
        return [x for v, c in zip(value.items, s.children, strict=True) for x in flatten(lowering, v, c)]
    if isinstance(s.type, Scalar):
        assert isinstance(value, ScalarValue | values.Static)
        return [cast(lowering.builder, as_scalar(value).operand, s.type.dtype)]
    assert isinstance(value, ArrayValue | Delayed)
    ref = materialized(lowering.builder, value).ref
    return [ref if ref.type == s.type else lowering.builder("relax", ref)]


def _maybe_operands(lowering: Lowering, value: FrontValue, s: Maybe) -> list[Operand]:
    if isinstance(value, values.Static) and value.value is None:
        return [*fillers(lowering, s.some), truth(False)]
    if isinstance(value, values.MaybeNone):
        return [*flatten(lowering, value.some, s.some), value.given]
    return [*flatten(lowering, value, s.some), truth(True)]


def _tag(lowering: Lowering, value: FrontValue, s: Choice) -> Operand:
    """The number of a function among those of a choice."""
    if not isinstance(value, values.OneOf):
        return index(s.options.index(_option(describe(value))))
    own = [s.options.index(_option(describe(f))) for f in value.options]
    if own == list(range(len(own))):
        return value.tag
    tag: Operand = index(own[-1])
    for k, position in enumerate(own[:-1]):
        here = lowering.builder("eq", value.tag, index(k))
        tag = lowering.builder("select", here, index(position), tag)
    return tag


def rebuild(lowering: Lowering, s: Structure, operands: Iterator[Operand]) -> FrontValue:
    """The value of a structure, its leaves taken from ``operands``. Containers in it cannot be changed (``freeze``)."""
    match s:
        case Static(value=value):
            known = (
                values.Message
                | values.Closure
                | values.Bound
                | values.Counted
                | values.GrowingList
                | values.SliceValue
                | TupleValue
            )
            return value if isinstance(value, known) else values.Static(value)
        case Choice(options=options):
            functions = tuple(rebuild(lowering, f, operands) for f in options)
            return values.OneOf(next(operands), functions)  # type: ignore[arg-type]  # of Static structures
        case Maybe(some=structure):
            some = rebuild(lowering, structure, operands)
            return values.MaybeNone(some, next(operands))
        case Tree(cls=cls) if cls is OneOfLists:
            return rebuilt_list(lowering, s, operands)
        case Tree(cls=cls, keys=keys, children=children):
            items = tuple(rebuild(lowering, c, operands) for c in children)
            return TupleValue(items, cls, keys)
        case Leaf(type=Scalar(), weak=weak, classes=classes):
            return simplified(ScalarValue(next(operands), weak, classes))
        case Leaf():
            ref = next(operands)
            assert not isinstance(ref, Const)
            return ArrayValue(ref)


def simplified(value: ScalarValue) -> FrontValue:
    """A weak constant is a static number."""
    known = value.weak and not value.classes and isinstance(value.operand, Const)
    return values.Static(value.operand.value) if known else value  # type: ignore[union-attr]  # a Const


def fillers(lowering: Lowering, s: Structure) -> list[Operand]:
    """Operands of these types for a path on which they are never looked at."""
    return [filler(lowering, leaf.type) for leaf in leaves_of(s)]


def filler(lowering: Lowering, type_: Type) -> Operand:
    if isinstance(type_, Scalar):
        return constant(0, type_.dtype)
    assert isinstance(type_, Array)
    extents = [index(1 if axis in type_.ones else 0) for axis in range(type_.rank)]
    if type_.layout == "F":
        extents.reverse()
    array = lowering.builder("alloc", *extents, dtype=type_.dtype, fill="empty")
    if type_.layout == "F" and type_.rank > 1:
        array = lowering.builder("transpose", array, permutation=tuple(reversed(range(type_.rank))))
    return array if array.type == type_ else lowering.builder("relax", array)


def refuse_join(lowering: Lowering, what: str, fault: JoinError, error: type[Error] = UnsupportedError) -> Error:
    return lowering.error(
        None, f"{what} is {fault} depending on the path taken", "Give it the same type on every path.", error
    )


def holds_operands(s: Structure) -> bool:
    """Whether something that counts as known at compile time has run-time values inside, as a partial call may."""
    match s:
        case Tree() | Maybe():
            return any(map(holds_operands, parts_of(s)))
        case Static(value=values.Counted() | values.Message()):
            return True
        case Static(value=values.GrowingList(row=place)):
            return place is not None
        case Static(value=values.SliceValue() as part):
            return any(not isinstance(v, values.Static) for v in (part.start, part.stop, part.step))
        case Static(value=values.Bound() as bound):
            return any(not isinstance(v, values.Static) for v in (*bound.arguments, *bound.keywords.values()))
        case Static(value=values.Closure() as closure):
            return any(not isinstance(v, values.Static) for v in closure.defaults.values())
    return False


def has_array(s: Structure) -> bool:
    return any(isinstance(leaf.type, Array) for leaf in leaves_of(s))
