"""Random programs with checkpoints in some of their loops, against exact dual numbers: right or refused."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from oracle.programs import is_well_conditioned
from oracle.verdicts import RIGHT, verdict
from random_programs import Program, program

HEAD = re.compile(r"^(\s*)for (.+) in (.+):$")
REFUSED = (
    "refused UnsupportedError: this loop cannot be checkpointed",
    "refused UnsupportedError: a loop with checkpoints",
    "refused ArgumentTypeError: checkpoint() of a tuple",
)
BATCH = 6


def marked(p: Program) -> Program | None:
    """The program with one or two of its loops marked, None if it has none."""
    rng, lines = Random(p.seed), p.source.splitlines()
    loops = [k for k, line in enumerate(lines) if HEAD.match(line)]
    if not loops:
        return None
    budget = rng.choice((1, 60, 150, 400, 10**6))
    for k in rng.sample(loops, min(len(loops), rng.choice((1, 1, 2)))):
        lines[k] = HEAD.sub(rf"\1for \2 in checkpoint(\3, {budget}):", lines[k])
    return replace(p, source="\n".join(["from srcgrad import checkpoint", *lines, ""]))


def _first(said: str) -> str:
    return said.splitlines()[0]


def check(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srcgrad.differentiate.checkpoints.schedule.FEWEST_SLOTS", 1)
    for seed in seeds:
        p = program(seed)
        other = marked(p)
        if other is None or not is_well_conditioned(p.source, p.make_args()):
            continue
        said = verdict(other)
        refused = said.startswith(REFUSED) or (said.startswith("refused") and _first(said) == _first(verdict(p)))
        assert said == RIGHT or refused, f"seed {seed}: {said}\n{other.source}"


@pytest.mark.parametrize("batch", range(2))
def test_plain(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(2, 60))
def test_plain_slow(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)), monkeypatch)
