"""Which names a piece of source assigns to, and which it reads, as Python scoping has it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

FUNCTIONS = (ast.FunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assigned(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names that these nodes bind, not looking into nested functions."""
    return _assigned(tuple(nodes))


@lru_cache(maxsize=4096)
def _assigned(nodes: tuple[ast.AST, ...]) -> frozenset[str]:
    return frozenset(name for node in nodes for name in _bound(node))


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Lambda():
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            # its own targets are its own; only `:=` inside binds a name of the function
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    yield from _bound(inner.target)
        case ast.ImportFrom(names=names) | ast.Import(names=names):
            for alias in names:
                yield alias.asname or alias.name.split(".")[0]
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _bound(child)


@lru_cache(maxsize=4096)
def declared(node: ast.FunctionDef | ast.Lambda) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """A function's local names, and those it declares nonlocal and global."""
    arguments = frozenset(a.arg for a in parameters(node.args))
    if isinstance(node, ast.Lambda):
        return arguments | assigned([node.body]), frozenset(), frozenset()
    outer, module = set(), set()
    for inner in own_nodes(node.body):
        if isinstance(inner, ast.Nonlocal):
            outer.update(inner.names)
        elif isinstance(inner, ast.Global):
            module.update(inner.names)
    names = (arguments | assigned(node.body)) - outer - module
    return names, frozenset(outer), frozenset(module)


@lru_cache(maxsize=4096)
def rebound_inside(node: ast.AST) -> frozenset[str]:
    """The names that functions inside declare nonlocal."""
    return frozenset(name for n in ast.walk(node) if isinstance(n, ast.Nonlocal) for name in n.names)


@lru_cache(maxsize=4096)
def returns_early(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function has a `return` that is not its last statement."""
    if isinstance(node, ast.Lambda):
        return False
    returns = [n for n in own_nodes(node.body) if isinstance(n, ast.Return)]
    return any(n is not node.body[-1] for n in returns)


@lru_cache(maxsize=4096)
def is_generator(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function yields."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in own_nodes(body))


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters, starred ones last."""
    starred = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


def own_nodes(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes inside, nested functions as one node each."""
    for node in nodes:
        yield node
        if not isinstance(node, FUNCTIONS):
            yield from own_nodes(list(ast.iter_child_nodes(node)))


@lru_cache(maxsize=4096)
def free_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a nested function reads or assigns to but that are variables of what is around it."""
    own, outer, _ = declared(node)
    inner = [node.body] if isinstance(node, ast.Lambda) else node.body
    names = set(outer)
    for part in own_nodes(inner):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.FunctionDef | ast.Lambda):
            names |= free_names(part)
    defaults = {
        n.id for d in ast.walk(node.args) if isinstance(d, ast.expr) for n in ast.walk(d) if isinstance(n, ast.Name)
    }
    return frozenset((names - own) | defaults)
