"""Which memory an array value may point to: how many answers there are, too."""

from __future__ import annotations

from typing import Any

import numpy as np
from lowered import lowered

from srcgrad.analysis.sites import Sites


def exchanged_in_nested_loops(x: Any, n: int) -> Any:
    u = x * 2.0
    v = x + 1.0
    for _ in range(n):
        for _ in range(n):
            for _ in range(n):
                u, v = v, u
                for _ in range(n):
                    w = u * v
                    for _ in range(n):
                        w, v = v, w
                    u = w
    return np.sum(u)


def test_loops_around_which_memory_is_not_born_leave_no_mark() -> None:
    program, _ = lowered(exchanged_in_nested_loops, np.ones(3), 2)
    sites = Sites(program.function)
    for tokens in sites.tokens.values():
        for token in tokens:
            assert token.carried <= set(sites.birth[token.site])
    assert max(len(tokens) for tokens in sites.tokens.values()) < 30  # 2 to the number of loops, for each site, without
