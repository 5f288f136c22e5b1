"""How large a margin must be, by calculation: noise, staleness and a person who walks up at full speed.

Numbers in, numbers out; no guard and no spec. `margin_study` checks the result on the real guard.

Setting. A rule is broken where the true value x of a signal is below a threshold c (mirror the signs for
a rule about large values); u = x - c. The newest sample is `age` old when the command is issued, and all
that time x went towards the rule at `speed`, so the sensor reported u + a + N with a = speed * age and
noise N: the worst case, since whoever is slower or walks away breaks the rule more rarely. The guard lets
the command through when the report less the margin m reaches c, that is when N >= e - u with e = m - a.
Decisions are weighted to the boundary: u is uniform on [-W, W], W = n + a + m, with n the reach of the noise.

Rate. With G(t) = integral of P(N >= s) over s from t to infinity,
P(broken and let through) = (G(e) - G(e + W)) / 2W and P(let through) = (G(e - W) - G(e + W)) / 2W,
so the rate of true violations among the commands let through is their quotient.

Uniform noise, half width h (n = h): for |t| <= h, G(t) = (h - t)^2 / 4h; G = 0 above, -t below. Since
e + W >= h and e - W = -(h + 2a), the rate is (h - e)^2 / (4h (h + 2a)) for |e| <= h: it does not depend
on the weighting. Solved: e = h - 2 sqrt(rate h (h + 2a)), and m = a + e; rate 0 asks for m = h + a.

Gaussian noise, deviation s: G(t) = s (phi(t/s) - t/s Q(t/s)); n = 4 s is a choice, noise goes on beyond.
The rate falls with e and is inverted by bisection; rate 0 cannot be had.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from heedful.errors import InputError
from heedful.guards.settings import Margin

GAUSSIAN_REACH = 4.0
"""How many deviations count as the reach of gaussian noise when decisions are weighted."""
DOUBT = 2.6
"""How far below the wanted rate to aim, in deviations of the square root of a count.

The square root of a Poisson count has deviation 1/2. An upper 95 % limit is about 1.96/2 above it, and
1.96/2 + 3.1/2 = 2.53 keeps that limit below the target in 999 of 1000 simulations.
"""
STEPS = 200


@dataclass(frozen=True)
class Noise:
    """How a sensor's value strays from the true one."""

    kind: Literal["uniform", "gaussian"]
    scale: float
    """Half width of uniform noise, standard deviation of gaussian noise, in the signal's unit; a sensor
    that rounds strays by half a step more."""

    def __post_init__(self) -> None:
        """Refuse a kind or scale that means nothing.

        Raises:
            InputError: If the kind is not known, or the scale not a number of 0 or more.
        """
        if self.kind not in ("uniform", "gaussian"):
            raise InputError(f"Noise is uniform or gaussian, not {self.kind!r}.")
        if not 0 <= self.scale < math.inf:
            raise InputError(
                f"The scale of {self.kind} noise must be a number of 0 or more, not {self.scale}."
            )

    @property
    def reach(self) -> float:
        """How far decisions are spread for the noise: all of uniform noise, 4 deviations of gaussian."""
        return self.scale if self.kind == "uniform" else GAUSSIAN_REACH * self.scale

    def tail(self, t: float) -> float:
        """Return the integral of P(N >= s) over s from `t` to infinity, in the signal's unit."""
        if self.scale == 0:
            return max(0.0, -t)
        if self.kind == "uniform":
            return _uniform_tail(t, self.scale)
        z = t / self.scale
        density = math.exp(-z * z / 2) / math.sqrt(math.tau)
        return self.scale * (density - z * math.erfc(z / math.sqrt(2)) / 2)

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Return independent deviations, shape (count,), float64, in the signal's unit."""
        if self.kind == "uniform":
            return rng.uniform(-self.scale, self.scale, count)
        return rng.normal(0.0, self.scale, count)


@dataclass(frozen=True)
class Approach:
    """A sample's noise and age, and how fast the true value can go towards a rule meanwhile."""

    noise: Noise
    age_s: float
    """Age of the newest sample when a command is issued: period and latency [s]."""
    speed: float
    """In the signal's unit per second."""

    def __post_init__(self) -> None:
        """Refuse times and speeds that mean nothing.

        Raises:
            InputError: If one is not a number of 0 or more, or nothing strays at all.
        """
        for name, value in (("age of the sample", self.age_s), ("speed", self.speed)):
            if not 0 <= value < math.inf:
                raise InputError(f"The {name} must be a number of 0 or more, not {value}.")
        if self.largest == 0:
            raise InputError("Without noise, age or speed the sensor is right: no margin is needed.")

    @property
    def travel(self) -> float:
        """How far the true value goes within the sample's age, in the signal's unit."""
        return self.speed * self.age_s

    @property
    def largest(self) -> float:
        """The margin that leaves out nothing within the reach of the noise."""
        return self.noise.reach + self.travel

    def spread(self, margin: float) -> float:
        """Return the half width of the band around a threshold in which decisions are studied."""
        return self.largest + margin

    def violation_rate(self, margin: float) -> float:
        """Return P(the true state breaks the rule | the command was let through)."""
        if self.noise.kind == "uniform" and margin >= self.largest:
            return 0.0
        tail, e, w = self.noise.tail, margin - self.travel, self.spread(margin)
        return (tail(e) - tail(e + w)) / (tail(e - w) - tail(e + w))

    def needless_share(self, margin: float, *, is_approaching: bool = True) -> float:
        """Return P(restricted | the true state breaks nothing), walking up or standing still."""
        e = margin - self.travel if is_approaching else margin
        w = self.spread(margin)
        return 1 - (self.noise.tail(e - w) - self.noise.tail(e)) / w

    def margin_for(self, rate: float) -> Margin:
        """Return the smallest margin with at most this rate of true violations, at the stated age.

        What a sample loses with its age is `speed` per second, or less where the rate allows for less.

        Raises:
            InputError: If the rate is no share, or is 0 under noise without bounds.
        """
        check_rate(rate)
        if self.violation_rate(0.0) <= rate:
            return Margin()
        excess = self._excess_for(rate)
        if excess >= 0:
            return Margin(excess, self.speed)
        return Margin(0.0, max(0.0, self.travel + excess) / self.age_s)

    def _excess_for(self, rate: float) -> float:
        """Return by how much the margin must exceed the travel; e in the module's docstring."""
        h, zone = self.noise.scale, self.noise.scale + 2 * self.travel
        if self.noise.kind == "uniform" and rate * zone <= h:
            return h - 2 * math.sqrt(rate * h * zone)
        if rate == 0:
            raise InputError("No margin gives a rate of 0 under gaussian noise; ask for 1e-6, say.")
        return _falls_to(self.violation_rate, rate, self.largest) - self.travel


def check_rate(rate: float) -> None:
    """Refuse a wanted rate of true violations that is no share.

    Raises:
        InputError: If it is not from 0 to below 1.
    """
    if not 0 <= rate < 1:
        raise InputError(f"The wanted rate must be a share of at least 0 and below 1, not {rate:g}.")


def aimed_rate(rate: float, expected: float) -> float:
    """Return the rate to aim at so that a simulation can show that `rate` is kept.

    Args:
        rate: The wanted rate.
        expected: How many commands the simulation will let through.
    """
    if rate == 0:
        return 0.0
    return max(rate / 100, max(0.0, math.sqrt(rate) - DOUBT / math.sqrt(expected)) ** 2)


def _uniform_tail(t: float, half_width: float) -> float:
    if t >= half_width:
        return 0.0
    if t <= -half_width:
        return -t
    return (half_width - t) ** 2 / (4 * half_width)


def _falls_to(rate_of: Callable[[float], float], rate: float, high: float) -> float:
    """Return where a falling function comes down to `rate`, by bisection from above."""
    while rate_of(high) > rate:
        high *= 2
    low = 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if rate_of(middle) > rate else (low, middle)
    return high
