"""Random programs with one index moved: IndexError where Python raises it, and nowhere else."""

from __future__ import annotations

import ast
import copy
import re
from random import Random

import numpy as np
import pytest
from oracle.derivatives import differentiable, reverse
from oracle.programs import exact, load, relative_error, time_limit
from random_programs import program

from srcgrad.errors import ArgumentTypeError

BATCH = 20


def with_a_moved_index(source: str, rng: Random) -> str:
    tree = ast.parse(source)
    plain = ast.Name | ast.BinOp | ast.Constant
    subscripts = [n for n in ast.walk(tree) if isinstance(n, ast.Subscript) and isinstance(n.slice, plain)]
    elements = [n for n in subscripts if not isinstance(n.value, ast.Attribute)]  # not `x.shape[0]`
    if elements:
        chosen = rng.choice(elements)
        chosen.slice = ast.BinOp(chosen.slice, ast.Add(), ast.Constant(rng.choice([1, 1, 2, 3, -1, -3])))
    return ast.unparse(ast.fix_missing_locations(tree))


def outcome(seed: int) -> str:
    """``as Python``, or what is different; empty if the program is of no use here."""
    p = program(seed)
    source, args = with_a_moved_index(p.source, Random(seed)), p.make_args()
    f = load(source)
    raises = False
    try:
        with time_limit(5), np.errstate(all="ignore"):
            if np.ndim(f(*copy.deepcopy(args))):  # the index of a result was moved
                return ""
    except IndexError:
        raises = True
    except (ValueError, TypeError, TimeoutError):  # a shape that does not fit, a key of a dict, a loop without end
        return ""
    if p.dtype is np.float32:
        return ""
    try:
        value, gradients = reverse(f, args, differentiable(args))
    except IndexError:
        return "as Python" if raises else "raised for nothing"
    except ArgumentTypeError as refusal:  # known while compiling, on whatever path it is
        return "" if re.search("index -?[0-9]+ into a (tuple|list) of", str(refusal)) else f"refused: {refusal}"
    if raises:
        return "not raised"
    expected_value, expected = exact(source, args)
    if not np.isfinite(expected_value):
        return ""
    return "as Python" if relative_error([value, *gradients], [expected_value, *expected]) < 1e-8 else "wrong"


def check(seeds: range) -> None:
    outcomes = {seed: outcome(seed) for seed in seeds}
    bad = {seed: said for seed, said in outcomes.items() if said not in ("", "as Python", "not raised")}
    assert not bad
    # A read whose value nobody uses is not made, nor is its check.
    missed = [seed for seed, said in outcomes.items() if said == "not raised"]
    assert len(missed) <= len(seeds) // 10, missed


@pytest.mark.parametrize("batch", range(2))
def test_plain(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(2, 20))
def test_plain_slow(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)))
