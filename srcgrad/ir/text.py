"""The IR as text: valid Python syntax, printed and parsed back to the same program.

``docs/ir.md`` shows the form. A value without a name of the user's prints as ``_1``, ``_2`` ...; locations are not
printed. ``ast`` is lexer and parser.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from srcgrad.ir.build import Builder, Infer
from srcgrad.ir.core import Attribute, Block, Const, Function, Op, Operand, Rules, Value
from srcgrad.ir.types import BOOL, C128, DTYPES, F64, I64, Array, DType, Scalar, Stack, Type

# Primitives whose names are Python keywords.
SPELLED = {"for": "for_", "while": "while_", "if": "if_"}
NAMED = {text: name for name, text in SPELLED.items()}
TEMPORARY = re.compile(r"_\d+")
N = TypeVar("N", bound=ast.AST)
INDENT = "    "


def to_text(function: Function) -> str:
    """The function and its callees, one ``def`` each, the function first."""
    parts = [_printed(function.name, function)]
    parts += [_printed(name, callee) for name, callee in function.callees.items()]
    return "\n".join(parts)


def _printed(name: str, function: Function) -> str:
    rules = [f"@rules({_keywords(function.rules)})"] if function.rules else []
    return "\n".join([*rules, *_Printer().block(name, function.body, "return", "")]) + "\n"


def _keywords(rules: Rules) -> str:
    """The fields that say something, as keyword arguments."""
    said = ((f.name, getattr(rules, f.name)) for f in fields(rules))
    return ", ".join(f"{name}={_attribute(value)}" for name, value in said if value)


@dataclass
class _Printer:
    """Gives each value a name that no other value of the function has."""

    names: dict[Value, str] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)  # a name -> the last suffix given to it

    def name(self, value: Value) -> str:
        if value not in self.names:
            self.names[value] = self.unique(value.name)
        return self.names[value]

    def unique(self, wanted: str) -> str:
        if TEMPORARY.fullmatch(wanted):
            wanted = ""
        number = self.taken.get(wanted, 0)
        name = wanted
        while not name or name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken[wanted] = number
        self.taken.setdefault(name, 0)
        return name

    def block(self, name: str, block: Block, ending: str, indent: str) -> Iterator[str]:
        parameters = ", ".join(f"{self.name(p)}: {p.type!r}" for p in block.parameters)
        yield f"{indent}def {name}({parameters}):"
        inner = indent + INDENT
        for op in block.ops:
            yield from self.op(op, inner)
        if block.yields:
            yield f"{inner}{ending} {', '.join(map(self.operand, block.yields))}"
        elif not block.ops:
            yield f"{inner}pass"

    def op(self, op: Op, indent: str) -> Iterator[str]:
        arguments = [self.operand(x) for x in op.operands]
        arguments += [f"{key}={_attribute(value)}" for key, value in op.attributes.items()]
        call = f"{SPELLED.get(op.primitive, op.primitive)}({', '.join(arguments)})"
        if not op.blocks:
            yield f"{indent}{self.target(op.results)}{call}"
            return
        names = [self.name(v) for v in op.results]
        bound = f" as ({', '.join(names)}{',' if len(names) == 1 else ''})" if names else ""
        yield f"{indent}with {call}{bound}:"
        for inner in op.blocks:
            yield from self.block("_", inner, "yield", indent + INDENT)

    def target(self, results: Sequence[Value]) -> str:
        if not results:
            return ""
        if len(results) == 1:
            return f"{self.name(results[0])}: {results[0].type!r} = "
        return ", ".join(self.name(v) for v in results) + " = "

    def operand(self, operand: Operand) -> str:
        return self.name(operand) if isinstance(operand, Value) else _constant(operand)


def _constant(const: Const) -> str:
    """A literal where its type is the natural one; text in quotes where a literal would lose infinity, NaN or -0."""
    kind = {"b": bool, "f": float, "c": complex}.get(const.dtype.kind, int)
    text = repr(kind(const.value))
    literal = text.strip("()")
    try:
        exact = repr(ast.literal_eval(literal)) == text
    except ValueError:
        exact = False
    if not exact:
        return f'{const.dtype!r}("{text}")'
    return literal if const.dtype in (BOOL, I64, F64, C128) else f"{const.dtype!r}({literal})"


def _attribute(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_attribute, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def parse(text: str, infer: Infer) -> Function:
    """The program that ``text`` stands for: the first ``def``, with the others as its callees.

    Raises
    ------
    SyntaxError
        Where the text is not Python, or not a program of the IR; the message names the line.
    """
    defs = [_expect(node, ast.FunctionDef) for node in ast.parse(text).body]
    functions = {node.name: _function(node, infer) for node in defs}
    first = functions.pop(defs[0].name)
    return replace(first, callees=functions)


def _function(node: ast.FunctionDef, infer: Infer) -> Function:
    parser = _Parser(Builder(infer))
    return Function(node.name, parser.block(node), rules=_rules(node))


def _rules(node: ast.FunctionDef) -> Rules | None:
    if not node.decorator_list:
        return None
    decorator = _expect(node.decorator_list[0], ast.Call)
    given = {k.arg or "": ast.literal_eval(k.value) for k in decorator.keywords}
    return Rules(given.pop("wrt", ()), **given)


@dataclass
class _Parser:
    builder: Builder
    values: dict[str, Value] = field(default_factory=dict)

    def block(self, node: ast.FunctionDef) -> Block:
        parameters = [self.define(a.arg, _type(a.annotation or node)) for a in node.args.args]
        self.builder.open(parameters)
        for statement in node.body:
            if _ending(statement) is None:
                self.statement(statement)
        return self.builder.close([self.operand(x) for x in _ending(node.body[-1]) or ()])

    def define(self, name: str, type_: Type) -> Value:
        self.values[name] = Value(type_, "" if TEMPORARY.fullmatch(name) else name)
        return self.values[name]

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Pass():
                return
            case ast.AnnAssign(ast.Name(name), annotation, ast.Call() as call):
                (value,) = self.op(call, (name,), ())
                if value.type != _type(annotation):
                    raise _wrong(node, f"the type is {value.type!r}")
            case ast.Assign([ast.Tuple(targets)], ast.Call() as call):
                self.op(call, [_expect(t, ast.Name).id for t in targets], ())
            case ast.Expr(ast.Call() as call):
                self.op(call, (), ())
            case ast.With([ast.withitem(ast.Call() as call, bound)], body):
                names = [_expect(t, ast.Name).id for t in bound.elts] if isinstance(bound, ast.Tuple) else []
                self.op(call, names, [_expect(b, ast.FunctionDef) for b in body])
            case _:
                raise _wrong(node, "not an op")

    def op(self, call: ast.Call, names: Sequence[str], blocks: Sequence[ast.FunctionDef]) -> tuple[Value, ...]:
        word = _expect(call.func, ast.Name).id
        operands = [self.operand(x) for x in call.args]
        attributes: Mapping[str, Attribute] = {k.arg or "": _parsed_attribute(k.value) for k in call.keywords}
        inner = [self.block(b) for b in blocks]
        given = ["" if TEMPORARY.fullmatch(n) else n for n in names]
        try:
            results = self.builder.emit(NAMED.get(word, word), *operands, blocks=inner, names=given, **attributes)
        except (AssertionError, KeyError, ValueError) as fault:
            raise _wrong(call, f"{type(fault).__name__} {fault}") from fault
        self.values.update(zip(names, results, strict=True))
        return results

    def operand(self, node: ast.expr) -> Operand:
        match node:
            case ast.Name(name):
                if name not in self.values:
                    raise _wrong(node, f"{name} is not defined")
                return self.values[name]
            case ast.Call(ast.Name(name), [value]) if name in DTYPES:
                return _const(ast.literal_eval(value), DTYPES[name])
            case _:
                value = ast.literal_eval(node)
                return _const(value, {bool: BOOL, int: I64, float: F64, complex: C128}[type(value)])


def _ending(node: ast.stmt) -> list[ast.expr] | None:
    """What a ``yield`` or ``return`` gives; None for any other statement."""
    match node:
        case ast.Expr(ast.Yield(value)) | ast.Return(value):
            if value is None:
                return []
            return value.elts if isinstance(value, ast.Tuple) else [value]
    return None


def _const(value: object, dtype: DType) -> Const:
    kind = {"b": bool, "f": float, "c": complex}.get(dtype.kind, int)
    return Const(kind(value), dtype)


def _type(node: ast.AST) -> Type:
    """``f64``, ``f64[:, 1, 'F']``, ``f64[()]``, ``stack[f64]``."""
    match node:
        case ast.Name(name) if name in DTYPES:
            return Scalar(DTYPES[name])
        case ast.Subscript(ast.Name("stack"), element):
            inner = _type(element)
            assert isinstance(inner, Scalar | Array)
            return Stack(inner)
        case ast.Subscript(ast.Name(name), axes) if name in DTYPES:
            parts = axes.elts if isinstance(axes, ast.Tuple) else [axes]
            layouts = [a.value for a in parts if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            kept = [a for a in parts if not (isinstance(a, ast.Constant) and isinstance(a.value, str))]
            ones = frozenset(k for k, a in enumerate(kept) if isinstance(a, ast.Constant))
            rank = sum(not isinstance(a, ast.Tuple) for a in kept)  # f64[(), 'F'] has rank 0
            return Array(DTYPES[name], rank, layouts[0] if layouts else "C", ones)
    raise _wrong(node, "not a type")


def _parsed_attribute(node: ast.expr) -> Attribute:
    """A dtype's name is a DType by itself, and a type inside a tuple."""
    if isinstance(node, ast.Name) and node.id in DTYPES:
        return DTYPES[node.id]
    if isinstance(node, ast.Tuple):
        return tuple(_element(x) for x in node.elts)
    return ast.literal_eval(node)  # type: ignore[no-any-return]  # a literal


def _element(node: ast.expr) -> object:
    return _type(node) if isinstance(node, ast.Name | ast.Subscript) else _parsed_attribute(node)


def _expect(node: ast.AST, kind: type[N]) -> N:
    if not isinstance(node, kind):
        raise _wrong(node, f"expected {kind.__name__}")
    return node


def _wrong(node: ast.AST, what: str) -> SyntaxError:
    return SyntaxError(f"line {getattr(node, 'lineno', '?')} of the IR, {ast.unparse(node)!r}: {what}")
