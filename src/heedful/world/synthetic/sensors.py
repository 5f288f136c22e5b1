"""Sensors of the synthetic world: sampling, noise, resolution, lost tracks, dropouts, staleness."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, compress, islice

import numpy as np

from heedful.state.script import NoiseLaw, SensorFault
from heedful.state.series import INFINITE, Series, Value, constant
from heedful.trace.records import Reading
from heedful.world.synthetic.noise import noise_key, uniform, uniform_block

LONG_BEFORE = -1e6
"""A sample time that is older than any limit."""
NEVER_SEEN = Series((0.0,), (None,))
ALWAYS, NEVER, FRESH = constant(True), constant(False), constant(0.0)
OLD_FRAME_S = 0.2
"""A frame older than this shows the scene as it was."""
SOON_S = 0.0005


class TurnSensors:
    """The samples of one turn."""

    def __init__(
        self,
        seed: int,
        turn: int,
        true: Mapping[str, Series],
        noise: NoiseLaw,
        faults: tuple[SensorFault, ...] = (),
        *,
        hold_s: float = 1.0,
    ) -> None:
        """Take the turn's true signals.

        Args:
            seed: The session's seed.
            turn: The turn's index.
            true: True series of the turn.
            noise: How samples stray.
            faults: Scripted failures.
            hold_s: How long a lost person keeps the last distance [s].
        """
        self._seed, self._turn, self._true, self._noise = seed, turn, true, noise
        self._faults = faults
        self._hold_s = hold_s
        self._keys: dict[str, int] = {}
        self._seen: list[float] = []
        self._live = camera_liveness(true)
        self._sees = all(self._live.values)
        self._ever_sees = any(self._live.values)

    def sample_index(self, t: float) -> int:
        """Return the index of the newest sample at `t`."""
        return int(t / self._noise.period_s + 1e-6)

    def read(self, signal: str, t: float) -> Reading:
        """Return the newest sample at `t` as the robot holds it, after faults."""
        for fault in self._faults:
            if fault.signal == signal and fault.start_s <= t < fault.end_s:
                if fault.kind == "dropout":
                    return Reading(None, round(t, 6))
                return self._healthy(signal, max(0.0, fault.start_s - self._noise.period_s))
        return self._healthy(signal, t)

    def add_noise(self, signal: str, value: Value, t: float) -> Reading:
        """Return a true value as the sensor would report it at `t`."""
        index = self.sample_index(t)
        return Reading(self._distort(signal, value, index), self._sample_time(index))

    def series(self, until_s: float) -> dict[str, Series]:
        """Return every signal's samples from the turn's start to `until_s`."""
        return {signal: self._series(signal, until_s) for signal in self._true}

    def _healthy(self, signal: str, t: float) -> Reading:
        if self._sees or not signal.startswith("human."):
            return self._read_at(signal, t)
        return self._read_seen(signal, t)

    def _read_at(self, signal: str, t: float) -> Reading:
        index = self.sample_index(t)
        when = self._sample_time(index)
        return Reading(self._distort(signal, self._true[signal].at(when), index), when)

    def _read_seen(self, signal: str, t: float) -> Reading:
        """The camera measures it: while the camera is gone the last value is held, then unknown."""
        seen = self._last_seen(t)
        if t - seen > self._hold_s + 1e-9:
            return Reading(None, round(max(seen, LONG_BEFORE), 6))
        return self._read_at(signal, max(seen, 0.0))

    def _sample_time(self, index: int) -> float:
        return round(index * self._noise.period_s, 6)

    def _last_seen(self, t: float) -> float:
        """Return the time of the newest sample, at or before `t`, that a live camera took."""
        times = map(self._sample_time, range(self.sample_index(t), -1, -1))
        return next((at for at in times if self._live.at(at)), LONG_BEFORE)

    def _distort(self, signal: str, value: Value, index: int) -> Value:
        if not isinstance(value, float) or value >= INFINITE:
            return value
        half, steps = self._noise.half_width.get(signal), self._noise.steps_per_unit.get(signal)
        if half:
            value += half * uniform(self._key(signal), index)
        if signal == "human.distance":
            value = max(0.0, value)
        return round(value * steps) / steps + 0.0 if steps else value

    def _key(self, signal: str) -> int:
        key = self._keys.get(signal)
        if key is None:
            key = self._keys[signal] = noise_key(self._seed, signal, self._turn)
        return key

    def _series(self, signal: str, until_s: float) -> Series:
        true = self._true[signal]
        if self._faults and any(f.signal == signal for f in self._faults):
            return replace(self._sampled(signal, until_s), held=self._held(signal))
        if signal.startswith("human.") and not self._sees:
            return self._sampled(signal, until_s) if self._ever_sees else NEVER_SEEN
        if signal == "camera.frame_age":
            return true
        if signal in self._noise.half_width:
            is_steady = true.values == (INFINITE,)
            return true if is_steady else self._noisy(signal, true, until_s)
        return true if self._is_on_grid(true) else self._sampled(signal, until_s)

    def _held(self, signal: str) -> tuple[tuple[float, float], ...]:
        stale = [f for f in self._faults if f.signal == signal and f.kind == "stale"]
        return tuple((self.read(signal, f.start_s).sampled_s, f.end_s) for f in stale)

    def _is_on_grid(self, series: Series) -> bool:
        """Return whether samples of a series are the series itself."""
        if len(series.times) == 1:
            return True
        on_grid = all(abs(t - self._sample_time(self.sample_index(t))) < 1e-9 for t in series.times)
        return on_grid and series.mode == "step"

    def _sampled(self, signal: str, until_s: float) -> Series:
        times = _sample_times(self._noise.period_s, self.sample_index(until_s) + 1)
        is_seen = signal.startswith("human.") and not self._sees
        if is_seen and not any(f.signal == signal for f in self._faults):
            return _merged(times, self._seen_values(signal, times))
        return _merged(times, [self.read(signal, t).value for t in times])

    def _seen_values(self, signal: str, times: tuple[float, ...]) -> list[Value]:
        """Return what the camera says of a person at each sample, the same as read one by one."""
        true = self._true[signal]
        values: list[Value] = []
        for t, seen in zip(times, self._seen_times(times), strict=True):
            if t - seen > self._hold_s + 1e-9:
                values.append(None)
            else:
                index = self.sample_index(max(seen, 0.0))
                values.append(self._distort(signal, true.at(self._sample_time(index)), index))
        return values

    def _seen_times(self, times: tuple[float, ...]) -> list[float]:
        if len(self._seen) != len(times):
            seen = accumulate(times, lambda last, t: t if self._live.at(t) else last, initial=LONG_BEFORE)
            self._seen = list(islice(seen, 1, None))
        return self._seen

    def _noisy(self, signal: str, true: Series, until_s: float) -> Series:
        """Return the samples of a number, the same as read one by one."""
        if not all([isinstance(value, float) and value < INFINITE for value in true.values]):  # noqa: C419 - faster
            return self._sampled(signal, until_s)
        times = _sample_times(self._noise.period_s, self.sample_index(until_s) + 1)
        exact = np.array([true.at(t) for t in times] if len(true.values) > 1 else true.values)
        half, steps = self._noise.half_width[signal], self._noise.steps_per_unit.get(signal)
        samples = exact + half * uniform_block(self._key(signal), 0, len(times))
        if signal == "human.distance":
            samples = np.maximum(samples, 0.0)
        if steps:
            samples = np.rint(samples * steps) / steps + 0.0
        return _merged(times, samples.tolist())


def camera_liveness(true: Mapping[str, Series]) -> Series:
    """Return when the camera shows the scene as it is: connected, not frozen, its frames not growing old."""
    connected, frozen = true.get("camera.connected", ALWAYS), true.get("camera.frozen", NEVER)
    age = true.get("camera.frame_age", FRESH)
    times = sorted({*connected.times, *frozen.times, *age.times})
    live = [bool(connected.at(t)) and not frozen.at(t) and _is_renewed(age, t) for t in times]
    kept = [k for k in range(len(times)) if k == 0 or live[k] != live[k - 1]]
    return Series(tuple([times[k] for k in kept]), tuple([live[k] for k in kept]))


def _is_renewed(age: Series, t: float) -> bool:
    now, soon = age.at(t), age.at(t + SOON_S)
    if not isinstance(now, float) or not isinstance(soon, float):
        return False
    return now <= OLD_FRAME_S and soon - now < SOON_S / 2


@lru_cache(maxsize=512)
def _sample_times(period_s: float, count: int) -> tuple[float, ...]:
    return tuple([round(k * period_s, 6) for k in range(count)])


def _merged(times: Sequence[float], values: list[Value]) -> Series:
    """Drop samples that repeat the one before."""
    changes = [True, *map(operator.ne, values, islice(values, 1, None))]
    return Series(tuple(compress(times, changes)), tuple(compress(values, changes)))
