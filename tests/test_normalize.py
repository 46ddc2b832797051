"""Normalised functions do what the original does: same results, same evaluations in the same order."""

from __future__ import annotations

import ast
import random
import textwrap
from collections.abc import Callable

import pytest

from srcgrad.frontend.syntax.normalize import exits, normalize, stop_flag


class _HonourStop(ast.NodeTransformer):
    """Gives the attribute `stop` of a `for` its meaning in plain Python."""

    def visit_For(self, node: ast.For) -> ast.AST:
        flag = stop_flag(node)
        self.generic_visit(node)
        if flag is None:
            return node
        leave = ast.If(ast.Name(flag, ast.Load()), [ast.Break()], [])
        return ast.fix_missing_locations(
            ast.copy_location(ast.For(node.target, node.iter, [*node.body, leave], []), node)
        )


def normalized(source: str) -> ast.FunctionDef:
    (function,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(function, ast.FunctionDef)
    return normalize(function)


def assert_one_exit(function: ast.FunctionDef) -> None:
    *body, last = function.body
    assert isinstance(last, ast.Return)
    for statement in body:
        assert not any(exits(statement)), ast.unparse(function)
        if isinstance(statement, ast.FunctionDef):
            continue
        for node in ast.walk(statement):
            assert not isinstance(node, ast.Break | ast.Continue), ast.unparse(function)
            assert not (isinstance(node, ast.For | ast.While) and node.orelse)


def behaviour(module: ast.Module, seed: int) -> tuple[object, list[int]]:
    """What a function returns or raises, and which of its tests it evaluated."""
    trace: list[int] = []
    rng = random.Random(seed)

    def t(k: int) -> bool:
        trace.append(k)
        if len(trace) > 300:
            raise TimeoutError
        return rng.random() < 0.4

    scope: dict[str, object] = {"t": t}
    exec(compile(module, "<program>", "exec"), scope)
    f = scope["f"]
    assert callable(f)
    try:
        return f(3), trace
    except NameError:  # unbound, whether or not the assignment was dead code
        return "unbound", trace
    except (TimeoutError, ValueError) as error:
        return type(error).__name__, trace


def check(source: str, seeds: range = range(20)) -> ast.FunctionDef:
    original = ast.parse(textwrap.dedent(source))
    function = normalized(source)
    assert_one_exit(function)
    rewritten = ast.Module([_HonourStop().visit(normalized(source))], [])
    for seed in seeds:
        assert behaviour(rewritten, seed) == behaviour(original, seed), ast.unparse(function)
    return function


PROGRAMS = {
    "return in nested ifs": """
        def f(n):
            if t(1):
                if t(2):
                    return 1
                elif t(3):
                    n += 2
            n += 5
            n *= 2
            return n
    """,
    "return in a loop": """
        def f(n):
            for i in range(n):
                if t(1):
                    return i
                n += i
            return n
    """,
    "returns and break and else": """
        def f(n):
            s = 0
            for i in range(5):
                if t(1):
                    continue
                s += i
                if t(2):
                    return s, i
                if t(3):
                    break
                if t(4):
                    return s
            else:
                s += 100
            return s, i
    """,
    "while with a test that counts": """
        def f(n):
            while t(1):
                n += 1
                if t(2):
                    break
                if t(3):
                    continue
                n += 10
            else:
                return -n
            return n
    """,
    "while true": """
        def f(n):
            while True:
                n += 1
                if t(1):
                    return n
                if t(2):
                    return n, n
    """,
    "return from two loops": """
        def f(n):
            for i in range(4):
                for j in range(4):
                    if t(1):
                        return i, j
                    if t(2):
                        break
                else:
                    continue
                n += j
                if t(3):
                    break
            return n
    """,
    "else of an inner loop breaks the outer": """
        def f(n):
            for i in range(4):
                while t(1):
                    n += 1
                    if t(2):
                        break
                else:
                    break
                n += 7
            return n, i
    """,
    "raise": """
        def f(n):
            if t(1):
                return 1
            elif t(2):
                n += 1
            else:
                raise ValueError
            if t(3):
                raise ValueError
            else:
                return n
    """,
    "falls off the end": """
        def f(n):
            for i in range(n):
                if t(1):
                    return
                n += 1
    """,
    "dead code": """
        def f(n):
            return n
            n += 1
    """,
    "only raises": """
        def f(n):
            raise ValueError
    """,
    "nested function untouched": """
        def f(n):
            def g(k):
                for i in range(k):
                    if t(1):
                        return i
                return k
            if t(2):
                return g(n)
            stop = g(n + 1)
            return stop
    """,
    "loop variable after break": """
        def f(n):
            for i in range(6):
                if t(1):
                    if t(2):
                        break
                    n += 1
                n += i
                n += 1
            return i, n
    """,
    "unbound loop variable": """
        def f(n):
            for i in range(n - 3):
                if t(1):
                    break
            return i
    """,
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_program(source: str) -> None:
    check(source)


def test_plain_function_is_unchanged() -> None:
    source = "def f(x):\n    y = x * x\n    for i in range(3):\n        y += i\n    return y"
    assert ast.unparse(normalized(source)) == source


def test_rest_moves_into_the_other_branch_without_flag() -> None:
    source = "def f(x, mode):\n    if mode == 'a':\n        return x\n    return (x, x)"
    branch = "    if mode == 'a':\n        result = x\n    else:\n        result = (x, x)\n"
    assert ast.unparse(normalized(source)) == f"def f(x, mode):\n{branch}    return result"


def test_flags_avoid_the_users_names() -> None:
    function = normalized(
        """
        def f(x, stop):
            for v in x:
                if v > stop:
                    break
            return v
        """
    )
    (loop,) = (s for s in function.body if isinstance(s, ast.For))
    assert stop_flag(loop) == "stop_1"


def test_a_branch_that_raises_becomes_a_guard() -> None:
    function = normalized("def f(x):\n    if x > 0:\n        y = 1\n    else:\n        raise ValueError\n    return y")
    assert ast.unparse(function) == ("def f(x):\n    if not x > 0:\n        raise ValueError\n    y = 1\n    return y")


def random_block(rng: random.Random, depth: int, loops: int, number: Callable[[], int]) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        kinds = ["assign", "assign", "return", "raise"] + ["break", "continue"] * (loops > 0)
        if depth > 0:
            kinds += ["if", "if", "if", "for", "while", "true"]
        lines += random_statement(rng, rng.choice(kinds), depth, loops, number)
    return lines


def random_statement(rng: random.Random, kind: str, depth: int, loops: int, number: Callable[[], int]) -> list[str]:
    def block(inside: int) -> list[str]:
        return ["    " + line for line in random_block(rng, depth - 1, inside, number)]

    def maybe_else(head: str) -> list[str]:
        return [head, *block(loops)] if rng.random() < 0.5 else []

    name = rng.choice("abij")
    match kind:
        case "assign":
            return [f"{name} = {rng.choice('abn')} + {number()}"]
        case "return":
            return [f"return {rng.choice(['a', 'a, b', 'i', ''])}".rstrip()]
        case "raise":
            return ["raise ValueError"] if rng.random() < 0.3 else [f"{name} = 1"]
        case "if":
            return [f"if t({number()}):", *block(loops), *maybe_else("else:")]
        case "for":
            return [f"for {rng.choice('ij')} in range({rng.randint(0, 3)}):", *block(loops + 1), *maybe_else("else:")]
        case "while":
            test = rng.choice([f"t({number()})", f"b < 40 and t({number()})", "n < 9"])
            return [f"while {test}:", "    n += 1", *block(loops + 1), *maybe_else("else:")]
        case "true":
            return ["while True:", f"    if t({number()}):", "        break", *block(loops + 1)]
    return [kind]


@pytest.mark.parametrize("start", range(0, 800, 100))
def test_random_programs(start: int) -> None:
    for seed in range(start, start + 100):
        rng = random.Random(seed)
        numbers = iter(range(10_000))
        body = random_block(rng, 4, 0, lambda: next(numbers))  # noqa: B023  (used at once)
        source = "\n".join(
            ["def f(n):", "    a = 1", "    b = 2", *("    " + line for line in body), "    return a, b, n"]
        )
        check(source, range(6))
