"""None kept beside values: in dicts, lists and objects, and compared with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from agreement import confirm


class Pair:
    def __init__(self, a, b=None):
        self.a = a
        self.b = b


def in_a_new_dict(x):
    d = {"a": None if x < 0.5 else x, "b": None}
    return x * 2.0 if all(v is not None for v in d.values()) else x * sum(v is None for v in d.values())


def put_into_a_dict(x):
    d = {}
    d["a"] = None if x < 0.5 else x
    return d["a"] * x if d["a"] is not None else x * 5.0


def put_into_a_list(x):
    held = [None, None]
    for i in range(2):
        held[i] = x * i if x > 0.5 else None
    return sum(v if v is not None else 2.0 * x for v in held)


def appended(x):
    held = []
    held.append(None if x < 0.5 else x)
    return held[0] * x if held[0] is not None else x * 5.0


def in_an_object(x):
    v = None if x < 0.5 else x
    p = Pair(x, b=v)
    p.a = v
    return p.a * x if p.a is not None and p.b else x * 5.0


def state_between_iterations(x):
    state, total = {"last": None}, 0.0
    for i in range(3):
        if state["last"] is not None:
            total += state["last"] * x
        state["last"] = x * i if x * i < 1.0 else None
    return total + x


def equal_items(x):
    v = None if x < 0.5 else x
    return x * 2.0 if (v, 1.0) == (x, 1.0) else x * 5.0


def member(x):
    v = None if x < 0.5 else x
    return x * 2.0 if x in (v, 3.0) else x * 5.0


def is_member(x):
    v = None if x < 0.5 else x
    return x * 2.0 if v in (None, 3.0) else x * 5.0


def equal(x):
    v = None if x < 0.5 else x
    w = x if x > 0.4 else None
    return (x * 2.0 if v == w else x * 5.0) + (x if v != 0.6 else x**3)


@pytest.mark.parametrize("x", [0.7, 0.45, 0.3])
@pytest.mark.parametrize(
    "f",
    [
        in_a_new_dict,
        put_into_a_dict,
        put_into_a_list,
        appended,
        in_an_object,
        state_between_iterations,
        equal_items,
        member,
        is_member,
        equal,
    ],
)
def test_as_python(f: Callable[[float], float], x: float) -> None:
    confirm(f, x)
