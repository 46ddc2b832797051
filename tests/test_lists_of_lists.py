"""Lists of run-time length that hold lists of run-time length: tables, buckets, rows that grow."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, jit

X = np.random.default_rng(0).uniform(0.2, 1.3, 6)
EDGES = np.array([[0, 1], [1, 2], [3, 4], [0, 5]])
SQUARE = np.eye(3) + np.random.default_rng(1).uniform(size=(3, 3))


def lol_append(x, n):
    rows = []
    for i in range(n):
        rows.append([])
        for j in range(i + 1):
            rows[i].append(x[j] * x[i])
    s = 0.0
    for i in range(n):
        for j in range(len(rows[i])):
            s += rows[i][j] ** 2
    return s


def pascal_rows(x, n):
    rows = [[x]]
    for i in range(1, n):
        prev = rows[-1]
        row = [x]
        for j in range(1, i):
            row.append(prev[j - 1] + x * prev[j])
        row.append(x)
        rows.append(row)
    return sum(rows[-1])


def lol_mult(x):
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            table[i][j] = x[i] * x[j] + (table[i - 1][j] if i > 0 else 0.0)
    return table[n - 1][0] + table[n - 1][n - 2]


def buckets(x):
    b = [[] for _ in range(3)]
    for i in range(len(x)):
        b[i % 3].append(x[i])
    out = 0.0
    for q in b:
        if len(q) > 0:
            out += sum(q) / len(q) * q[0]
    return out


def adjacency(x, edges):
    n = len(x)
    adj = [[] for _ in range(n)]
    for a, b in edges:
        adj[a].append(b)
        adj[b].append(a)
    s = 0.0
    for i in range(n):
        for j in adj[i]:
            s += (x[i] - x[j]) ** 2
    return s


def rows_plus(x, n):
    table = [[x[0] * i * j for j in range(n)] for i in range(n)]
    u = table[1] + table[2]
    return sum(u) * len(u)


def rows_times(x, n):
    table = [[x[0] * i * j for j in range(n)] for i in range(n)]
    u = table[1] * 2
    return sum(u) * len(u)


def rows_for(x, n):
    table = [[x[0] * i * j for j in range(n)] for i in range(n)]
    s = 0.0
    for row in table:
        u = row + row
        s += sum(u) * len(u)
    return s


def rows_np(x, n):
    table = [[x[0] * i * j for j in range(n)] for i in range(n)]
    a = np.array(table)
    return (a @ a).sum() + np.sum(table) + np.linalg.norm(table[1])


def rows_write(x, n):
    table = [[x[0] * i * j for j in range(n)] for i in range(n)]
    table[1][2] = x[1]
    row = table[2]
    row[0] = x[2]
    return table[1][2] * table[2][0] * table[2][1]


def grow_write(x, n):
    table = []
    for i in range(n):
        table.append([x[i], x[i] * 2])
    table[1][0] = x[5]
    for i in range(n):
        table[i][1] += table[i][0]
    return table[1][0] * table[1][1] + table[0][1]


def zipstar(x, n):
    table = []
    for i in range(n):
        table.append((x[i], x[i] * 2))
    a, b = zip(*table)  # noqa: B905
    return sum(a) * sum(b) + len(a)


def transposed(x, n):
    table = [[x[i] * j for j in range(3)] for i in range(n)]
    flipped = [list(c) for c in zip(*table)]  # noqa: B905
    return sum(flipped[1]) * flipped[2][1]


def alias_after(x, n):
    rows = []
    for i in range(n):
        row = []
        rows.append(row)
        row.append(x[i])
        row.append(x[i] ** 2)
        rows[0].append(x[i] * 3)
    return sum(rows[0]) * sum(rows[n - 1]) * len(rows[0])


def alias_handle(x, n):
    rows = []
    for _ in range(n):
        rows.append([])
    a = rows[0]
    for i in range(n):
        b = rows[i]
        b.append(x[i])
        a.append(x[i] * 2)
    return sum(a) * len(rows[0]) + sum(rows[2]) * len(rows[1])


def rows_assign(x, n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rows[i].append(x[j] * i)
    rows[1] = [x[0], x[1], x[2]]
    rows[2] = rows[3] + rows[1]
    return sum(rows[1]) * len(rows[2]) + sum(rows[2]) ** 2


def swap_rows(x, n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rows[i].append(x[j] * i)
    rows[0], rows[2] = rows[2], rows[0]
    return sum(rows[0]) * len(rows[2])


def gauss_pivot(a, b):
    n = len(b)
    m = [[a[i, j] for j in range(n)] for i in range(n)]
    y = list(b)
    for c in range(n):
        p = c
        for q in range(c + 1, n):
            if abs(m[q][c]) > abs(m[p][c]):
                p = q
        m[c], m[p] = m[p], m[c]
        y[c], y[p] = y[p], y[c]
        for q in range(c + 1, n):
            f = m[q][c] / m[c][c]
            for j in range(c, n):
                m[q][j] -= f * m[c][j]
            y[q] -= f * y[c]
    xs = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = y[i]
        for j in range(i + 1, n):
            s -= m[i][j] * xs[j]
        xs[i] = s / m[i][i]
    return sum(xs) + xs[0]


def three(x, n):
    table = [[[0.0 for _ in range(n)] for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            table[i][j][(i + j) % n] = x[i] * x[j]
    table[0][1][2] += table[1][0][1]
    s = 0.0
    for plane in table:
        for q in plane:
            s += sum(q) ** 2
    return s


def three_grow(x, n):
    table = []
    for i in range(n):
        table.append([])
        for j in range(i + 1):
            table[i].append([])
            for k in range(j + 1):
                table[i][j].append(x[k] * x[j])
    return sum(table[n - 1][n - 1]) * table[1][1][0] * len(table[2][1])


def edges_rt(x, src, dst, n):
    adj = [[] for _ in range(n)]
    for e in range(len(src)):
        adj[src[e]].append((dst[e], x[e]))
    s = 0.0
    for u in range(n):
        for v, w in adj[u]:
            s += w * w * v
        if adj[u]:
            s += adj[u][-1][1]
    return s


def branchy(x, n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        for v in x:
            if v > 0.5:
                rows[i].append(v * i)
            else:
                rows[n - 1 - i].append(v)
    best = rows[0]
    for q in rows:
        if len(q) > len(best):
            best = q
    return sum(best) + sum(map(sum, rows)) + max(max(q) for q in rows)


def sorts(x, n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        for v in x:
            rows[i].append(v * (i - 1.5))
        rows[i].sort()
        rows[i].insert(1, x[i])
        rows[i].reverse()
        rows[i].pop(0)
    return sum(q[0] * q[1] for q in rows)


def cox(t, p, x):  # B-spline table by lists
    n = len(t) - 1
    basis = []
    basis.append([1.0 if t[i] <= x < t[i + 1] else 0.0 for i in range(n)])
    for d in range(1, p + 1):
        row = []
        for i in range(n - d):
            a = 0.0 if t[i + d] == t[i] else (x - t[i]) / (t[i + d] - t[i]) * basis[d - 1][i]
            b = (
                0.0
                if t[i + d + 1] == t[i + 1]
                else (t[i + d + 1] - x) / (t[i + d + 1] - t[i + 1]) * basis[d - 1][i + 1]
            )
            row.append(a + b)
        basis.append(row)
    return sum((i + 1) * v for i, v in enumerate(basis[p]))


def romberg(x, n):
    r = [[0.0] * (n + 1) for _ in range(n + 1)]
    h = x

    def f(t):
        return np.exp(-t * t)

    r[0][0] = 0.5 * h * (f(0.0) + f(x))
    for i in range(1, n + 1):
        h = h / 2
        s = 0.0
        for q in range(1, 2**i, 2):
            s += f(q * h)
        r[i][0] = 0.5 * r[i - 1][0] + s * h
        p = 1
        for j in range(1, i + 1):
            p *= 4
            r[i][j] = r[i][j - 1] + (r[i][j - 1] - r[i - 1][j - 1]) / (p - 1)
    return r[n][n]


def neville(xs, ys, x):
    levels = [list(ys)]
    n = len(xs)
    for d in range(1, n):
        prev = levels[-1]
        levels.append(
            [((x - xs[i]) * prev[i + 1] - (x - xs[i + d]) * prev[i]) / (xs[i + d] - xs[i]) for i in range(n - d)]
        )
    return levels[-1][0]


def stack_lists(x, n):
    st = []
    for i in range(n):
        p = []
        for j in range(i):
            p.append(x[j])
        st.append(p)
    s = 0.0
    while st:
        q = st.pop()
        s = s * 1.1 + sum(q) * len(q)
        if len(q) > 2:
            st.append(q[:1])
    return s


def mut_while_iter(x):
    items = [x[0]]
    for v in items:
        if len(items) < 5:
            items.append(v * x[1])
    return sum(items)


def introws(x, n):
    idx = [[j for j in range(len(x)) if j % n == i] for i in range(n)]
    return sum(x[q[0]] * len(q) + x[q[-1]] for q in idx)


def alias_outer(x, n):
    row = []
    rows = []
    for i in range(n):
        row.append(x[i])
        rows.append(row)
    return sum(rows[0]) * len(rows[0])


def alias_two(x, n):
    rows = []
    for i in range(n):
        row = [x[i]]
        for j in range(i):
            row.append(x[j])
        rows.append(row)
        rows.append(row)
        rows[0].append(x[i])
    return sum(rows[1]) * len(rows[0]) + len(rows[2])


def rows_alias_assign(x, n):
    rows = [[] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rows[i].append(x[j] * i)
    rows[1] = rows[3]
    rows[1].append(x[0])
    return sum(rows[3]) * len(rows[3])


def timeswrong(x, n):
    rows = [[0.0] * n] * n
    rows[0][1] = x[0]
    return rows[1][1]


def appended_to_twice(x):
    items = [x[0], x[1]]
    for v in items:
        if v > 0.3 and len(items) < 7:
            items.append(v * 0.7)
            items.append(v * 0.4)
    return sum(items) * len(items)


def taken_from(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    total = 0.0
    for v in items:
        if v > 0.9:
            items.remove(v)
        total += v
    return total + len(items)


def copied_with_copy(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    shallow, deep = copy.copy(items), copy.deepcopy(items)
    shallow[0] = 5.0 * x[1]
    deep.append(x[2])
    return items[0] * 2.0 + shallow[0] + len(items) + sum(deep)


def appended_to_while_counted(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    total = 0.0
    for i, v in enumerate(items):
        if len(items) < 8:
            items.append(v * 0.5)
        total += v * i
    return total


def taken_from_in_a_comprehension(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    return sum([items.pop() * v for v in items])


def deeply_copied(x, n):
    rows = [[x[i], 1.0] for i in range(n)]
    other = copy.deepcopy(rows)
    rows[1][0] *= 5.0
    return other[1][0] + rows[1][0]


def triangle(x, n):
    rows = []
    for i in range(n):
        row = [1.0] * (i + 1)
        for j in range(1, i):
            row[j] = rows[i - 1][j - 1] * x[0] + rows[i - 1][j]
        rows.append(row)
    return sum(rows[-1]) + rows[2][1]


def pairs_of_arrays(x, n):
    past = []
    for k in range(n):
        if k > 0:
            a, b = past[k - 1]
        else:
            a, b = x, x * 2.0
        past.append((a * b, a + b))
    return past[-1][0].sum()


def in_pairs(x):
    return sum(a / b for a, b in zip(*[iter(x)] * 2))  # noqa: B905


CASES = [
    (triangle, (X, 5)),
    (pairs_of_arrays, (X, 4)),
    (appended_to_twice, (X,)),
    (taken_from, (X, 6)),
    (copied_with_copy, (X, 4)),
    (lol_append, (X, 5)),
    (pascal_rows, (0.7, 5)),
    (lol_mult, (X,)),
    (buckets, (X,)),
    (adjacency, (X, EDGES)),
    (rows_plus, (X, 4)),
    (rows_times, (X, 4)),
    (rows_for, (X, 4)),
    (rows_np, (X, 4)),
    (rows_write, (X, 4)),
    (grow_write, (X, 4)),
    (zipstar, (X, 4)),
    (transposed, (X, 4)),
    (alias_after, (X, 4)),
    (alias_handle, (X, 4)),
    (rows_assign, (X, 4)),
    (swap_rows, (X, 4)),
    (gauss_pivot, (SQUARE, X[:3])),
    (three, (X, 3)),
    (three_grow, (X, 4)),
    (edges_rt, (X, np.array([0, 0, 1, 2, 0, 1]), np.array([1, 2, 2, 3, 3, 3]), 4)),
    (branchy, (X, 4)),
    (sorts, (X, 4)),
    (cox, (np.linspace(0.0, 1.0, 9) ** 1.1, 3, 0.43)),
    (romberg, (0.8, 4)),
    (neville, (np.arange(5.0), X[:5], 1.7)),
    (stack_lists, (X, 5)),
    (mut_while_iter, (X,)),
    (introws, (X, 3)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_all_modes(f, args):
    confirm(f, *args, order=1)


@pytest.mark.parametrize(("f", "args"), [(pascal_rows, (0.7, 5)), (adjacency, (X, EDGES))])
def test_second_order(f, args):
    confirm(f, *args)


@pytest.mark.parametrize(("f", "args"), [(pascal_rows, (0.7, 12)), (buckets, (X,))])
def test_jitted(f, args):
    assert jit(f)(*args) == pytest.approx(f(*args), rel=1e-13)
    np.testing.assert_allclose(grad(f)(*args), grad(f, jit=False)(*args), rtol=1e-13)


@pytest.mark.parametrize("f", [alias_outer, alias_two, rows_alias_assign, timeswrong])
def test_one_list_in_two_places_is_refused_where_it_is_changed(f):
    with pytest.raises(Error, match=r"another list|another name|many places"):
        jit(f, jit=False)(X, 4)


@pytest.mark.parametrize("f", [appended_to_while_counted, taken_from_in_a_comprehension, deeply_copied])
def test_what_would_be_seen_too_late_is_refused(f):
    with pytest.raises(Error, match=r"longer or shorter|copied by copy"):
        jit(f, jit=False)(X, 4)


def test_an_iterator_in_a_list_is_refused():
    with pytest.raises(Error, match="an iterator is kept"):
        jit(in_pairs, jit=False)(X)


def test_an_item_that_is_never_known():
    def f(x, n):
        items = []
        total = x[0]
        for _ in range(n):
            a, b = items[0]
            total += a * b
        return total

    with pytest.raises(Error, match="not a sequence"):
        jit(f, jit=False)(X, 0)


def test_rows_of_different_lengths_make_no_array():
    def ragged(x, n):
        return np.sum(np.array([[x[i]] * i for i in range(n)]))

    with pytest.raises(ValueError, match="different shapes"):
        jit(ragged, jit=False)(X, 3)
