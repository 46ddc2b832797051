"""Stage M0: scalars, branches and calls."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import math

import numpy as np

from census.feature import feature


@feature("M0", "c = a * b", 79.9, 1.3, 0.4)
def kinetic_energy(mass, speed):
    momentum = mass * speed
    energy = 0.5 * momentum * speed
    return energy


@feature("M0", "a * b, a - b, a + b", 53.0, 1.5, -0.5, 2.5)
def discriminant(a, b, c):
    return b * b - 4.0 * a * c + a


def normal_density(z):
    return 0.3989422804014327 * math.exp(-0.5 * z * z)


@feature("M0", "f(x), a function of one's own", 50.3, 0.3, 0.8)
def mixture_density(x, weight):
    return weight * normal_density(x) + (1.0 - weight) * normal_density(x - 1.0)


@feature("M0", "(a, b), a tuple", 45.2, 1.2, 0.7)
def polar_area(r, phi):
    point = (r * math.cos(phi), r * math.sin(phi))
    return point[0] * point[1]


@feature("M0", "if c:", 42.1, 110.0, 100.0)
def call_payoff(spot, strike):
    payoff = 0.0
    if spot > strike:
        payoff = spot - strike
    return payoff * payoff


@feature("M0", "a < b, a >= b, a == b", 40.1, 0.7, 0.2)
def huber(r, delta):
    size = abs(r)
    loss = 0.5 * r * r
    if size >= delta:
        loss = delta * (size - 0.5 * delta)
    return loss


@feature("M0", "x = ...; x = g(x), a name assigned again", 38.8, 2.3)
def babylonian_root(a):
    x = 0.5 * (1.0 + a)
    x = 0.5 * (x + a / x)
    x = 0.5 * (x + a / x)
    return x


@feature("M0", "a / b", 36.5, 3.0, 0.5, 2.0)
def michaelis_menten(rate, substrate, half):
    return rate * substrate / (half + substrate)


@feature("M0", "x += y", 27.2, 0.1, 0.2)
def taylor_exponential(x, y):
    total = 1.0
    total += x
    total += 0.5 * x * x
    total += y * total
    return total


@feature("M0", "-x", 26.1, 0.7)
def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@feature("M0", "elif, else", 21.8, 0.4, 1.0)
def spline_kernel(r, h):
    q = r / h
    if q < 0.5:
        w = 6.0 * (q * q * q - q * q) + 1.0
    elif q < 1.0:
        w = 2.0 * (1.0 - q) ** 3
    else:
        w = 0.0
    return w


@feature("M0", "a, b = b, a", 21.5, 1.0, 2.0, 0.5)
def rotate(x, y, angle):
    c, s = math.cos(angle), math.sin(angle)
    x, y = c * x - s * y, s * x + c * y
    return x * y * y


@feature("M0", "a ** b", 16.6, 1.7, 2.5)
def lennard_jones(r, power):
    return r**-12 - 2.0 * r**-6 + r**power + r**2


def sine_cosine(x):
    return math.sin(x), math.cos(x)


@feature("M0", "return a, b", 16.4, 0.9)
def double_angle(x):
    s, c = sine_cosine(x)
    return 2.0 * s * c


@feature("M0", "and, or", 13.1, 0.3, 0.6)
def in_the_box(x, y):
    if x > 0.0 and x < 1.0 and (y > 0.5 or y < -0.5):
        return x * y
    return x + y


@feature("M0", "np.sqrt", 11.3, 3.0, 4.0)
def hypotenuse(a, b):
    return np.sqrt(a * a + b * b)


def discount(rate, years=2.0, compounding=4.0):
    return (1.0 + rate / compounding) ** (-years * compounding)


@feature("M0", "def f(x, n=2), a default", 10.7, 0.05)
def bond(rate):
    return 5.0 * discount(rate, 1.0) + 105.0 * discount(rate)


@feature("M0", "a parameter assigned to", 8.8, 0.8, 0.1)
def damped(x, friction):
    x = x * (1.0 - friction)
    x = x * (1.0 - friction)
    return x * x


@feature("M0", "max(a, b)", 5.3, 1.2, 0.9)
def rectified(x, y):
    return max(x - y, 0.0) * max(x, y)


@feature("M0", "np.exp", 5.2, 0.4, 0.3)
def arrhenius(temperature, activation):
    return np.exp(-activation / temperature)


@feature("M0", "x -= y", 5.2, 5.0, 1.5)
def water_balance(storage, outflow):
    storage -= outflow
    storage -= 0.1 * storage * storage
    return storage


@feature("M0", "min(a, b)", 5.1, 1.2, 0.9)
def limiter(a, b):
    return min(a * a, b) + min(a, 2.0)


@feature("M0", "np.abs", 4.8, -0.8, 0.3)
def absolute_error(x, y):
    return np.abs(x - y) * np.abs(x)


@feature("M0", "not c", 4.3, 0.4)
def outside(x):
    inside = -1.0 < x < 0.2
    if not inside:
        return x * x
    return 0.0


@feature("M0", "abs(x)", 4.1, -0.8)
def laplace(x):
    return math.exp(-abs(x))


@feature("M0", "a if c else b", 4.0, -0.6)
def leaky(x):
    y = x if x > 0.0 else 0.1 * x
    return y * y


@feature("M0", "f(x, n=3), keywords", 3.9, 0.05)
def cheaper_bond(rate):
    return discount(rate, compounding=1.0, years=3.0)


@feature("M0", "x *= y", 3.9, 1.1, 0.7)
def cubed(x, y):
    product = x
    product *= x
    product *= x * y
    return product


@feature("M0", "x /= y", 3.8, 1.1, 0.7)
def normalised(x, y):
    ratio = x
    ratio /= x + y
    ratio /= y
    return ratio


@feature("M0", "np.log", 3.7, 2.0, 1.5)
def log_likelihood(x, scale):
    return -np.log(scale) - x / scale


@feature("M0", "np.sin", 3.2, 0.4)
def chirp(t):
    return np.sin(t * t)


@feature("M0", "np.cos", 3.0, 0.4, 1.1)
def law_of_cosines(a, angle):
    return a * a + 1.0 - 2.0 * a * np.cos(angle)


@feature("M0", "np.pi", 2.7, 1.2)
def sphere(r):
    return 4.0 / 3.0 * np.pi * r**3


@feature("M0", "a < b < c", 2.0, 0.4)
def window(x):
    return x * x if 0.0 < x < 1.0 else 0.0


@feature("M0", "math.exp", 1.3, 0.4)
def softplus(x):
    return math.log(1.0 + math.exp(x))


@feature("M0", "math.sqrt", 1.3, 0.4)
def relativistic(beta):
    return 1.0 / math.sqrt(1.0 - beta * beta)


@feature("M0", "a = b = c", 0.8, 1.4)
def telescoped(x):
    a = b = x * x
    a = a + 1.0
    return a * b


@feature("M0", "np.arccos", 0.8, 0.4)
def great_circle(c):
    return 6.371 * np.arccos(c) ** 2


@feature("M0", "np.arctan2", 0.6, 0.7, -0.3)
def bearing(y, x):
    return np.arctan2(y, x) * x


@feature("M0", "np.tanh, np.sinh, np.cosh", 0.3, 0.7)
def soliton(x):
    return np.tanh(x) + np.sinh(x) / np.cosh(x) ** 2


@feature("M0", "np.tan, np.arcsin, np.arctan", 0.3, 0.4)
def refraction(angle):
    return np.tan(np.arcsin(0.7 * np.sin(angle))) + np.arctan(angle)


@feature("M0", "np.log2, math.log10", 0.5, 3.4)
def decibel(power):
    return 10.0 * math.log10(power) + np.log2(power)


@feature("M0", "math.erf", 0.2, 0.4, 0.2)
def option_delta(moneyness, volatility):
    return 0.5 * (1.0 + math.erf(moneyness / volatility / math.sqrt(2.0)))


@feature("M0", "math.lgamma", 0.4, 2.4, 1.3)
def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
