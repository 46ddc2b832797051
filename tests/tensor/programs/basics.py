"""Leaves, sums, products, accumulation: what a first tutorial shows."""


def vector(torch, dtype, *values):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def sum_of_two(torch, dtype):
    x, y = vector(torch, dtype, 2.0, 3.0), vector(torch, dtype, 5.0, 6.0)
    z = x + y
    z.sum().backward()
    return z, x.grad, y.grad


def product_and_sum(torch, dtype):
    a, b = vector(torch, dtype, 3.0, 4.0), vector(torch, dtype, 5.0, 6.0)
    c = a * b + b
    c.sum().backward()
    return c, a.grad, b.grad


def accumulates(torch, dtype):
    x = vector(torch, dtype, 1.0, -2.0)
    for _ in range(3):
        (x * x).sum().backward()
    first = x.grad.clone()
    x.grad.zero_()
    x.prod().backward()
    return first, x.grad


def vector_jacobian(torch, dtype):
    x = vector(torch, dtype, 0.5, 1.5, -1.0)
    y = x**3 + 2 * x
    y.backward(torch.tensor([1.0, 0.1, -0.5], dtype=dtype))
    return y, x.grad


def retained_graph(torch, dtype):
    x = vector(torch, dtype, 1.0, 2.0)
    y = (x.exp() * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return (x.grad,)


def intermediate_gradient(torch, dtype):
    x = vector(torch, dtype, 1.0, 2.0)
    y = x * 3
    y.retain_grad()
    z = (y**2).mean()
    z.backward()
    return x.grad, y.grad


def hooks(torch, dtype):
    x = vector(torch, dtype, 1.0, 2.0)
    y = x.sin()
    y.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g + 1)
    (y * x).sum().backward()
    return (x.grad,)


def detached(torch, dtype):
    x = vector(torch, dtype, 0.3, 0.7)
    y = x * x
    z = (y.detach() * x + y).sum()
    z.backward()
    return z, x.grad


def no_grad_inside(torch, dtype):
    x = vector(torch, dtype, 0.3, 0.7)
    with torch.no_grad():
        scale = (x * 10).sum()
    y = (x * scale).sum()
    y.backward()
    assert not scale.requires_grad
    return y, x.grad


def gradient_of(torch, dtype):
    x, y = vector(torch, dtype, 1.0, 2.0), vector(torch, dtype, 3.0, 4.0)
    unused = vector(torch, dtype, 1.0)
    z = (x * y.log()).sum()
    found = torch.autograd.grad(z, (x, y, unused), allow_unused=True)
    assert found[2] is None and x.grad is None
    return found[:2]


def gradient_of_intermediate(torch, dtype):
    x = vector(torch, dtype, 1.0, 2.0)
    y = x * x
    z = (y * x).sum()
    return torch.autograd.grad(z, (y, x))


def several_outputs(torch, dtype):
    x = vector(torch, dtype, 1.0, 2.0)
    y, z = (x * x).sum(), (x**3).sum()
    return torch.autograd.grad((y, z), x, (torch.tensor(2.0, dtype=dtype), torch.tensor(0.5, dtype=dtype)))


def second_derivative(torch, dtype):
    x = vector(torch, dtype, 1.0, 2.0, 3.0)
    y = (x.sin() * x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad((g * g).sum(), x)
    return g, h


def third_derivative(torch, dtype):
    x = vector(torch, dtype, 0.8)
    y = x.exp() * x**2
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(second.sum(), x)
    return first, second, third


def gradient_penalty(torch, dtype):
    w = torch.tensor([[0.5, -0.2], [0.1, 0.3]], dtype=dtype, requires_grad=True)
    x = vector(torch, dtype, 1.0, 2.0)
    y = torch.tanh(w @ x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    loss = y + 0.1 * (g.norm() - 1) ** 2
    loss.backward()
    return loss, w.grad, x.grad


def backward_with_graph(torch, dtype):
    x = vector(torch, dtype, 2.0)
    (x**3).sum().backward(create_graph=True)
    g = x.grad
    x.grad = None
    g.sum().backward()
    return g, x.grad


def custom_function(torch, dtype):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            ctx.k = k
            return k * x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            assert ctx.needs_input_grad == (True, False)
            return 3 * ctx.k * x**2 * g, None

    x = vector(torch, dtype, 1.0, 2.0)
    y = (Cube.apply(x * 2, 0.5) * x).sum()
    y.backward()
    return y, x.grad


def custom_function_twice(torch, dtype):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

    x = vector(torch, dtype, 0.1, 0.2)
    (g,) = torch.autograd.grad((Exp.apply(x) * x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h


def custom_two_results(torch, dtype):
    class Polar(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return (x * x + y * y).sqrt(), torch.atan2(y, x)

        @staticmethod
        def backward(ctx, gr, ga):
            x, y = ctx.saved_tensors
            r2 = x * x + y * y
            r = r2.sqrt()
            return gr * x / r - ga * y / r2, gr * y / r + ga * x / r2

    x, y = vector(torch, dtype, 1.0, -2.0), vector(torch, dtype, 0.5, 1.0)
    r, a = Polar.apply(x, y * 2)
    (r * a).sum().backward()
    return r, a, x.grad, y.grad


PROGRAMS = [
    sum_of_two,
    product_and_sum,
    accumulates,
    vector_jacobian,
    retained_graph,
    intermediate_gradient,
    hooks,
    detached,
    no_grad_inside,
    gradient_of,
    gradient_of_intermediate,
    several_outputs,
    second_derivative,
    third_derivative,
    gradient_penalty,
    backward_with_graph,
    custom_function,
    custom_function_twice,
    custom_two_results,
]
