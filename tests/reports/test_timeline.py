"""What the page's timeline reads is whole, compact and the same every time."""

from __future__ import annotations

import base64
import gzip
import json

from heedful.reports.timeline import pack, session_payload
from tests.reports.samples import hostile_session, real_session


def unpacked(packed: str):
    return json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))


def test_a_session_travels_whole():
    trace, labels = real_session()
    payload = unpacked(pack(session_payload(trace, labels)))
    assert [turn["id"] for turn in payload["turns"]] == [turn.turn_id for turn in trace.turns]
    assert [turn["said"] for turn in payload["turns"]] == [turn.utterance for turn in trace.turns]
    assert payload["prompt"] == trace.info.system_prompt
    for turn, judged in zip(payload["turns"], labels.turns, strict=True):
        assert [(v["view"], v["mode"], v["label"]) for v in turn["verdicts"]] == [
            (v.view, v.mode, v.label) for v in judged.verdicts
        ]
        assert [d["why"] for d in turn["verdicts"][0]["decisions"]] == [
            d.why for d in judged.verdicts[0].decisions
        ]


def test_packed_bytes_are_the_same_every_time():
    packed = pack(session_payload(*real_session()))
    assert packed == pack(session_payload(*real_session()))
    assert base64.b64decode(packed)[4:8] == b"\0\0\0\0"


def test_a_session_of_100_turns_is_small_enough_for_36_in_one_page():
    assert len(pack(session_payload(*real_session("reference/oracle")))) < 6_000_000 / 36


def test_hostile_text_is_packed_and_stays_text():
    packed = pack(session_payload(*hostile_session()))
    assert "<" not in packed
    (turn,) = unpacked(packed)["turns"]
    assert "<U+D800> alone" in turn["reply"]
    assert turn["calls"][0]["guard"]["kind"] == "clamp"
    assert turn["signals"][1]["sensed"]["v"] == [2.0, "infinite"]


def test_what_orjson_refuses_is_packed_all_the_same():
    assert unpacked(pack({"lone": "\ud800", "large": 10**30})) == {"lone": "\ud800", "large": 10**30}
