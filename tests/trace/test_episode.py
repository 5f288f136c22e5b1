from __future__ import annotations

import math
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import TraceError
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.progress import TableState
from heedful.trace.episode import (
    AttackDraw,
    EpisodeEnd,
    EpisodeInfo,
    EpisodeRecord,
    StepRecord,
    decode_episodes,
    decode_line,
    encode_episode,
    encode_line,
)
from tests.state.tabletop.scenes import at, placing, state

INFO = EpisodeInfo(
    "vm-0",
    "visual_manipulation",
    "placement",
    0,
    "oracle",
    placing(),
    "Put it away.",
    attack=AttackDraw("rotate", "paper", 7, {"angle_deg": 1.5, "axis": "z", "k": 2}),
    versions={"heedful": "0", "renderer": "osmesa"},
)
STEP = StepRecord(
    0,
    TableAction((0.3, 0.1), (0.4, 0.2)),
    state(placing(), {6: at(0.41, 0.2, 30)}, picked=6, crossed=frozenset({6, 5}), lost=frozenset({7})),
    ((5, 6), (6, 7)),
    "ab12",
    {"c": 1},
    {"pose0_x": (-0.5, -1.25)},
    {"ssim": 0.875},
)
WHOLE = EpisodeRecord(INFO, (STEP, replace(STEP, index=1, action=None)), EpisodeEnd(2))
number = st.floats(allow_nan=False, allow_infinity=False)


def test_reading_gives_back_what_was_written() -> None:
    skipped = EpisodeRecord(replace(INFO, scene=None), (), EpisodeEnd(0, "", "no such task at this level"))
    broken = replace(WHOLE, end=EpisodeEnd(2, "the renderer broke"))
    cut = replace(WHOLE, end=None)
    data = b"".join(map(encode_episode, (WHOLE, skipped, cut, broken, cut)))
    assert tuple(decode_episodes(data)) == (WHOLE, skipped, cut, broken, cut)


@given(st.dictionaries(st.integers(0, 255), st.tuples(number, number, number), max_size=4), st.data())
def test_any_table_is_read_back(places: dict[int, tuple[float, float, float]], data: st.DataObject) -> None:
    ids = st.frozensets(st.integers(0, 255))
    table = TableState(
        {name: at(x, y, z=z) for name, (x, y, z) in places.items()},
        data.draw(st.none() | st.integers(0, 255)),
        data.draw(ids),
        data.draw(st.booleans()),
        data.draw(ids),
    )
    step = replace(STEP, state=table)
    assert decode_line(encode_line(step)) == step


def test_a_torn_last_line_is_left_out() -> None:
    data = encode_episode(WHOLE)
    assert tuple(decode_episodes(data[:-5])) == (replace(WHOLE, end=None),)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_cannot_hold_are_refused(bad: float) -> None:
    for step in (
        replace(STEP, log_probabilities={"x": (0.0, bad)}),
        replace(STEP, similarities={"ssim": bad}),
        replace(STEP, state=state(placing(), {6: at(bad, 0.0)})),
        replace(STEP, action=TableAction((bad, 0.0), (0.3, 0.0))),
    ):
        with pytest.raises(TraceError, match="not finite"):
            encode_line(step)


def lines(record: EpisodeRecord) -> list[bytes]:
    return encode_episode(record).splitlines(keepends=True)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ((1, 2, 3), "outside any episode"),
        ((0, 2, 3), "step 1, expected 0"),
        ((0, 1, 3), "step 2, expected 1"),
        ((0, 1, 1), "step 0, expected 1"),
        ((0, 1, 2, 3, 3), "outside any episode"),
    ],
)
def test_lines_out_of_order_are_refused(order: tuple[int, ...], message: str) -> None:
    data = b"".join(lines(WHOLE)[place] for place in order)
    with pytest.raises(TraceError, match=message):
        tuple(decode_episodes(data))


def changed(place: int, name: str, value: object) -> bytes:
    data = orjson.loads(lines(WHOLE)[place])
    data["record"][name] = value
    return orjson.dumps(data)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line: "),
        (b"[]", "not a line"),
        (b'{"kind": "turn", "record": {}}', "not a line"),
        (b'{"kind": "end", "record": {}, "more": 1}', "not a line"),
        (changed(0, "schema", "heedful-episode-0"), "this version reads 'heedful-episode-1'"),
        (changed(0, "colour", 1), "'colour'"),
        (changed(0, "scene", {}), "version"),
        (changed(1, "index", "0"), "index"),
        (changed(1, "stat", {}), "Did you mean 'state'"),
        (changed(3, "steps", None), "steps"),
    ],
)
def test_damaged_and_foreign_lines_are_refused(line: bytes, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        decode_line(line)
