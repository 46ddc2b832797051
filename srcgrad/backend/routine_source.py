"""The text of routines: as plain Python, or over LAPACK and BLAS for Numba.

Numba has wrappers of its own for much of LAPACK, with arguments by value; all else is taken from SciPy, with arguments
by reference, under symbols that Numba's cache on disk can name. Each wrapper is declared where a text mentions it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence

from srcgrad.primitives.routines import ROUTINES
from srcgrad.products.multiply import lapack_letter, source_of

# The types of the arguments: c a character, n a size, p a pointer, d a double. Numba's wrappers (0.61 to 0.68).
BY_VALUE = {
    "numba_xxgemm": "cccnnnppnpnppn",
    "numba_xxgemv": "ccnnppnppp",
    "numba_xxgetrf": "cnnpnp",
    "numba_xxpotrf": "ccnpn",
    "numba_ez_xxxevd": "cccnpnp",
    "numba_ez_gesdd": "ccnnpnppnpn",
    "numba_ez_geqrf": "cnnpnp",
    "numba_ez_xxgqr": "cnnnpnp",
    "numba_ez_cgeev": "cccnpnppnpn",
    "numba_ez_rgeev": "cccnpnpppnpn",
}
KINDS = {"c": "types.char", "n": "types.intp", "p": "types.voidptr", "d": "types.float64"}
# The number of arguments of SciPy's, all pointers, by the name without its letter for the dtype.
BY_REFERENCE = {"getrs": 9, "trtrs": 10}
SYMBOL = re.compile(r"\b(numba_\w+|lapack_[sdcz]\w+)\(")
IMPORT = ("import ", "from ")  # the beginning of a helper that is no function
READY = frozenset({"matrix_product", "add_product"})  # also in srcgrad.products, compiled with the usual flags


def plain_routine(name: str) -> str:
    """The text for plain Python, without decorator and annotations."""
    lines = textwrap.dedent(inspect.getsource(ROUTINES[name].plain)).splitlines(keepends=True)
    start = next(k for k, line in enumerate(lines) if line.startswith("def "))
    text = "".join(lines[start:])
    head, _, body = text.partition("-> None:")
    parameters = ", ".join(inspect.signature(ROUTINES[name].plain).parameters)
    return f"{head[: head.index('(')]}({parameters}):{body}"


def compiled_routines(names: Sequence[str], decorator: str) -> list[str]:
    """The texts for Numba, after declarations of what they call."""
    rows = [ROUTINES[name] for name in names]
    texts = list(dict.fromkeys([*(text for row in rows for text in row.helpers), *(row.compiled for row in rows)]))
    symbols = sorted({match[1] for text in texts for match in SYMBOL.finditer(text)})
    helpers = [source_of(lapack_letter)] if any("lapack_letter(" in text for text in texts) else []
    declared = ["\n".join(_declarations(symbols)) + "\n"] if symbols else []
    declared += [text for text in texts if text.startswith(IMPORT)]
    return [*declared, *(decorator + text for text in (*helpers, *texts) if not text.startswith(IMPORT))]


def _declarations(symbols: Sequence[str]) -> Iterator[str]:
    yield "from numba import types"
    scipy = [s for s in symbols if s.startswith("lapack_")]
    if scipy:
        yield "from llvmlite.binding import add_symbol"
        yield "from numba.extending import get_cython_function_address"
        yield ""
        names = ", ".join(f'"{s.removeprefix("lapack_")}"' for s in scipy)
        yield f"for name in ({names},):"
        yield '    add_symbol(f"lapack_{name}", get_cython_function_address("scipy.linalg.cython_lapack", name))'
    for symbol in symbols:
        if symbol in BY_VALUE:
            kinds = ", ".join(KINDS[letter] for letter in BY_VALUE[symbol])
            yield f'{symbol} = types.ExternalFunction("{symbol}", types.intc({kinds}))'
        else:
            count = BY_REFERENCE[symbol.removeprefix("lapack_")[1:]]
            yield f'{symbol} = types.ExternalFunction("{symbol}", types.void(*[types.voidptr] * {count}))'
