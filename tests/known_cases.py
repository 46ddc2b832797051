"""The table of functions with known gradients, by topic."""

from __future__ import annotations

from known import algebra, arrays, branches, calls, indexing, loops, memory, points, recurrences
from known.case import CASES, Case

TOPICS = (loops, recurrences, memory, branches, calls, points, arrays, indexing, algebra)

__all__ = ["CASES", "TOPICS", "Case"]
