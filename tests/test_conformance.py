"""docs/numpy_support.md is true: every case of every function, plain, and a few of them compiled."""

from __future__ import annotations

import os

import pytest
from conformance.check import same_jitted
from conformance.row import ROWS, Case, Row
from conformance.table import DOCUMENT, documented, line, page

# Of the slow suite's compiled cases each so many-th.
EVERY = int(os.environ.get("SRCGRAD_CONFORMANCE_EVERY", "1"))
CASES = [pytest.param(case, id=f"{row.name}-{k}") for row in ROWS for k, case in enumerate(row.cases)]


# Every day a third of the rows, the whole table in the slow suite.
DAILY = [pytest.param(r, id=r.name, marks=[pytest.mark.slow] if k % 3 else []) for k, r in enumerate(ROWS)]


@pytest.mark.parametrize("row", DAILY)
def test_function(row: Row) -> None:
    topic = row.topic
    assert documented().get(row.name) == line(row), f"run `python tests/conformance/table.py {topic}`"


def test_page_has_no_other_lines() -> None:
    lines = documented()
    assert set(lines) == {row.name for row in ROWS}
    assert page(lines) == DOCUMENT.read_text()


@pytest.mark.parametrize("case", CASES[::293])
def test_compiled(case: Case) -> None:
    same_jitted(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[::EVERY])
def test_all_compiled(case: Case) -> None:
    same_jitted(case)
