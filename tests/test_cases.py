"""The functions with known gradients: each right, or refused as this table says; none wrong."""

from __future__ import annotations

from typing import Any

import known_cases
import numpy as np
import pytest
from known.case import Case
from oracle.differences import gradient

import srcgrad

# What is refused so far, and how. A case that starts to work must leave the table.
REFUSED: dict[str, str] = {}


def gradients(case: Case, jit: bool) -> list[Any]:
    if case.order == 2:
        return [srcgrad.hessian(case.fn, argnums=case.argnums[0], jit=jit)(*case.make_args())]
    return list(srcgrad.grad(case.fn, argnums=case.argnums, jit=jit)(*case.make_args()))


def check(case: Case, jit: bool) -> None:
    with np.errstate(all="ignore"):
        if case.id in REFUSED:
            with pytest.raises(srcgrad.Error) as refusal:
                gradients(case, jit)
            assert type(refusal.value).__name__ == REFUSED[case.id]
            assert refusal.value.hint
            return
        try:
            found = gradients(case, jit)
        except case.accept_error:
            return
    assert case.is_right(found), f"expected {case.expected}, got {found}"


@pytest.mark.parametrize("case", known_cases.CASES, ids=lambda c: c.id)
def test_plain(case: Case) -> None:
    check(case, jit=False)


@pytest.mark.slow
@pytest.mark.parametrize("case", known_cases.CASES, ids=lambda c: c.id)
def test_jitted(case: Case) -> None:
    check(case, jit=True)


def test_at_most_23_are_refused() -> None:
    names = {case.id for case in known_cases.CASES}
    assert len(names) == 113
    assert set(REFUSED) <= names
    assert len(REFUSED) <= 23


@pytest.mark.parametrize("case", [c for c in known_cases.CASES if c.differences], ids=lambda c: c.id)
def test_expected_agrees_with_differences(case: Case) -> None:
    args = case.make_args()
    with np.errstate(all="ignore"):
        numeric = [gradient(case.fn, args, k, 1e-4) for k in case.argnums]
    for g, expected in zip(numeric, case.expected, strict=True):
        np.testing.assert_allclose(g, expected, rtol=2e-6, atol=2e-6)
