"""Statements rewritten into simpler ones: `match` into `if`, `with` and `try` into statements without exits inside.

::

    match k:                       if k == 0:
        case 0:                        y = x
            y = x            ->    else:
        case n if n > 5:               n = k
            y = n * x                  if n > 5:
                                           y = n * x

What remains of a `with` only names its contexts; what remains of a `try` says in a variable, its attribute ``caught``,
which of its handlers is to run: 0 for none. Where an exception is raised again, by a handler or behind a `finally`,
another variable (``passing``) says which: ``raise`` of that variable raises it. ``subset`` has refused what cannot be
rewritten.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from srcgrad.frontend.syntax.exits import completes, exits, kind_of
from srcgrad.frontend.syntax.fresh_names import FreshNames

SHOWING = ("print", "warn", "debug", "info", "warning", "error", "exception", "critical", "log")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def desugar(function: ast.FunctionDef) -> ast.FunctionDef:
    """The same function in fewer kinds of statements. Nested functions are left as they are."""
    if not any(isinstance(n, ast.Match | ast.With | ast.Try) for n in ast.walk(function)):
        return function
    kept = {name: getattr(function, name) for name in function._fields if name != "body"}
    body = _Desugar(function).block(function.body)
    return ast.fix_missing_locations(ast.copy_location(ast.FunctionDef(body=body, **kept), function))


class _Desugar:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.fresh = FreshNames(function)

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [new for statement in statements for new in self.statement(statement)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Match():
                return self.matching(node)
            case ast.With():
                named = ast.copy_location(ast.With(node.items, [ast.Pass()]), node)
                return [named, *self.block(node.body)]
            case ast.Try():
                return self.trying(node)
            case ast.If() | ast.For() | ast.While():
                parts = {name: getattr(node, name) for name in node._fields}
                parts["body"], parts["orelse"] = self.block(node.body), self.block(node.orelse)
                return [ast.copy_location(type(node)(**parts), node)]
        return [node]

    # -- match ------------------------------------------------------------------------------------------

    def matching(self, node: ast.Match) -> list[ast.stmt]:
        if isinstance(node.subject, ast.Name):
            return self.cases(node.subject, node.cases)
        name = self.fresh("subject")
        first = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], node.subject), node)
        return [first, *self.cases(ast.copy_location(ast.Name(name, ast.Load()), node.subject), node.cases)]

    def cases(self, subject: ast.expr, cases: Sequence[ast.match_case]) -> list[ast.stmt]:
        if not cases:
            return []
        case, *rest = cases
        tests, names = _pattern(subject, case.pattern)
        bindings: list[ast.stmt] = [
            ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), case.pattern) for name, value in names
        ]
        body = self.block(case.body)
        if case.guard is None:
            body, bindings = [*bindings, *body], []
        else:  # a capture that the guard reads is bound whether or not the guard holds, as in Python
            tests.append(case.guard)
        if not tests:
            return body
        test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), tests), case.pattern)
        branch = ast.copy_location(ast.If(test, body, self.cases(subject, rest)), case.pattern)
        return [*bindings, branch]

    # -- try --------------------------------------------------------------------------------------------

    def trying(self, node: ast.Try) -> list[ast.stmt]:
        if not node.finalbody:
            return self.caught(node)
        lowered, tried, dispatch = self.left(self.caught(node), [], node)
        passing = self.fresh("passing")
        tried.passing = passing  # type: ignore[attr-defined]  # read by passing_of
        raised = ast.Compare(ast.Name(passing, ast.Load()), [ast.NotEq()], [ast.Constant(0)])
        again = ast.copy_location(ast.If(raised, [ast.Raise(ast.Name(passing, ast.Load()))], []), node)
        first = _assign(passing, ast.Constant(0), node)
        return [first, *lowered, tried, *self.block(node.finalbody), again, *dispatch]

    def caught(self, node: ast.Try) -> list[ast.stmt]:
        """A `try` without its last block."""
        if not node.handlers:
            return [*self.block(node.body), *self.block(node.orelse)]
        types = [_type_of(h) for h in node.handlers]
        lowered, tried, dispatch = self.left(self.block(node.body), types, node)
        caught = self.fresh("caught")
        tried.caught = caught  # type: ignore[attr-defined]  # read by caught_by
        passing = self.fresh("passing") if any(_raises_again(h) for h in node.handlers) else ""
        tried.passing = passing  # type: ignore[attr-defined]  # read by passing_of
        behind = [*dispatch, *self.block(node.orelse)]
        for k, handler in reversed(list(enumerate(node.handlers, 1))):
            failed = self.block(_without_exception(handler, passing))
            is_it = ast.Compare(ast.Name(caught, ast.Load()), [ast.Eq()], [ast.Constant(k)])
            behind = [ast.copy_location(ast.If(ast.copy_location(is_it, handler), failed, behind), handler)]
        first = [_assign(name, ast.Constant(0), node) for name in (caught, passing) if name]
        return [*first, *lowered, tried, *behind]

    def left(
        self, body: list[ast.stmt], handlers: list[ast.ExceptHandler], node: ast.Try
    ) -> tuple[list[ast.stmt], ast.Try, list[ast.stmt]]:
        """A `try` whose exits set flags and keep what they return; what lowers the flags, and what looks at them."""
        different = {kind_of(e): e for s in body for e in exits(s)}
        certain = not completes(body)
        ways: dict[str, tuple[str, str]] = {}
        dispatch: list[ast.stmt] = []
        for k, (kind, e) in enumerate(different.items(), 1):
            value = self.fresh("value") if isinstance(e, ast.Return) and e.value is not None else ""
            leave = ast.copy_location(ast.Return(ast.copy_location(ast.Name(value, ast.Load()), e)), e) if value else e
            last = certain and k == len(different)  # nothing else is left
            flag = "" if last else self.fresh("left")
            ways[kind] = flag, value
            dispatch.append(leave if last else ast.copy_location(ast.If(ast.Name(flag, ast.Load()), [leave], []), e))
        tried = ast.copy_location(ast.Try(body, handlers, [], []), node)
        tried.leaving = ways  # type: ignore[attr-defined]  # read by leaving
        return [_assign(flag, ast.Constant(False), node) for flag, _ in ways.values() if flag], tried, dispatch


def _type_of(handler: ast.ExceptHandler) -> ast.ExceptHandler:
    """A handler without what it does, but for one that only raises again."""
    body: list[ast.stmt] = [ast.Raise() if raises_alone(handler) else ast.Pass()]
    return ast.copy_location(ast.ExceptHandler(handler.type, None, body), handler)


def raises_alone(handler: ast.ExceptHandler) -> bool:
    """Whether a handler only raises what it has caught."""
    first = handler.body[0]
    return isinstance(first, ast.Raise) and first.cause is None and _is_again(first, handler)


def is_shown_by(node: ast.AST) -> bool:
    """Whether a node shows its values to a reader, and nothing is computed from them."""
    if isinstance(node, ast.Raise):
        return True
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in SHOWING


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler that does something else, too, raises what it has caught."""
    nodes = [n for s in handler.body for n in ast.walk(s)]
    return not raises_alone(handler) and any(isinstance(n, ast.Raise) and _is_again(n, handler) for n in nodes)


def _is_again(node: ast.Raise, handler: ast.ExceptHandler) -> bool:
    """Whether what is raised is what the handler has caught, or what one in it has."""
    return node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == handler.name)


def _without_exception(handler: ast.ExceptHandler, passing: str) -> Sequence[ast.stmt]:
    """The body of a handler in which what is caught is a text, and the variable ``passing`` where it is raised."""
    nodes = [n for s in handler.body for n in ast.walk(s)]
    named = handler.name and any(isinstance(n, ast.Name) and n.id == handler.name for n in nodes)
    if raises_alone(handler):  # which is never said to have caught anything
        cls = ast.copy_location(ast.Name("Exception", ast.Load()), handler)
        return [ast.copy_location(ast.Raise(cls), handler)]
    if named or _raises_again(handler):
        return [_Again(handler, passing).visit(copy.deepcopy(s)) for s in handler.body]
    return handler.body


class _Again(ast.NodeTransformer):
    """What is raised again is named by a variable; the exception is shown by the name of its class."""

    def __init__(self, handler: ast.ExceptHandler, passing: str) -> None:
        caught = handler.type or ast.copy_location(ast.Name("Exception", ast.Load()), handler)
        self.handler, self.passing = handler, passing
        self.name = handler.name
        self.shown = ast.copy_location(ast.Constant(ast.unparse(caught)), handler)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if not _is_again(node, self.handler):
            return self.generic_visit(node)
        return ast.fix_missing_locations(ast.copy_location(ast.Raise(ast.Name(self.passing, ast.Load())), node))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.shown if node.id == self.name else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._part(node, node.value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._part(node, node.value)

    def _part(self, node: ast.AST, whole: ast.AST) -> ast.AST:
        """`e.args[0]` is shown as `e` is."""
        while isinstance(whole, ast.Attribute | ast.Subscript):
            whole = whole.value
        return self.shown if isinstance(whole, ast.Name) and whole.id == self.name else self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> ast.Try:
        return node


def _assign(name: str, value: ast.expr, where: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), where)


def leaving(node: ast.Try) -> dict[str, tuple[str, str]]:
    """For each way of leaving a `try` the flag that it sets and the variable that holds what it returns, if any."""
    ways: dict[str, tuple[str, str]] = node.leaving  # type: ignore[attr-defined]  # set above
    return ways


def caught_by(node: ast.Try) -> str:
    """The variable that says which handler is to run; "" of a `try` that only has a `finally`."""
    return getattr(node, "caught", "")


def passing_of(node: ast.Try) -> str:
    """The variable that says which exception is raised again behind the `try`; "" where none is."""
    return getattr(node, "passing", "")


def _pattern(subject: ast.expr, pattern: ast.pattern) -> tuple[list[ast.expr], list[tuple[str, ast.expr]]]:
    """The tests that a subject must pass, in order, and the names that are then bound."""
    match pattern:
        case ast.MatchValue(value=value):
            return [_at(ast.Compare(subject, [ast.Eq()], [value]), pattern)], []
        case ast.MatchSingleton(value=value):
            return [_at(ast.Compare(subject, [ast.Is()], [ast.Constant(value)]), pattern)], []
        case ast.MatchAs(pattern=None, name=None):
            return [], []
        case ast.MatchAs(pattern=None, name=str() as name):
            return [], [(name, subject)]
        case ast.MatchAs(pattern=ast.pattern() as inner, name=str() as name):
            tests, names = _pattern(subject, inner)
            return tests, [*names, (name, subject)]
        case ast.MatchOr(patterns=patterns):
            tests = [_all([*_pattern(subject, p)[0]], p) for p in patterns]
            return [_at(ast.BoolOp(ast.Or(), tests), pattern)], []
        case ast.MatchSequence(patterns=patterns):
            return _sequence(subject, pattern, patterns)
        case ast.MatchClass(cls=cls, patterns=positional, kwd_attrs=attributes, kwd_patterns=patterns):
            tests, names = [_call("isinstance", subject, cls, pattern)], []
            parts = [(subject, p) for p in positional]  # of int, float, str ...: the subject itself
            parts += [
                (_at(ast.Attribute(subject, a, ast.Load()), pattern), p)
                for a, p in zip(attributes, patterns, strict=True)
            ]
            return _several(tests, names, parts)
    raise AssertionError(f"subset lets {ast.dump(pattern)} pass")


def _sequence(
    subject: ast.expr, pattern: ast.pattern, patterns: Sequence[ast.pattern]
) -> tuple[list[ast.expr], list[tuple[str, ast.expr]]]:
    kinds = _at(ast.Tuple([ast.Name("tuple", ast.Load()), ast.Name("list", ast.Load())], ast.Load()), pattern)
    length = ast.Compare(_call("len", subject, None, pattern), [ast.Eq()], [ast.Constant(len(patterns))])
    tests = [_call("isinstance", subject, kinds, pattern), _at(length, pattern)]
    items = [_at(ast.Subscript(subject, ast.Constant(k), ast.Load()), pattern) for k in range(len(patterns))]
    return _several(tests, [], list(zip(items, patterns, strict=True)))


def _several(
    tests: list[ast.expr], names: list[tuple[str, ast.expr]], parts: Sequence[tuple[ast.expr, ast.pattern]]
) -> tuple[list[ast.expr], list[tuple[str, ast.expr]]]:
    for part, pattern in parts:
        more_tests, more_names = _pattern(part, pattern)
        tests, names = [*tests, *more_tests], [*names, *more_names]
    return tests, names


def _all(tests: list[ast.expr], where: ast.AST) -> ast.expr:
    if not tests:
        return _at(ast.Constant(True), where)
    return tests[0] if len(tests) == 1 else _at(ast.BoolOp(ast.And(), tests), where)


def _call(function: str, first: ast.expr, second: ast.expr | None, where: ast.AST) -> ast.expr:
    arguments = [first] if second is None else [first, second]
    return _at(ast.Call(ast.Name(function, ast.Load()), arguments, []), where)


def _at(node: ast.expr, where: ast.AST) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(node, where))
