"""For each rule of reverse mode that can be wrong silently: the smallest program that breaks without it."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: SIM108
# The programs are written as users write them, without annotations.

from __future__ import annotations

import numpy as np

import srcgrad


def changed_after(x):
    """Read in one loop, overwritten in the next: a read may be repeated only if no later op changes it."""
    a = x.copy()
    s = 0.0
    for i in range(4):
        s += a[i] * a[i] * a[i]
    for i in range(4):
        a[i] = 0.5
    return s


def changed_by_next_iteration(x):
    """The write stands before the read, yet the write of a later iteration comes after it."""
    a = x.copy()
    s = 1.0
    for t in range(4):
        a[t] = a[t] + 0.3
        s = s * (1.0 + a[3] * a[3])
    return s


def old_changed_loop(x):
    """Memory born in the loop, but changed by the next iteration under the name it was carried out with."""
    old = x.copy()
    s = 0.0
    for _ in range(3):
        new = np.empty(4)
        for i in range(4):
            new[i] = old[i] * x[i]
        for i in range(4):
            old[i] = 0.1
        for i in range(4):
            s += new[i] * new[i] * new[i]
        old = new
    return s


def changed_in_its_own_iteration(x):
    """Born, read and overwritten within one iteration."""
    s = 1.0
    for t in range(2):
        w = np.empty(4)
        for i in range(4):
            w[i] = x[i] * (t + 1.0) * s
        for i in range(4):
            s += 0.1 * w[i] * w[i] * w[i]
        for i in range(4):
            w[i] = 0.0
        s += w[0]
    return s


def read_ahead(x):
    """The element read now is written by the next iteration: the indices differ, their paths do not."""
    a = x.copy()
    s = 1.0
    for i in range(3):
        s = s * (1.0 + a[i + 1] * a[i + 1])
        a[i] = 0.5
    return s


def written_behind(x):
    """Of the elements that an iteration reads, it then writes the last: the bound of ``k`` is not below ``i``."""
    a = x.copy()
    s = 1.0
    for i in range(4):
        for k in range(i + 1):
            s = s * (1.0 + a[k] * a[k])
        a[i] = 0.5
    return s


def written_ahead(x):
    """The last of the elements that an iteration reads is written by the next one."""
    a = x.copy()
    s = 1.0
    for i in range(3):
        for k in range(i + 2):
            s = s * (1.0 + a[k] * a[k])
        a[i] = 0.5
    return s


def other_memory_each_time(x):
    """A carried name means other memory in each iteration, so that its indices alone say nothing."""
    a = x.copy()
    p = 1.0
    for i in range(4):
        p *= a[i]
        b = 0.5 * a
        a, b = b, a
    return p


def sliding_slice(x):
    """The same with a view taken anew in each iteration."""
    a = x.copy()
    s = 1.0
    for i in range(3):
        v = a[i:]
        s = s * (1.0 + v[3 - i] * v[0])
        v[1] = v[1] * v[0]
    return s


def chosen_alias(x, c):
    """Two names that may be one array are not different memory."""
    u = x.copy()
    w = x.copy()
    v = u if c > 0.0 else w
    s = 0.0
    for i in range(4):
        s += u[i] ** 3 * c
    for i in range(4):
        v[i] = 0.5 * x[i]
    return s + v[0] * v[1] * v[2]


def swapped_alias(x):
    """Buffers that are only permuted stay different only if they start different."""
    u = x.copy()
    v = u
    for _ in range(3):
        u, v = v, u
    s = 0.0
    for i in range(4):
        s += u[i] ** 3
    for i in range(4):
        v[i] = 0.5 * x[i]
    return s + v[0] * v[1] * v[2]


def alias_through_swap(x):
    """What a carried reference may mean includes what comes back around the loop."""
    u = x.copy()
    v = 2.0 * x
    s = 0.0
    for _ in range(3):
        for i in range(4):
            s += u[i] ** 3
        for i in range(4):
            v[i] = v[i] * 0.5
        u, v = v, u
    return s


def swap_under_if(x):
    """Which array a name means depends on a value."""
    u = x.copy()
    v = x * x
    for t in range(3):
        if u[0] > v[1]:
            u, v = v, u
        for i in range(4):
            u[i] = u[i] * v[i - 1] + 0.1 * t
    return u[0] * v[2] + u[3]


def second_branch(x, c):
    """A merged reference may mean the array of either branch."""
    k = 2.0 * x
    u = x.copy()
    b = k if c > 5.0 else u
    s = 0.0
    for i in range(4):
        s += b[i] ** 3 * c
    for i in range(4):
        u[i] = 0.5 * x[i]
    return s + u[0] * u[1] * u[2]


def dead_store(x):
    """A constant written over a value cuts it off."""
    a = x.copy()
    a[0] = a[1] * a[1]
    a[1] = 3.0
    a[0] = 2.0
    return a[0] * a[1] + a[2]


def mixed_activity(x, c):
    """An array of constants that may stand in the place of an active one needs a shadow too."""
    k = np.ones(4)
    u = x if c > 0.0 else k
    k[0] = 2.0
    s = 0.0
    for i in range(4):
        s += u[i] * u[i] * k[i]
    return s * c


def carried_out(x):
    """The shadow of an array born in an iteration lives on when the loop carries the array out."""
    u = x.copy()
    for _ in range(3):
        w = np.zeros(4)
        for i in range(4):
            w[i] = np.sin(u[i]) * u[i - 1]
        u = w
    return u[0] * u[1] + u[3]


def carried_out_by_if(x):
    """The same where the array leaves through a branch."""
    s = 0.0
    for t in range(3):
        w = x * (t + 1.0)
        if t > 0:
            b = w
        else:
            b = x
        w[0] = w[0] * w[1]
        for i in range(4):
            s += b[i] ** 3
    return s


def same_argument_twice(a, b):
    """Only right if the two are different memory, which the caller must be held to."""
    for i in range(3):
        a[i] = a[i] * b[i] + b[i - 1]
    return a[0] * a[1] + a[2]


def shifted_onto_itself(x):
    """The right side of a slice assignment is complete before anything is written."""
    a = x.copy()
    a[1:] = a[:-1] * a[1:] + 0.5
    a[:-1] += a[1:] * a[1:]
    return a[0] * a[1] + a[2] * a[3]


def backwards_range(x, start, stop):
    """A range that ends before it starts has no iterations, whatever is computed from its length."""
    s = x * x
    for i in range(start, stop):
        s = s * x + i
    return s * s


def running_product(x):
    """Not a sum: the iterations do not commute and must be reversed from the last."""
    p = 1.0
    for i in range(4):
        p = p * x[i]
    return p


def partial_sums_read(x):
    """A sum, but each partial sum is read."""
    s = 0.0
    total = 0.0
    for i in range(4):
        s += x[i]
        total += s * s * x[i]
    return total


def recurrence(x):
    """The loop reads what it wrote in an earlier iteration."""
    a = x.copy()
    for i in range(1, 4):
        a[i] = np.sin(a[i - 1]) * a[i]
    return a[3] * a[1]


def changed_before_reversal(x):
    """What a loop of sums reads is changed between the loop and its reversal."""
    a = x.copy()
    s = 0.0
    for i in range(4):
        s += np.sin(a[i]) * a[i]
    a[1] = s * s
    for i in range(4):
        a[i] = 0.5 * a[i]
    return s + a[1]


def histogram(x):
    """Accumulations into an array that the loop does not read must not be done twice."""
    h = np.zeros(3)
    for i in range(4):
        h[i % 3] += x[i] * x[i]
    s = 0.0
    for k in range(3):
        s += np.sin(h[k]) * (k + 1.0)
    return s


def forces(x):
    """Pairs that write to both partners."""
    f = np.zeros(4)
    energy = 0.0
    for i in range(4):
        for j in range(i + 1, 4):
            d = x[i] - x[j]
            energy += d * d * d
            f[i] += d * d
            f[j] -= d * d
    return energy * f[0] + f[1] * f[2] + f[3]


def scratch(x):
    """Scratch memory that each iteration fills before it reads."""
    w = np.empty(4)
    s = 0.0
    for k in range(3):
        for i in range(4):
            w[i] = np.sin(x[i] * (k + 1.0))
        for i in range(4):
            s += w[i] * w[3 - i]
    return s


def scratch_kept(x):
    """Scratch of which an iteration reads what an earlier one left."""
    w = np.zeros(4)
    s = 0.0
    for k in range(3):
        for i in range(k + 1):
            w[i] = np.sin(x[i] * (k + 1.0)) * x[i]
        for i in range(4):
            s += w[i] * w[3 - i]
    return s


def scratch_zero_trips(x, n):
    """A loop that may not run has written nothing."""
    w = np.ones(1)
    s = 0.0
    for k in range(3):
        for _ in range(n * (1 - k)):
            w[0] = x[k] * x[k]
        s += w[0] * w[0] * x[k]
    return s


def prefix(x):
    """A mirror loop that adds from element to element must not be turned round."""
    a = x.copy()
    for i in range(1, 4):
        a[i] += a[i - 1]
    s = 0.0
    for i in range(4):
        s += np.sin(a[i]) * (i + 1.0)
    return s


def last_write(x, places):
    """Of several writes to one element only the last one counts."""
    y = np.zeros(4)
    for i in range(4):
        y[places[i]] = x[i] * x[i]
    s = 0.0
    for k in range(4):
        s += y[k] * y[k] * (k + 1.0)
    return s


def filled_beside(x):
    """The mirror of the first loop repeats its sum, but not what it leaves for the second loop."""
    b = np.empty(4)
    s = 0.0
    for i in range(4):
        b[i] = i + 1.0
        s += x[i] * x[i]
    for i in range(4):
        s += b[3 - i]
    return s


def chained_loops(x):
    """The mirror of the first loop needs what the mirror of the second one leaves in a shadow."""
    b = np.empty(4)
    s = 0.0
    for i in range(4):
        b[i] = np.sin(x[i])
        s += x[i] * x[i]
    for i in range(4):
        s += b[i] * b[i] * b[3 - i]
    return s


def difference_changed(m):
    """A shadow may be skipped on the way to another one only if nothing else happens to it."""
    s = 0.0
    for k in range(2):
        c = np.empty(3)
        for a in range(3):
            c[a] = m[k, a] - 0.5
        c[1] = c[0] * c[2]
        for a in range(3):
            s += c[a] * c[a] * c[a]
    return s


def difference_in_part(m):
    """Nor if only a part of it goes there."""
    s = 0.0
    for k in range(2):
        c = np.zeros(3)
        for a in range(2):
            c[a] = m[k, a] - 0.5
        for a in range(3):
            s += (c[a] + 1.0) ** 3
    return s


def temporary_of_changed(x):
    """What a temporary array was computed from is changed before it is read."""
    a = x.copy()
    d = a * 2.0
    a[0] = 5.0 * a[1]
    return np.sum(d * d * d) + a[0] * a[2]


@srcgrad.custom_vjp
def squared(x):
    return x * x


squared.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))


def changed_after_its_rule_kept_it(x):
    """What a derivative rule needs of an array is copied, should the array be written to before it is needed."""
    a = x.copy()
    y = squared(a)
    for i in range(4):
        a[i] = 0.5 * i
    s = 0.0
    for i in range(4):
        s += y[i] * (1.0 + a[i])
    return s


def diffused_in_place(x):
    """A snapshot of a loop's state holds the arrays that the loop changes."""
    u = x.copy()
    for t in srcgrad.checkpoint(range(6), budget=100):
        for i in range(1, 4):
            u[i] += 0.3 * u[i - 1] * u[i] + 0.01 * t
    return np.sum(u * u)


def chosen_then_changed(x):
    """What was chosen may be computed again only if the loop leaves alone what it was computed from."""
    a = x.copy()
    best = -1.0
    for i in range(4):
        if a[i] > best:
            best = a[i] * a[i]
        a[i] = 0.5 * x[i]
    return best


def stored_then_changed(x):
    """What was stored is as good as kept only if the element holds it until it is read again."""
    a = np.empty(4)
    s = 1.0
    for i in range(4):
        a[i] = np.exp(x[i] * s)
        s += a[i] * x[3 - i]
        a[i] = 0.5
    return s + a[0] * x[0]


def overwritten_under_another_name(x):
    """What an iteration is given changes under the name of another: a buffer would keep what was copied into it."""
    a = np.zeros(3)
    for i in range(3):
        a[i] = x[i]
    b = a
    for _ in range(2):
        b[0] = 0.5 * a[1]
        a = np.sin(a)
    return np.sum(a * a) + b[0]


def state_before(x):
    """What an iteration was given is handed on under another name: as a buffer it would be overwritten."""
    current, previous = np.zeros(3), np.ones(3)
    for i in range(3):
        current[i] = x[i]
    for _ in range(3):
        new = np.sin(current) * previous[0]
        previous = current
        current = new
    return np.sum(current * previous)


def changed_before_it_is_read(x):
    """An array is kept as it stands at the start of an iteration only if nothing has changed it when it is read."""
    a = np.zeros(3)
    s = 0.0
    for i in range(3):
        a[i] = x[i]
    for t in range(4):
        a[t // 2] = a[1] * x[t]
        for i in range(3):
            for j in range(3):
                s += a[i] * a[i] * a[j]
        a[0] = 0.5 * t
    return s


def emptied_into_what_changes(x):
    """A shadow that others are emptied into is emptied itself, and yet read and cleared before: it stays."""
    w = np.array([[0.3, -0.2, 0.5], [0.1, 0.6, -0.4], [-0.3, 0.2, 0.4]])
    b = np.zeros(3)
    for i in range(3):
        b[i] = x[i]
    a, d = b, np.zeros(3)
    for _ in range(3):
        c = b.copy()
        a = w @ c
        for i in range(3):
            d[i] = c[i]
    s = np.sum(d * d)
    b[1] = a[2] * a[2]
    return s + np.sum(b * b)


def stored_in_place_then_changed(x):
    """A mirror that runs each iteration again reads what was stored only if it is still there."""
    a = np.empty(4)
    for i in range(4):
        a[i] = np.exp(x[i])
    s = 0.0
    for i in range(4):
        s += a[i] * a[i]
    for i in range(3):
        a[i] = 0.5
    return s + a[0] * x[0]


def halved(x):
    """A new array in each iteration, of which some elements are read that nothing was stored to."""
    u = x.copy()
    for _ in range(3):
        w = np.zeros(x.shape[0])
        for i in range(0, 4, 2):
            w[i] = u[i] * u[i + 1] + x[i]
        u = w
    s = 0.0
    for i in range(4):
        s += (u[i] + x[i]) ** 2
    return s


def changed_while_new(x):
    """What a loop starts with is written to in the loop, and read behind it."""
    v = x * x
    u = v
    for _ in range(3):
        u[0] = u[0] * u[1]
        w = np.empty(x.shape[0])
        for i in range(4):
            w[i] = u[i] * x[i]
        u = w
    s = 0.0
    for i in range(4):
        s += u[i] * v[i] + v[i] * v[i]
    return s


def remembered(x):
    """One of the arrays that a loop makes is still there when its successors have come and gone."""
    u = x.copy()
    first = x.copy()
    for t in range(4):
        w = np.empty(x.shape[0])
        for i in range(4):
            w[i] = u[i] * x[i]
        if t == 1:
            first = w
        u = w
    s = 0.0
    for i in range(4):
        s += u[i] * first[i]
    return s
