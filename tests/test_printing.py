"""``print`` in compiled functions: what is shown, how often, and by which of the sweeps."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from srcgrad import Error, grad, hessian, jit, jvp, value_and_grad, vjp

X = np.array([0.5, 2.0])


def chatty(x, n):
    total = 0.0
    for i in range(n):
        total += np.sin(x[0] * i) * x[1]
        if i % 2 == 1:
            print("step", i, f"total {total:.3f},", "of {}".format(n))  # noqa: UP032  (one of the forms)
    print(f"in all {x[1] * 2.0} = {total}", x, (n, 1.5))
    return total * total


def lines(x, n):
    """What Python prints, numbers in full and set off by spaces."""
    out, total = [], 0.0
    for i in range(n):
        total += np.sin(x[0] * i) * x[1]
        if i % 2 == 1:
            out.append(f"step {i} total {total} , of {n}")
    return [*out, f"in all {x[1] * 2.0} = {total} {x} ( {n} , 1.5)"]


@pytest.mark.parametrize(
    "run",
    [
        lambda f: jit(f, jit=False)(X, 4),
        lambda f: grad(f, jit=False)(X, 4),
        lambda f: value_and_grad(f, jit=False)(X, 4),
        lambda f: jvp(f, (X, 4), (X, None), jit=False),
        lambda f: vjp(f, X, 4, jit=False),
    ],
    ids=["jit", "grad", "value_and_grad", "jvp", "vjp"],
)
def test_once(run, capsys):
    run(chatty)
    assert capsys.readouterr().out.splitlines() == lines(X, 4)


def test_not_by_the_pullback(capsys):
    _, pullback = vjp(chatty, X, 4, jit=False)
    capsys.readouterr()
    pullback(1.0)
    assert capsys.readouterr().out == ""


def test_derivatives_are_the_same(capsys):
    def silent(x, n):
        total = 0.0
        for i in range(n):
            total += np.sin(x[0] * i) * x[1]
        return total * total

    np.testing.assert_allclose(grad(chatty, jit=False)(X, 4), grad(silent, jit=False)(X, 4), rtol=1e-14)
    np.testing.assert_allclose(hessian(chatty, jit=False)(X, 4), hessian(silent, jit=False)(X, 4), rtol=1e-13)


def test_jitted(tmp_path):
    """Numba prints by Python's own means, from another thread of output than pytest captures."""
    program = """
        import numpy as np
        from srcgrad import value_and_grad

        def f(x, n):
            total = 0.0
            for i in range(n):
                total += np.sin(x[0] * i) * x[1]
                print("step", i, f"total {total:.3f}", n > 2)
            return total * total

        value_and_grad(f)(np.array([0.5, 2.0]), 3)
        value_and_grad(f, jit=False)(np.array([0.5, 2.0]), 3)
    """
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    shown = done.stdout.splitlines()
    assert shown[:3] == shown[3:]
    assert shown[0] == "step 0 total 0.0 True"


def test_a_message_known_while_compiling_is_left_out(capsys):
    jit(lambda x: print("here") or x * 2.0, jit=False)(1.0)
    assert capsys.readouterr().out == ""


def test_to_a_file():
    with pytest.raises(Error, match="to a file"):
        jit(lambda x: print(x, file=sys.stderr) or x, jit=False)(1.0)
