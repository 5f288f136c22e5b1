"""What bodies did in a run, in sentences that stand in every format: falls, and standstill in the window."""

from __future__ import annotations

from heedful.metrics.body_result import BodyStops, LateStops, SpeedRange
from heedful.metrics.summary import RunSummary
from heedful.reports.figures import number, whole

NOT_STANDSTILL = (
    "Labels and deadlines judge when the stop command was accepted, not when the body stood still."
)


def fall_sentences(summary: RunSummary) -> list[str]:
    """Return one sentence for each arm whose robot fell."""
    return [
        f"{arm.key.title}: the robot fell {_counted(body.falls, 'time')} in {body.fallen_sessions} of "
        f"{_counted(arm.sessions, 'session')}."
        for arm in summary.arms
        if (body := arm.body) is not None and body.falls
    ]


def standstill_sentences(summary: RunSummary) -> list[str]:
    """Return, for each body, at which speeds it did not stand within the window, and what labels judge."""
    found = [_standstill(stops, is_stand_in=_is_stand_in(summary, stops)) for stops in summary.stops]
    return [*found, NOT_STANDSTILL] if found else []


def speed_words(speed: SpeedRange) -> str:
    """Return a range of commanded speeds in words."""
    if speed.high_m_s is None:
        return f"above {speed.low_m_s:g}"
    return f"{speed.low_m_s:g}\u2013{speed.high_m_s:g}" if speed.high_m_s else "0, on the spot"


def _standstill(stops: BodyStops, *, is_stand_in: bool) -> str:
    body, window = f"layer {stops.layer}, {stops.body or 'unnamed body'}", f"{stops.window_s:g} s"
    late = [part for part in stops.by_speed if part.late]
    if is_stand_in:
        return (
            f"Standstill ({body}): the stand-in stops at once, which says nothing of how a robot meets "
            f"{window}."
        )
    if not stops.timed:
        return f"Standstill ({body}): no stop was timed in this run."
    if not late:
        timed = _counted(stops.timed, "timed stop")
        met = f"within {window} of the accepted stop, after each of {timed}"
    else:
        met = f"{window} after the accepted stop was not met at {'; '.join(map(_late_words, late))}"
    return f"Standstill ({body}): {met}.{_untimed_words(stops)}"


def _untimed_words(stops: BodyStops) -> str:
    ranges = ", ".join(map(speed_words, stops.untimed))
    return f" No stop was timed at {ranges} m/s: nothing is known of them here." if ranges else ""


def _late_words(part: LateStops) -> str:
    return (
        f"{speed_words(part.speed)} m/s commanded ({whole(part.late)} of {_counted(part.timed, 'stop')}, "
        f"longest {number(part.longest_s)} s)"
    )


def _is_stand_in(summary: RunSummary, stops: BodyStops) -> bool:
    return any(
        body.is_stand_in and (body.layer, body.facts.get("body")) == (stops.layer, stops.body)
        for body in summary.bodies
    )


def _counted(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{whole(n)} {noun}s"
