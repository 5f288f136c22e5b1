"""What the model reads of the guard: refusals, and notes on what was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heedful.trace.decision import Decision

MARK = "[guard]"
META_KEY = "heedful/guard"


def refusal(decision: Decision, *, is_modern: bool) -> dict[str, Any]:
    """Return the tool result of a denied call."""
    text = f"{MARK} denied: {decision.reason}"
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {META_KEY: facts(decision)},
    }
    return {**result, "resultType": "complete"} if is_modern else result


def facts(decision: Decision) -> dict[str, Any]:
    """Return a decision as programs read it."""
    return {
        "decision": decision.kind,
        "rules": list(decision.rules),
        "reason": decision.reason,
        "args": dict(decision.args),
    }


def add_notes(result: dict[str, Any], notes: Sequence[str], decision: Decision) -> None:
    """Append what the guard did to a tool's own result, which stays as it is."""
    content = result.get("content")
    if not isinstance(content, list):
        content = result["content"] = []
    content.extend({"type": "text", "text": f"{MARK} {note}"} for note in notes)
    meta = result.get("_meta")
    told = facts(decision) | {"notes": list(notes)}
    result["_meta"] = {**(meta if isinstance(meta, dict) else {}), META_KEY: told}


def text_of(result: Mapping[str, Any]) -> str:
    """Return the text of a tool result or a resource; what is no text is left out."""
    items = result.get("content", result.get("contents"))
    if not isinstance(items, list):
        return ""
    texts = [i["text"] for i in items if isinstance(i, dict) and isinstance(i.get("text"), str)]
    return "\n".join(texts)
