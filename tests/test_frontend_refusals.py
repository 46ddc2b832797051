"""What is refused: the class, the line, what was found and what to write instead."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from lowered import lowered

import srcgrad
from srcgrad.errors import (
    ArgumentTypeError,
    SourceError,
    UnboundError,
    UnsupportedError,
    UnsupportedSyntaxError,
)

X = np.array([1.0, 2.0, 3.0])


def generator(x):
    yield x


def catches(x):
    for _ in range(2):
        try:
            x = x + 1.0
        finally:
            break  # noqa: B012
    return x


def with_block(x):
    with open("a"):
        return x


def unknown_name(x):
    return x * undefined_name  # noqa: F821


def unknown_function(x):
    return np.busday_count(x, x)


def prints(x):
    print(x, file=None)
    return x


def two_types(x, n):
    return x if n > 1 else (x, x)


def two_ranks(x, n):
    y = x if n > 1 else x[0]
    return y


def missing_argument(x):
    return with_two(x)


def with_two(a, b):
    return a + b


def calls_number(x):
    return x(1.0)


def array_truth(x):
    if x > 0:
        return 1.0
    return 2.0


def endless(x):
    return endless(x)


def changes_list_in_loop(x, n):
    a = []
    for _ in range(n):
        a.append({"x": x})
    return a[0]["x"][0]


def returns_lists_in_tuples(x):
    a = []
    for v in x:
        b = []
        for w in x:
            b.append(v * w)
        a.append((v, b))
    return a


def iterator_kept(x):
    pairs = zip(x, x, strict=True)
    s = 0.0
    for a, b in pairs:
        s += a * b
    return s


def sets_attribute(x):
    x.shape = (3, 1)
    return x


def assigns_global(x):
    global X
    X = x
    return x


def float_range(x):
    s = 0.0
    for i in range(2.5):
        s += i
    return s


def big_literal(x):
    return x[0] * 100000000000000000000000


def never_ends(x):
    while True:
        x[0] += 1.0


def makes_a_tensor(x):
    return srcgrad.tensor(x)


def uses_a_tensor_function(x):
    return srcgrad.sigmoid(x)


class Node:
    def __init__(self, value, following):
        self.value, self.following = value, following


def links_nodes(x):
    node = None
    for i in range(len(x)):
        node = Node(x[i], node)
    return node.value


def nests_dicts(x, n):
    entry = {"value": x[0], "before": None}
    while n > 0:
        entry = {"value": entry["value"] * x[1], "before": entry}
        n -= 1
    return entry["value"]


REFUSALS = [
    (links_nodes, (X,), UnsupportedError, "'node' holds gets another type in each iteration", "for i in range(len(x))"),
    (nests_dicts, (X, 3), UnsupportedError, "'entry' holds gets another type in each iteration", "while n > 0"),
    (makes_a_tensor, (X,), UnsupportedError, "srcgrad's tensor has no rule", "srcgrad.tensor"),
    (uses_a_tensor_function, (X,), UnsupportedError, "srcgrad's sigmoid has no rule", "srcgrad.sigmoid"),
    (generator, (1.0,), UnsupportedError, "returns a generator", "def generator"),
    (catches, (1.0,), UnsupportedSyntaxError, "leaving the `finally`", "break  # noqa: B012"),
    (with_block, (1.0,), UnsupportedError, "this context", "with open"),
    (unknown_name, (1.0,), UnboundError, "'undefined_name' is not defined", "undefined_name"),
    (unknown_function, (1.0,), UnsupportedError, "np.busday_count has no rule", "np.busday_count"),
    (prints, (1.0,), UnsupportedError, "print()", "print(x, file=None)"),
    (two_types, (1.0, 2.0), UnsupportedError, "depending on the path", "if n > 1"),
    (two_ranks, (X, 2.0), UnsupportedError, "depending on the path", "if n > 1"),
    (missing_argument, (1.0,), ArgumentTypeError, "misses the argument 'b'", "with_two(x)"),
    (calls_number, (1.0,), ArgumentTypeError, "a number is called", "x(1.0)"),
    (array_truth, (X,), ArgumentTypeError, "truth of an array", "x > 0"),
    (endless, (1.0,), UnsupportedError, "on every path", "endless"),
    (changes_list_in_loop, (X, 2), UnsupportedError, "holds a dict", "a.append"),
    (returns_lists_in_tuples, (X,), UnsupportedError, "a list of run-time length", "def returns_lists_in_tuples"),
    (iterator_kept, (X,), UnsupportedError, "iterator", "pairs = zip"),
    (sets_attribute, (X,), UnsupportedError, "attribute is assigned", "x.shape"),
    (assigns_global, (X,), UnsupportedSyntaxError, "global 'X'", "X = x"),
    (float_range, (X,), ArgumentTypeError, "range() takes integers", "range(2.5)"),
    (big_literal, (X,), ArgumentTypeError, "64 bits", "1000000"),
    (never_ends, (X,), UnsupportedSyntaxError, "never ends", "while True"),
]


@pytest.mark.parametrize(("function", "arguments", "error", "message", "line"), REFUSALS)
def test_refused(function, arguments, error, message, line):
    with pytest.raises(error) as caught:
        lowered(function, *arguments)
    assert type(caught.value) is error and message in caught.value.message
    assert caught.value.file == __file__ and caught.value.hint is not None
    assert line in str(caught.value)


def test_missing_source():
    namespace: dict[str, object] = {}
    exec(compile("def f(x):\n    return x\n", "<nowhere>", "exec"), namespace)
    with pytest.raises(SourceError, match="cannot be found") as caught:
        lowered(namespace["f"], 1.0)  # type: ignore[arg-type]  # a function
    assert "linecache" in caught.value.hint


def test_source_in_linecache():
    import linecache

    text = "def f(x):\n    return x * 2\n"
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
    namespace: dict[str, object] = {}
    exec(compile(text, "<cell>", "exec"), namespace)
    assert lowered(namespace["f"], 1.0)  # type: ignore[arg-type]  # a function


def test_a_file_edited_since_it_was_imported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    file = tmp_path / "edited_since.py"
    file.write_text("def f(x):\n    return x * 2.0\n\n\ndef g(x):\n    return x + 1.0\n")
    module = importlib.import_module("edited_since")
    file.write_text("def f(x):\n    return x * 3.0  # other\n\n\ndef g(x):\n    return x + 1.0\n")
    with pytest.raises(SourceError, match="does not hold the source of 'f'"):
        lowered(module.f, 1.0)
    assert lowered(module.g, 1.0)
