"""The examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import srcgrad

MODULES = [m.name for m in pkgutil.walk_packages(srcgrad.__path__, "srcgrad.") if m.name != "srcgrad.__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"np": np, "srcgrad": srcgrad})
    assert failed == 0
