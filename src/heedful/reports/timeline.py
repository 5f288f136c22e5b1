"""A session as the page's timeline reads it: one compact JSON object, packed.

Everything here is untrusted text or a plain number; the page shows it as text only.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

import orjson

from heedful.labels.label import DecisionLabel, Issue, SessionLabels, TurnLabels, Verdict
from heedful.reports.text import printable
from heedful.spec.command import Request
from heedful.state.series import INFINITE, Series, Value
from heedful.trace.reader import Trace
from heedful.trace.records import ModelEvent, RobotState, ToolEvent, TurnRecord

GZIP_LEVEL = 6
Json = dict[str, Any]


def session_payload(trace: Trace, labels: SessionLabels) -> Json:
    """Return a session's turns with all that was asked, sensed, called, said and decided."""
    by_index = {turn.index: turn for turn in labels.turns}
    return {
        "prompt": printable(trace.info.system_prompt),
        "stale": [_issue(issue) for issue in labels.stale_beliefs],
        "turns": [_turn(turn, by_index[turn.index]) for turn in trace.turns if turn.index in by_index],
    }


def pack(payload: Json) -> str:
    """Return `payload` as gzip and base64; the same bytes for the same payload, and never a `<`."""
    try:
        data = orjson.dumps(payload)
    except orjson.JSONEncodeError:
        data = json.dumps(payload, default=str).encode("ascii")
    return base64.b64encode(gzip.compress(data, GZIP_LEVEL, mtime=0)).decode("ascii")


def _turn(turn: TurnRecord, labels: TurnLabels) -> Json:
    return {
        "i": turn.index,
        "id": printable(turn.turn_id),
        "phase": printable(turn.phase),
        "family": printable(turn.family),
        "tags": [printable(tag) for tag in turn.tags],
        "said": printable(turn.utterance),
        "asked": _request(turn.request),
        "lasts": round(turn.duration_s, 3),
        "start": _robot(turn.start),
        "end": _robot(turn.end),
        "signals": [
            {
                "name": printable(name),
                "true": _series(turn.true.get(name)),
                "sensed": _series(turn.sensed.get(name)),
            }
            for name in dict.fromkeys((*turn.true, *turn.sensed))
        ],
        "pushed": {printable(name): _value(reading.value) for name, reading in turn.pushed.items()},
        "calls": [_call(event) for event in turn.events],
        "sent": [_sent(call) for call in turn.model_calls],
        "reply": printable(turn.reply),
        "ended": turn.ended,
        "invalid": printable(turn.invalid),
        "verdicts": _verdicts(labels.verdicts),
        "issues": [_issue(issue) for issue in labels.issues],
        "exposure": [
            [printable(e.invariant), round(e.seconds, 3), round(e.metres, 3)] for e in labels.exposure
        ],
        "claim": printable(labels.claim),
        "conduct": [printable(tag) for tag in labels.conduct],
    }


def _request(request: Request) -> list[str]:
    steps = [
        f"{step.tool} {_json(step.args)}" + ("" if step.after is None else f" after step {step.after + 1}")
        for step in request.steps
    ]
    return [printable(step) for step in steps] + (["stop the motion under way"] if request.asks_stop else [])


def _robot(state: RobotState) -> Json:
    motion = state.motion
    pose = state.pose
    return {
        "pose": [round(pose.x, 3), round(pose.y, 3), round(pose.yaw, 3)],
        "posture": printable(state.posture),
        "battery": round(state.battery, 2),
        "estop": state.is_estopped,
        "motion": "" if motion is None else f"{printable(motion.tool)} at {motion.speed_percent:g} %",
    }


def _series(series: Series | None) -> Json | None:
    if series is None:
        return None
    return {"t": series.times, "v": [_value(value) for value in series.values], "m": series.mode}


def _value(value: Value) -> Value:
    if isinstance(value, str):
        return printable(value)
    return "infinite" if isinstance(value, float) and value >= INFINITE else value


def _call(event: ToolEvent) -> Json:
    decision = event.decision
    call: Json = {
        "tool": printable(event.tool),
        "args": _json(event.args),
        "by": event.model_call,
        "from": round(event.issued_s, 3),
        "to": round(event.ended_s, 3),
        "status": event.status,
        "result": printable(event.result),
        "fault": event.is_fault,
        "issued": _speed(event.issued),
        "executed": _speed(event.executed),
    }
    if decision is not None:
        call["guard"] = {
            "kind": decision.kind,
            "rules": [printable(rule) for rule in decision.rules],
            "reason": printable(decision.reason),
            "args": _json(decision.args) if decision.args else "",
        }
    return call


def _speed(motion: Any) -> float | None:
    return None if motion is None else round(motion.speed_percent, 3)


def _sent(call: ModelEvent) -> Json:
    return {
        "at": round(call.at_s, 3),
        "first": call.sent.first,
        "end": call.sent.end,
        "tokens": call.sent.estimated_tokens,
        "rules": call.sent.has_rules,
        "summary": printable(call.sent.summary),
        "text": printable(call.text),
        "calls": call.calls,
        "input": call.input_tokens,
        "output": call.output_tokens,
        "cached": call.cached_input_tokens,
        "finish": printable(call.finish),
        "notes": [printable(note) for note in call.notes],
    }


def _verdicts(verdicts: tuple[Verdict, ...]) -> list[Json]:
    return [
        {
            "view": verdict.view,
            "mode": verdict.mode,
            "label": verdict.label.value,
            "kind": printable(verdict.subtype),
            "active": [printable(rule) for rule in verdict.active],
            "permits": verdict.permits,
            "failed": verdict.tool_failed,
            "decisions": [_decision(decision) for decision in verdict.decisions],
        }
        for verdict in verdicts
    ]


def _decision(decision: DecisionLabel) -> Json:
    return {
        "rule": printable(decision.invariant),
        "part": decision.part,
        "label": decision.label.value,
        "why": printable(decision.why),
        "kind": printable(decision.subtype),
        "call": decision.event,
        "corrected": decision.corrected,
        "failed": decision.tool_failed,
    }


def _issue(issue: Issue) -> Json:
    return {
        "kind": printable(issue.kind),
        "detail": printable(issue.detail),
        "rules": [printable(rule) for rule in issue.invariants],
    }


def _json(args: Mapping[str, Any]) -> str:
    return printable(json.dumps(dict(args), ensure_ascii=False, default=str))
