"""A small neural network in NumPy arrays; the parameters are a dict, and so is the gradient.

python examples/network.py
"""

import numpy as np

from srcgrad import value_and_grad


@value_and_grad
def loss(parameters, x, y):
    hidden = np.tanh(x @ parameters["w1"] + parameters["b1"])
    predicted = hidden @ parameters["w2"] + parameters["b2"]
    return np.mean((predicted - y) ** 2)


def main():
    generator = np.random.default_rng(0)
    x = generator.uniform(-2.0, 2.0, (400, 2))
    y = np.sin(x[:, 0]) * np.cos(x[:, 1])
    parameters = {
        "w1": generator.standard_normal((2, 32)),
        "b1": np.zeros(32),
        "w2": 0.1 * generator.standard_normal(32),
        "b2": 0.0,
    }
    momentum = dict.fromkeys(parameters, 0.0)
    for step in range(2001):
        value, gradient = loss(parameters, x, y)
        if step % 500 == 0:
            print(f"step {step:4}  loss {value:.6f}")
        momentum = {name: 0.9 * momentum[name] - 0.02 * gradient[name] for name in parameters}
        parameters = {name: parameters[name] + momentum[name] for name in parameters}


if __name__ == "__main__":
    main()
