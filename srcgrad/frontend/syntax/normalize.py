"""One exit per block: rewrites `break`, `continue`, early `return` and loops' `else` into structured form.

What remains is straight statements, `if`, `for` and `while`, with one `return` at the end::

    for v in x:                          stop = False
        if v < 0.0:                      for v in x:              # its attribute `stop` is "stop"
            continue                         if v < 0.0:
        s += v                  ->               pass
        if s > 10.0:                         else:
            return s * v                         s += v
    return s                                     if s > 10.0:
                                                     stop = True
                                         if stop:
                                             result = s * v
                                         else:
                                             result = s
                                         return result

Where a branch leaves, the rest of the block moves into the other branch; a flag is used only where a loop, or
a branch that leaves on some of its paths, has to be left. The expression of a `return` inside a loop is
evaluated behind the loop, where nothing has changed since: so the result is bound on every path, whatever its type.

A branch that only raises becomes a guard, `if test: raise ...`, with the other branch behind it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from srcgrad.frontend.syntax.desugar import caught_by, leaving, passing_of
from srcgrad.frontend.syntax.exits import Exit, Loop, completes, exits, kind_of, may_complete, nested, raises
from srcgrad.frontend.syntax.fresh_names import FreshNames

# What takes the place of an exit; control then goes to the end of the region being rewritten.
Leave = Callable[[Exit], list[ast.stmt]]


def normalize(function: ast.FunctionDef) -> ast.FunctionDef:
    """The same function with one exit per block. Nested functions are left as they are.

    Every loop has an attribute ``stop``: the name of the flag that, when true, ends the loop before the
    next iteration, or None. Nodes may be shared between statements; do not change them.
    """
    return _Normalizer(function).function()


def stop_flag(loop: ast.For | ast.While) -> str | None:
    """The name of the flag that ends the loop before its next iteration; a `while` tests it itself."""
    flag: str | None = getattr(loop, "stop", None)
    return flag


class _Normalizer:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.source = function
        self.fresh = FreshNames(function)

    def function(self) -> ast.FunctionDef:
        body = list(self.source.body)
        if completes(body):
            body.append(ast.copy_location(ast.Return(ast.Constant(None)), self.source))
        last = body[-1]
        if isinstance(last, ast.Return) and not any(True for s in body[:-1] for _ in exits(s)):
            return self.with_body([*self.region(body[:-1], _nowhere), last])
        if raises(body):
            return self.with_body([*self.region(body, _nowhere), ast.Return(ast.Constant(None))])
        result = self.fresh("result")
        statements = self.region(body, lambda e: [_assign(result, _returned(e), e)])
        return self.with_body([*statements, ast.copy_location(ast.Return(_name(result)), self.source)])

    def with_body(self, body: list[ast.stmt]) -> ast.FunctionDef:
        f = self.source
        kept = {name: getattr(f, name) for name in f._fields if name != "body"}
        return ast.fix_missing_locations(ast.copy_location(ast.FunctionDef(body=body, **kept), f))

    def region(self, block: Sequence[ast.stmt], leave: Leave) -> list[ast.stmt]:
        """The block with every exit replaced; all paths then reach its end."""
        done: list[ast.stmt] = []
        for k, statement in enumerate(block):
            rest = block[k + 1 :]
            if isinstance(statement, Exit):
                return done + leave(statement)
            if isinstance(statement, ast.Raise):
                return [*done, statement]
            if isinstance(statement, ast.If):
                if any(True for _ in exits(statement)) or not may_complete(statement) or _has_guard(statement):
                    return done + self.branch(statement, rest, leave)
                done.append(self.plain_branch(statement, leave))
            elif isinstance(statement, Loop):
                prologue, behind = self.loop(statement)
                done += prologue
                if behind:
                    return done + self.region([*behind, *rest], leave)
            elif isinstance(statement, ast.Try):
                done += self.attempt(statement)
            else:
                done.append(statement)
        return done

    def attempt(self, statement: ast.Try) -> list[ast.stmt]:
        """A `try` whose exits say in variables that they have been reached: see ``desugar``."""

        def leave(e: Exit) -> list[ast.stmt]:
            flag, value = leaving(statement)[kind_of(e)]
            raised = [_assign(flag, ast.Constant(True), e)] if flag else []
            return [_assign(value, _returned(e), e), *raised] if value else raised

        body = self.region(statement.body, leave)
        new = ast.Try(body, statement.handlers, [], [])
        new.caught = caught_by(statement)  # type: ignore[attr-defined]  # read by caught_by
        new.passing = passing_of(statement)  # type: ignore[attr-defined]  # read by passing_of
        return [ast.fix_missing_locations(ast.copy_location(new, statement))]

    def plain_branch(self, statement: ast.If, leave: Leave) -> ast.stmt:
        return _if(statement.test, self.region(statement.body, leave), self.region(statement.orelse, leave), statement)

    def branch(self, statement: ast.If, rest: Sequence[ast.stmt], leave: Leave) -> list[ast.stmt]:
        """An `if` that may leave, and what follows it in the region."""
        test, then, otherwise = statement.test, statement.body, statement.orelse
        if raises(then):
            guard = _if(test, self.region(then, leave), [], statement)
            return [guard, *self.region([*otherwise, *rest], leave)]
        if raises(otherwise):
            guard = _if(_not(test), self.region(otherwise, leave), [], statement)
            return [guard, *self.region([*then, *rest], leave)]
        if not completes(then):
            return [_if(test, self.region(then, leave), self.region([*otherwise, *rest], leave), statement)]
        if otherwise and not completes(otherwise):
            return [_if(test, self.region([*then, *rest], leave), self.region(otherwise, leave), statement)]
        inner = then[0]
        if not otherwise and len(then) == 1 and isinstance(inner, ast.If) and not inner.orelse:
            both = ast.copy_location(ast.BoolOp(ast.And(), [test, inner.test]), test)
            return self.region([_if(both, inner.body, [], statement), *rest], leave)
        if not rest or (len(rest) == 1 and not any(True for _ in nested(rest[0]))):  # short enough to repeat
            then, otherwise = (self.region([*side, *rest], leave) for side in (then, otherwise))
            return [_if(test, then, otherwise, statement)]
        return self.flagged_branch(statement, rest, leave)

    def flagged_branch(self, statement: ast.If, rest: Sequence[ast.stmt], leave: Leave) -> list[ast.stmt]:
        """An `if` that leaves on some paths only: flags say which, and are looked at behind it."""
        flags = self.flags_for(list(exits(statement)))
        raised = self.plain_branch(statement, lambda e: [_assign(flags[kind_of(e)][0], ast.Constant(True), e)])
        lowered = [_assign(flag, ast.Constant(False), statement) for flag, _ in flags.values()]
        dispatch = [_if(_name(flag), [e], [], e) for flag, e in flags.values()]
        return [*lowered, raised, *self.region([*dispatch, *rest], leave)]

    def flags_for(self, left: Sequence[Exit]) -> dict[str, tuple[str, Exit]]:
        """A flag for each way of leaving; equal exits share one."""
        words = {ast.Return: "returned", ast.Break: "stopped", ast.Continue: "skipped"}
        different = {kind_of(e): e for e in reversed(left)}
        return {kind: (self.fresh(words[type(e)]), e) for kind, e in reversed(different.items())}

    def loop(self, loop: Loop) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The loop without exits, and statements (not yet rewritten) that belong behind it."""
        left: list[Exit] = [e for s in loop.body for e in exits(s) if not isinstance(e, ast.Continue)]
        if not left:
            body = self.region(loop.body, lambda e: [])
            return self.rebuilt(loop, body, None), list(loop.orelse)
        returns = {kind_of(e): e for e in left if isinstance(e, ast.Return)}
        stop = self.fresh("stop")
        if len({kind_of(e) for e in left}) == 1:
            flags: dict[str, tuple[str, Exit]] = dict.fromkeys(returns, (stop, left[0]))
        else:
            flags = self.flags_for(list(returns.values()))

        def leave(e: Exit) -> list[ast.stmt]:
            if isinstance(e, ast.Continue):
                return []
            raised = [stop] if isinstance(e, ast.Break) else list(dict.fromkeys([flags[kind_of(e)][0], stop]))
            return [_assign(flag, ast.Constant(True), e) for flag in raised]

        body = self.region(loop.body, leave)
        names = list(dict.fromkeys([stop, *(flag for flag, _ in flags.values())]))
        lowered: list[ast.stmt] = [_assign(flag, ast.Constant(False), loop) for flag in names]
        dispatch: list[ast.stmt] = [_if(_name(flag), [e], [], e) for flag, e in flags.values()]
        if not may_complete(loop):  # `while True` that only returns: the last of the ways is certain
            dispatch[-1:] = [list(flags.values())[-1][1]]
        if loop.orelse:
            broke = any(isinstance(e, ast.Break) for e in left)
            dispatch += [_if(_not(_name(stop)), loop.orelse, [], loop)] if broke else loop.orelse
        return [*lowered, *self.rebuilt(loop, body, stop)], dispatch

    def rebuilt(self, loop: Loop, body: list[ast.stmt], stop: str | None) -> list[ast.stmt]:
        body = body or [ast.copy_location(ast.Pass(), loop)]
        if isinstance(loop, ast.For):
            new = ast.copy_location(ast.For(loop.target, loop.iter, body, []), loop)
            new.stop = stop  # type: ignore[attr-defined]  # read by stop_flag
            return [new]
        if _is_simple(loop.test):
            tested = ast.copy_location(ast.While(_and_not(loop.test, stop), body, []), loop)
            tested.stop = stop  # type: ignore[attr-defined]  # read by stop_flag
            return [tested]
        # The test may fail or write, so it is evaluated once per iteration, in the body, and not after a break.
        go, test = self.fresh("go"), _as_bool(loop.test)
        again = test if stop is None else ast.copy_location(ast.IfExp(_name(stop), ast.Constant(False), test), test)
        turned = ast.While(_name(go), [*body, _assign(go, again, loop)], [])
        turned.stop = stop  # type: ignore[attr-defined]  # read by stop_flag
        return [_assign(go, test, loop), ast.copy_location(turned, loop)]


def _has_guard(statement: ast.If) -> bool:
    return (bool(statement.orelse) and raises(statement.body)) or raises(statement.orelse)


def _nowhere(e: Exit) -> list[ast.stmt]:
    raise AssertionError(f"no exit expected, found {ast.unparse(e)}")


def _returned(e: Exit) -> ast.expr:
    assert isinstance(e, ast.Return)
    return e.value or ast.copy_location(ast.Constant(None), e)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr, where: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), where))


def _if(test: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt], where: ast.stmt) -> ast.If:
    body = then or [ast.Pass()]
    return ast.fix_missing_locations(ast.copy_location(ast.If(test, body, otherwise), where))


def _not(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def _and_not(test: ast.expr, stop: str | None) -> ast.expr:
    if stop is None:
        return test
    going = ast.copy_location(ast.UnaryOp(ast.Not(), _name(stop)), test)
    if _is_true(test):
        return ast.fix_missing_locations(going)
    return ast.fix_missing_locations(ast.copy_location(ast.BoolOp(ast.And(), [going, test]), test))


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_simple(test: ast.expr) -> bool:
    """Whether a test of scalars can neither fail nor write, so that evaluating it in a loop's head is safe."""
    if isinstance(test, ast.Name | ast.Constant):
        return True
    if isinstance(test, ast.Compare):
        return all(_is_simple(x) for x in (test.left, *test.comparators))
    if isinstance(test, ast.BoolOp):
        return all(_is_simple(x) for x in test.values)
    if isinstance(test, ast.UnaryOp):
        return _is_simple(test.operand)
    if isinstance(test, ast.BinOp):
        return isinstance(test.op, ast.Add | ast.Sub | ast.Mult) and _is_simple(test.left) and _is_simple(test.right)
    return False


def _as_bool(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.Compare) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        return test
    return ast.copy_location(ast.IfExp(test, ast.Constant(True), ast.Constant(False)), test)
