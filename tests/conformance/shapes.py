"""The same elements under other axes, repeated, joined and cut."""

from __future__ import annotations

from conformance.grid import of_matrix, of_two
from conformance.row import case, numbers, row

of_matrix(
    "np.reshape", "(a, shape, order)", "np.reshape(x, (2, -1))", "x.reshape(4, 3)", "np.reshape(x, (4, 3), order='F')"
)
of_matrix("np.ravel", "(a, order)", "np.ravel(x)", "x.ravel('F')", "x.T.ravel()")
of_matrix("np.transpose", "(a, axes)", "np.transpose(x)", "x.T", "x.transpose(1, 0)", "x[None].transpose((2, 0, 1))")
of_matrix("np.matrix_transpose", "(x)", "np.matrix_transpose(x)", "x.mT")
of_matrix("np.squeeze", "(a, axis)", "np.squeeze(x[None])", "np.squeeze(x[:, None], axis=1)", "x[:1].squeeze(0)")
of_matrix("np.expand_dims", "(a, axis)", "np.expand_dims(x, 1)", "np.expand_dims(x, (0, -1))")
of_matrix("np.swapaxes", "(a, axis1, axis2)", "np.swapaxes(x, 0, 1)", "x[None].swapaxes(0, -1)")
of_matrix("np.moveaxis", "(a, source, destination)", "np.moveaxis(x, 0, -1)", "np.moveaxis(x[None], (0, 1), (2, 0))")
of_matrix("np.rollaxis", "(a, axis, start)", "np.rollaxis(x, 1)", "np.rollaxis(x[None], 0, 3)")
of_matrix("np.broadcast_to", "(array, shape)", "np.broadcast_to(x, (2, 3, 4))", vectors=["np.broadcast_to(x, (3, 5))"])
of_two("np.broadcast_arrays", "(*args)", ("np.broadcast_arrays(x, y)[0] * np.broadcast_arrays(x, y)[1]", (4,), (3, 1)))
of_matrix("np.atleast_1d", "(*arys)", "np.atleast_1d(x)", vectors=["np.atleast_1d(x[0])"])
of_matrix("np.atleast_2d", "(*arys)", "np.atleast_2d(x)", vectors=["np.atleast_2d(x)"])
of_matrix("np.atleast_3d", "(*arys)", "np.atleast_3d(x)", vectors=["np.atleast_3d(x)"])
of_two(
    "np.concatenate",
    "(arrays, axis, dtype)",
    ("np.concatenate((x, y))", (3, 4), (2, 4)),
    ("np.concatenate([x, y, x], axis=-1)", (3, 4), (3, 2)),
    ("np.concatenate((x, y), axis=None)", (3, 4), (2,)),
    ("np.concatenate((x, [1.0, 2.0], y))", (3,), (0,)),
    ("np.concatenate(x)", (2, 3, 4), (1,)),
)
of_two(
    "np.stack",
    "(arrays, axis)",
    ("np.stack((x, y))", (3, 4), (3, 4)),
    ("np.stack([x, y], axis=-1)", (3, 4), (3, 4)),
    ("np.stack(x, axis=1)", (2, 3), (1,)),
)
of_two("np.hstack", "(tup)", ("np.hstack((x, y))", (3, 4), (3, 2)), ("np.hstack([x, y, 1.0])", (3,), (2,)))
of_two("np.vstack", "(tup)", ("np.vstack((x, y))", (3, 4), (2, 4)), ("np.vstack([x, y])", (3,), (3,)))
of_two("np.dstack", "(tup)", ("np.dstack((x, y))", (3, 4), (3, 4)), ("np.dstack([x, y])", (3,), (3,)))
of_two("np.column_stack", "(tup)", ("np.column_stack((x, y))", (3, 4), (3,)), ("np.column_stack([x, y])", (3,), (3,)))
of_two("np.block", "(arrays)", ("np.block([[x, y], [y, x]])", (3, 2), (3, 2)), ("np.block([x, y, 1.0])", (3,), (2,)))
of_two(
    "np.append",
    "(arr, values, axis)",
    ("np.append(x, y, axis=0)", (3, 4), (2, 4)),
    ("np.append(x, y)", (3, 4), (2,)),
    ("np.append(x, [1.0, 2.0])", (3,), (1,)),
)
for _name, _first in (("np.split", "2"), ("np.array_split", "3")):
    of_matrix(
        _name,
        "(ary, indices_or_sections, axis)",
        f"np.concatenate({_name}(x, {_first}, axis=1)[::-1], axis=1)",
        f"{_name}(x, [1, 2])[1] * 2.0",
        f"{_name}(x, (1, 3), axis=-1)[2]",
    )
of_matrix("np.hsplit", "(ary, indices_or_sections)", "np.hsplit(x, 2)[1]", vectors=["np.hsplit(x, [2])[0]"])
of_matrix("np.vsplit", "(ary, indices_or_sections)", "np.vsplit(x, 3)[1]", "np.vsplit(x, [1])[1]")
of_matrix("np.dsplit", "(ary, indices_or_sections)", "np.dsplit(x[None], 2)[1]")
of_matrix("np.tile", "(A, reps)", "np.tile(x, (2, 3))", "np.tile(x, 2)", vectors=["np.tile(x, (2, 1, 3))"])
of_matrix(
    "np.repeat",
    "(a, repeats, axis)",
    "np.repeat(x, 2, axis=1)",
    "np.repeat(x, [2, 0, 1], axis=0)",
    vectors=["np.repeat(x, np.array([1, 2, 0, 3, 1]))", "x.repeat(3)"],
)
of_matrix("np.resize", "(a, new_shape)", "np.resize(x, (2, 4))", vectors=["np.resize(x, 13)"])
of_matrix(
    "np.roll",
    "(a, shift, axis)",
    "np.roll(x, 1, axis=1)",
    "np.roll(x, -2)",
    "np.roll(x, (1, 2), axis=(0, 1))",
    vectors=["np.roll(x, 7)"],
)
of_matrix("np.flip", "(m, axis)", "np.flip(x)", "np.flip(x, 0)", "np.flip(x[None], (0, 2))")
of_matrix("np.flipud", "(m)", "np.flipud(x)")
of_matrix("np.fliplr", "(m)", "np.fliplr(x)")
of_matrix(
    "np.rot90", "(m, k, axes)", "np.rot90(x)", "np.rot90(x, 2)", "np.rot90(x, -1)", "np.rot90(x[None], 1, (2, 1))"
)
of_matrix(
    "np.delete",
    "(arr, obj, axis)",
    "np.delete(x, 1, axis=0)",
    "np.delete(x, [1, 3], axis=1)",
    "np.delete(x, 1)",
    vectors=["np.delete(x, -1)", "np.delete(x, [0, 0, 2])", "np.delete(x, slice(1, 3))", "np.delete(x, x > 0.0)"],
)
of_matrix(
    "np.insert",
    "(arr, obj, values, axis)",
    "np.insert(x, 1, x[0], axis=0)",
    "np.insert(x, 1, x[:, 0], axis=1)",
    "np.insert(x, 2, 3.0)",
    vectors=["np.insert(x, -1, x[2])", "np.insert(x, [1, 1, 4], x[:3])", "np.insert(x, 5, 7.0)"],
)
of_matrix("np.trim_zeros", "(filt, trim)", vectors=["np.trim_zeros(np.maximum(x - 0.1, 0.0))"])
of_matrix(
    "np.pad",
    "(array, pad_width, mode, constant_values, end_values, stat_length, reflect_type)",
    "np.pad(x, ((1, 2), (0, 3)))",
    "np.pad(x, 1, constant_values=((1.0, 2.0), (3.0, 4.0)))",
    "np.pad(x, ((1, 2), (2, 1)), mode='edge')",
    "np.pad(x, (1, 2), mode='linear_ramp', end_values=3.0)",
    "np.pad(x, 1, mode='maximum')",
    "np.pad(x, ((1, 2), (2, 1)), mode='mean', stat_length=((1, 2), (2, 3)))",
    "np.pad(x, 1, mode='median')",
    "np.pad(x, ((1, 2), (2, 1)), mode='reflect')",
    "np.pad(x, ((1, 2), (5, 6)), mode='wrap')",
    "np.pad(x, {-1: (1, 2)})",
    vectors=[
        "np.pad(x, 9, mode='reflect')",
        "np.pad(x, 7, mode='reflect', reflect_type='odd')",
        "np.pad(x, 8, mode='symmetric')",
        "np.pad(x, 7, mode='symmetric', reflect_type='odd')",
        "np.pad(x, 2, mode='minimum', stat_length=2)",
        "np.pad(x, 2, mode='empty')[2:-2]",
    ],
)
row(
    "np.array",
    "(object, dtype, copy, ndmin)",
    [
        case("np.array([[x[0], 1.0], [x[1], x[2]]])", [numbers(3)]),
        case("np.array([x, 2.0 * x])", [numbers(3)]),
        case("np.array(x, ndmin=2)", [numbers(3)]),
        case("np.array([2.0 * a for a in x])", [numbers(3, 2)]),
    ],
)
of_matrix("np.copy", "(a, order)", "np.copy(x)", "x.copy(order='F')")
of_matrix("np.ascontiguousarray", "(a, dtype)", "np.ascontiguousarray(x)")
of_matrix("np.asfortranarray", "(a, dtype)", "np.asfortranarray(x)")
