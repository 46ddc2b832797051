"""README tells the truth: its Python runs, and prints what it is said to print.

A block of Python after ``<!-- prints -->`` is what the block before it prints. ``pytest --update`` rewrites those.
"""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
MARK = "<!-- prints -->\n"
BLOCK = re.compile(rf"({MARK})?```python\n(.*?)```\n", re.DOTALL)
END = "---- end of block ----"


def blocks() -> list[tuple[str, str | None]]:
    """Each block of code with what it is said to print, if that is said."""
    found: list[tuple[str, str | None]] = []
    for is_output, text in BLOCK.findall(README.read_text()):
        if is_output:
            found[-1] = (found[-1][0], text)
        else:
            found.append((text, None))
    return found


def test_readme_prints_what_it_says(tmp_path, capsys, monkeypatch, request):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)  # the file's name without a folder: it is part of what is printed
    Path("readme.py").write_text("".join(f"{code}\nprint({END!r})\n" for code, _ in blocks()))
    runpy.run_path("readme.py")
    printed = capsys.readouterr().out.split(END + "\n")[:-1]
    printed = [output.rstrip() + "\n" for output in printed]
    said = [(expected, output) for (_, expected), output in zip(blocks(), printed, strict=True) if expected is not None]
    assert said, "README shows no output"
    if request.config.getoption("--update", default=False):
        rewrite([output for _, output in said])
        return
    for expected, output in said:
        assert output == expected


def rewrite(outputs: list[str]) -> None:
    """Put these outputs in the place of those in README."""
    remaining = iter(outputs)

    def replacement(match: re.Match[str]) -> str:
        return f"{MARK}```python\n{next(remaining)}```\n" if match[1] else match[0]

    README.write_text(BLOCK.sub(replacement, README.read_text()))


def test_ci_ends_with_the_command_that_readme_gives():
    (command,) = re.findall(r"pip install '\.\[dev\]' && (.*)", README.read_text())
    last = (ROOT / ".ci" / "run").read_text().rstrip().splitlines()[-1]
    assert shlex.split(last) == shlex.split(command)


@pytest.mark.parametrize("name", re.findall(r"\]\(([\w./]+)\)", README.read_text()) if README.exists() else [])
def test_links_to_files(name):
    assert (ROOT / name).exists()
