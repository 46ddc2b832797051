"""Generated modules are files that survive other processes, damage and directories that cannot be written."""

from __future__ import annotations

import errno
import linecache
import subprocess
import sys
import textwrap
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.backend import cache
from srcgrad.backend.numba_jit import Compiled, compile_function
from srcgrad.ir.core import Function
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

IR = """
def doubled(x: f64[:]):
    n: i64 = dim(x, axis=0)
    check_: bool = gt(n, 1)
    check(check_, n, exception='ValueError', message='{0} elements')
    with for_(n):
        def _(i: i64):
            _1: f64 = load(x, i)
            accumulate(x, i, _1)
    return
"""

PROCESS = f"""
import srcgrad.primitives, numpy as np
from srcgrad.backend.numba_jit import compile_function
from srcgrad.ir.text import parse
from srcgrad.primitives.table import infer
from srcgrad.settings import Options
run = compile_function(parse('''{IR}''', infer), Options())
x = np.ones(3)
run(x)
assert x.sum() == 6.0
print(sum(run.entry.stats.cache_hits.values()), sum(run.entry.stats.cache_misses.values()))
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    for name in [n for n in sys.modules if n.startswith("srcgrad_generated_doubled")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "cache"


def function() -> Function:
    return parse(IR, infer)


def works(run: Compiled) -> bool:
    x = np.ones(3)
    run(x)
    return bool(x.sum() == 6.0)


def process() -> tuple[int, int]:
    """Hits and misses of Numba's cache in another process."""
    done = subprocess.run([sys.executable, "-c", PROCESS], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    hits, misses = done.stdout.split()
    return int(hits), int(misses)


def test_a_second_process_does_not_compile_and_damage_is_repaired(directory: Path) -> None:
    assert process() == (0, 1)
    assert process() == (1, 0)
    (source,) = directory.glob("doubled_*.py")
    text = source.read_text()
    source.write_text(text[:40])
    for kept in (directory / "__pycache__").iterdir():
        kept.write_bytes(kept.read_bytes()[:50])
    assert process() == (0, 1)
    assert source.read_text() == text
    assert process() == (1, 0)


def test_the_module_is_a_file_that_tracebacks_show(directory: Path) -> None:
    run = compile_function(function(), Options())
    assert Path(run.path).parent == directory
    assert Path(run.path).read_text() == run.source
    assert run.entry.py_func.__code__.co_filename == run.path


def test_other_options_make_another_file(directory: Path) -> None:
    paths = {compile_function(function(), options).path for options in (Options(), Options(fastmath=False))}
    assert len(paths) == 2


@pytest.mark.parametrize("place", ["/dev/null/cache", "/proc/no/such/place"])
def test_without_a_directory_it_runs_from_memory(place: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", place)
    assert works(compile_function(function(), Options()))


def test_a_full_disk_is_no_obstacle(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    assert works(compile_function(function(), Options()))
    assert not list(directory.iterdir())


def test_a_disk_that_fills_up_before_the_machine_code_is_written(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = compile_function(function(), Options())

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(run.entry._cache._inner, "save_overload", full)
    assert works(run)


def test_many_writers_of_one_file(directory: Path) -> None:
    text = "x = 1\n" * 1000
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: cache.keep("same.py", text), range(64)))
    assert set(paths) == {directory / "same.py"}
    assert (directory / "same.py").read_text() == text
    assert [p.name for p in directory.iterdir()] == ["same.py"]


def test_plain_source_is_shown_by_tracebacks() -> None:
    run = compile_function(function(), Options(jit=False))
    with pytest.raises(ValueError, match="1 elements") as caught:
        run(np.ones(1))
    shown = "".join(traceback.format_tb(caught.tb))
    assert 'raise ValueError("{0} elements", n)' in shown or "raise ValueError" in shown
    assert linecache.getlines(run.path) == run.source.splitlines(keepends=True)


def test_the_text_stands_alone(tmp_path: Path) -> None:
    """A generated module needs NumPy and Numba, not srcgrad."""
    run = compile_function(function(), Options(cache=False))
    assert "srcgrad" not in textwrap.dedent(run.source)


RECURSIVE = """
import srcgrad

def halving(n, x):
    return x if n < 2 else halving(n - 1, 1.1 * x) + halving(n - 2, x)

def summed(x):
    return halving(5, x)

print(srcgrad.jit(summed)(0.7))
"""


def test_a_recursive_function_runs_in_a_second_process(directory: Path, tmp_path: Path) -> None:
    script = tmp_path / "recursive.py"
    script.write_text(RECURSIVE)
    for _ in range(2):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == pytest.approx(6.73757)
