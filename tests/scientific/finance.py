"""Prices, risks, portfolios."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from tests.scientific.programs import made, program


@dataclass
class Option:
    strike: float
    rate: float
    maturity: float

    def price(self, spot, volatility):
        def phi(z):
            return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))

        spread = volatility * math.sqrt(self.maturity)
        d1 = math.log(spot / self.strike) + (self.rate + volatility**2 / 2)
        d1 = d1 / spread
        discount = math.exp(-self.rate * self.maturity)
        return spot * phi(d1) - self.strike * discount * phi(d1 - spread)


OPTIONS = [Option(0.5, 0.02, 1.0), Option(0.7, 0.01, 0.5)]


@program([0.6, 0.4, 0.9])
def black_scholes(p):
    """Prices as scalars, from objects in a list."""
    prices = [option.price(p[0], p[1]) for option in OPTIONS]
    target = np.full(len(prices), 0.1) * p[2]
    return sum((price - t) ** 2 for price, t in zip(prices, target, strict=True))


@program([100.0, 0.2], strikes=np.array([90.0, 100.0, 110.0]))
def implied_smile(p, strikes, rate=0.01, maturity=0.5):
    """Prices by SciPy's normal distribution."""
    spot, sigma = p
    d1 = (np.log(spot / strikes) + (rate + sigma**2 / 2) * maturity) / (
        sigma * np.sqrt(maturity)
    )
    d2 = d1 - sigma * np.sqrt(maturity)
    calls = spot * norm.cdf(d1) - strikes * np.exp(-rate * maturity) * norm.cdf(d2)
    return np.sum((calls - np.array([12.0, 6.0, 2.0])) ** 2)


@program([100.0, 0.2, 0.03], n=12, american=True)
def binomial_tree(p, n, american):
    """Backwards through a tree, in place."""
    spot, sigma, rate = p
    dt = 0.5 / n
    up = np.exp(sigma * np.sqrt(dt))
    q = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    prices = spot * up ** np.arange(-n, n + 1, 2)
    values = np.maximum(95.0 - prices, 0)
    for step in range(n - 1, -1, -1):
        values = np.exp(-rate * dt) * (q * values[1:] + (1 - q) * values[:-1])
        if american:
            nodes = spot * up ** np.arange(-step, step + 1, 2)
            values = np.maximum(values, 95.0 - nodes)
    return values[0]


@dataclass(frozen=True)
class Simulation:
    n_paths: int = 32
    n_steps: int = 6
    seed: int = 3
    antithetic: bool = True


class MonteCarloPricer:
    """An Asian option, with a generator of its own and a configuration."""

    def __init__(self, config):
        self.config = config

    def price(self, market, strike=100.0):
        spot, sigma = market[0], market[1]
        rng = np.random.default_rng(self.config.seed)
        z = rng.standard_normal((self.config.n_paths, self.config.n_steps))
        if self.config.antithetic:
            z = np.concatenate([z, -z])
        dt = 1.0 / self.config.n_steps
        increments = -0.5 * sigma**2 * dt + sigma * np.sqrt(dt) * z
        paths = spot * np.exp(np.cumsum(increments, axis=1))
        payoff = np.maximum(paths.mean(axis=1) - strike, 0.0)
        return payoff.mean()


made(
    "monte_carlo_pricer",
    lambda: MonteCarloPricer(replace(Simulation(), n_paths=16)).price,
    [101.0, 0.2],
)


RETURNS = np.random.default_rng(2).normal(size=20) * 0.3


@program([1e-2, 0.1, 0.85])
def garch(theta):
    """Variances one after the other, with a constraint that is checked."""
    omega, alpha, beta = theta
    if alpha + beta >= 1:
        return np.inf
    sigma2 = np.empty_like(RETURNS)
    sigma2[0] = RETURNS.var()
    for t in range(1, RETURNS.size):
        sigma2[t] = omega + alpha * RETURNS[t - 1] ** 2 + beta * sigma2[t - 1]
    return 0.5 * np.sum(np.log(2 * np.pi * sigma2) + RETURNS**2 / sigma2)


ASSETS = {"bonds": 0.02, "stocks": 0.07, "gold": 0.03}
COVARIANCE = np.array([[1, 0.2, 0], [0.2, 9, 0.5], [0, 0.5, 4]]) * 1e-2


@program([0.3, 0.2, 0.1], risk_aversion=3.0)
def portfolio(raw, risk_aversion, **limits):
    """Weights by a softmax, with limits by name and a fee for each asset."""
    weights = np.exp(raw) / np.sum(np.exp(raw))
    named = dict(zip(ASSETS, weights, strict=True))
    expected = sum(ASSETS[name] * w for name, w in named.items())
    variance = weights @ COVARIANCE @ weights
    utility = expected - 0.5 * risk_aversion * variance
    for name, limit in limits.items():
        if named[name] > limit:
            utility -= (named[name] - limit) ** 2
    return -utility


@program([0.02, 0.05, 0.3])
def bond_yield(curve):
    """A yield by Newton's method, from a curve of rates."""
    level, slope, decay = curve
    cashflows = [(t, 5.0 if t < 5 else 105.0) for t in range(1, 6)]
    price = 0.0
    for t, amount in cashflows:
        rate = level + slope * (1 - math.exp(-decay * t)) / (decay * t)
        price += amount * math.exp(-rate * t)
    y = 0.05
    while True:
        value = sum(amount * math.exp(-y * t) for t, amount in cashflows) - price
        slope = sum(-t * amount * math.exp(-y * t) for t, amount in cashflows)
        step = value / slope
        y -= step
        if abs(step) < 1e-10:
            return y


@program([0.04, 1.5, 0.04, 0.3, -0.6])
def heston_call(p):
    """A price by its characteristic function: complex numbers, a quadrature."""
    v0, kappa, theta, xi, rho = p
    u = np.linspace(0.1, 30, 40)

    def characteristic(u):
        d = np.sqrt((rho * xi * 1j * u - kappa) ** 2 + xi**2 * (1j * u + u**2))
        g = (kappa - rho * xi * 1j * u - d) / (kappa - rho * xi * 1j * u + d)
        e = np.exp(-d)
        C = (
            kappa
            * theta
            / xi**2
            * ((kappa - rho * xi * 1j * u - d) - 2 * np.log((1 - g * e) / (1 - g)))
        )
        D = (kappa - rho * xi * 1j * u - d) / xi**2 * ((1 - e) / (1 - g * e))
        return np.exp(C + D * v0)

    integrand = np.real(np.exp(-1j * u * 0.05) * characteristic(u) / (1j * u))
    return 0.5 + np.trapezoid(integrand, u) / np.pi


@program([0.2, 0.1])
def value_at_risk(p):
    """A smoothed quantile of losses, sorted."""
    losses = -(p[0] * RETURNS + p[1] * RETURNS**2 * 10)
    ordered = np.sort(losses)[::-1]
    k = int(np.ceil(0.2 * len(ordered)))
    tail = ordered[:k]
    return tail.mean()
