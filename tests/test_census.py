"""Every construct of the census: right in both modes; and the table in the documentation says so."""

from __future__ import annotations

import pytest
from census.feature import FEATURES, Feature
from census.table import DOCUMENT, STAGE_FILES, language_table
from census.verdict import check, supported

WHOLE = ("M0", "M1", "M2", "M3", "M5", "M6")  # the stages without a hole


@pytest.mark.parametrize("row", [r for r in FEATURES if r.stage in WHOLE], ids=lambda r: r.program.__name__)
def test_plain(row: Feature) -> None:
    check(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", [r for r in FEATURES if r.stage in WHOLE], ids=lambda r: r.program.__name__)
def test_jitted(row: Feature) -> None:
    check(row, jit=True)


def test_the_table_is_true() -> None:
    """Run ``python tests/census/table.py`` after a change of what is supported."""
    assert len(STAGE_FILES) == 7
    # That the whole stages are supported is what `test_plain` shows.
    assert DOCUMENT.read_text() == language_table(lambda row: "yes" if row.stage in WHOLE else supported(row))
