"""Which variables may still be read behind an `if` or a loop, and at the start of an iteration.

Only those are merged and carried. The walk goes backwards over the statements of a normalised function; a
loop's body is walked twice, which is enough because nothing is removed on the second walk.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from srcgrad.frontend.syntax.bindings import FUNCTIONS, assigned, free_names, own_nodes
from srcgrad.frontend.syntax.normalize import stop_flag

Names = frozenset[str]
NOTHING: Names = frozenset()


@dataclass(eq=False)
class LiveVariables:
    """``after``: what may be read behind a statement; ``head``: at the start of a loop's iteration.

    A statement may stand in several places (``normalize`` repeats some); the sets cover all of them.
    """

    after: dict[ast.stmt, Names] = field(default_factory=dict)
    head: dict[ast.stmt, Names] = field(default_factory=dict)

    def block(self, statements: Sequence[ast.stmt], out: Names) -> Names:
        """The variables live before these statements, given those live behind them."""
        for statement in reversed(statements):
            out = self.statement(statement, out)
        return out

    def statement(self, node: ast.stmt, out: Names) -> Names:
        match node:
            case ast.If():
                self.after[node] = self.after.get(node, NOTHING) | out
                return reads([node.test]) | self.block(node.body, out) | self.block(node.orelse, out)
            case ast.For():
                return reads([node.iter]) | self.loop(node, node.body, out, assigned([node.target]), _stop(node))
            case ast.While():
                return self.loop(node, node.body, out, NOTHING, reads([node.test]))
            case ast.Try():  # its body may end anywhere
                return out | self.block(node.body, out) | reads(node.handlers)
            case ast.Return():
                return reads([node])
            case ast.FunctionDef(name=name):
                return (out - {name}) | reads([node])
            case ast.AugAssign():
                return out | reads([node]) | assigned([node.target])
            case ast.Assign() | ast.AnnAssign() if not (isinstance(node, ast.AnnAssign) and node.value is None):
                return (out - assigned([node])) | reads([node])
        return out | reads([node])

    def loop(self, node: ast.stmt, body: list[ast.stmt], out: Names, bound: Names, test: Names) -> Names:
        """``bound`` is bound at the start of each iteration, ``test`` read before it."""
        self.after[node] = self.after.get(node, NOTHING) | out
        head = test | (self.block(body, out | test) - bound)
        head |= self.block(body, out | head) - bound
        self.head[node] = self.head.get(node, NOTHING) | head
        return out | head


def _stop(node: ast.For) -> Names:
    flag = stop_flag(node)
    return frozenset() if flag is None else frozenset([flag])


def reads(nodes: Sequence[ast.AST]) -> Names:
    """The names read in these nodes, nested functions included."""
    return frozenset(_reads(nodes))


def _reads(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in own_nodes(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, FUNCTIONS):
            yield from free_names(node)


@lru_cache(maxsize=4096)
def live_variables(function: ast.FunctionDef) -> LiveVariables:
    """The live variables of a normalised function. What a nested function reads is live everywhere."""
    inner = [n for n in own_nodes(function.body) if isinstance(n, FUNCTIONS)]
    found = LiveVariables()
    always = frozenset(name for n in inner for name in free_names(n))
    found.block(function.body, always)
    found.after = {node: names | always for node, names in found.after.items()}
    found.head = {node: names | always for node, names in found.head.items()}
    return found
