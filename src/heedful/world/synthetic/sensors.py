"""Sensors of the synthetic world: sampling, noise, resolution, lost tracks, dropouts, staleness."""

from __future__ import annotations

from collections.abc import Mapping

from heedful.state.script import NoiseLaw, SensorFault
from heedful.state.series import INFINITE, Series, Value
from heedful.trace.records import Reading
from heedful.world.synthetic.noise import noise_key, uniform

LONG_BEFORE = -1e6
"""A sample time that is older than any limit."""


class TurnSensors:
    """The samples of one turn."""

    def __init__(
        self,
        seed: int,
        turn: int,
        true: Mapping[str, Series],
        noise: NoiseLaw,
        faults: tuple[SensorFault, ...] = (),
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
        self._camera = true.get("camera.connected")

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
        return Reading(self._distort(signal, value, index), round(index * self._noise.period_s, 6))

    def series(self, until_s: float) -> dict[str, Series]:
        """Return every signal's samples from the turn's start to `until_s`."""
        return {signal: self._series(signal, until_s) for signal in self._true}

    def _healthy(self, signal: str, t: float) -> Reading:
        if signal.startswith("human."):
            return self._read_seen(signal, t)
        return self.add_noise(signal, self._true[signal].at(t), t)

    def _read_seen(self, signal: str, t: float) -> Reading:
        """The camera measures it: while the camera is gone the last value is held, then unknown."""
        seen = self._last_seen(t)
        if t - seen > self._hold_s + 1e-9:
            return Reading(None, round(max(seen, LONG_BEFORE), 6))
        return self.add_noise(signal, self._true[signal].at(self._sample_time(seen)), max(seen, 0.0))

    def _sample_time(self, t: float) -> float:
        return round(self.sample_index(max(t, 0.0)) * self._noise.period_s, 6)

    def _last_seen(self, t: float) -> float:
        """Return when a healthy camera last saw the scene, at or before `t`."""
        camera = self._camera
        if camera is None or camera.at(t):
            return t
        losses = [at for at, live in zip(camera.times, camera.values, strict=True) if at <= t and not live]
        last_live = [at for at, live in zip(camera.times, camera.values, strict=True) if at <= t and live]
        if not last_live:
            return LONG_BEFORE
        return min(at for at in losses if at > last_live[-1]) - self._noise.period_s

    def _camera_is_live(self) -> bool:
        return self._camera is None or all(self._camera.values)

    def _distort(self, signal: str, value: Value, index: int) -> Value:
        if not isinstance(value, float) or value >= INFINITE:
            return value
        half = self._noise.half_width.get(signal)
        if half:
            key = self._keys.get(signal)
            if key is None:
                key = self._keys[signal] = noise_key(self._seed, signal, self._turn)
            value = value + half * uniform(key, index)
        step = self._noise.resolution.get(signal)
        snapped = round(round(value / step) * step, 6) + 0.0 if step else value
        return max(0.0, snapped) if signal == "human.distance" else snapped

    def _series(self, signal: str, until_s: float) -> Series:
        true = self._true[signal]
        faults = [f for f in self._faults if f.signal == signal]
        is_seen = signal.startswith("human.") and not self._camera_is_live()
        is_exact = signal not in self._noise.half_width and true.mode == "step"
        if is_exact and not faults and not is_seen:
            return true
        period = self._noise.period_s
        times = [round(k * period, 6) for k in range(self.sample_index(until_s) + 1)]
        return _merged(times, [self.read(signal, t).value for t in times])


def _merged(times: list[float], values: list[Value]) -> Series:
    """Drop samples that repeat the one before."""
    kept = [k for k in range(len(times)) if k == 0 or values[k] != values[k - 1]]
    return Series(tuple(times[k] for k in kept), tuple(values[k] for k in kept))
