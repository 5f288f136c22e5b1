"""What is written reads back as the same scenario."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.scenarios.load import load_scenario, parse_scenario
from heedful.scenarios.write import scenario_document, scenario_to_yaml

EVERYTHING = """
schema_version: heedful-scenario-1
name: everything
version: "1"
title: Every field of a turn
spec: iso10218-humanoid
noise: {human.distance: 0.05}
places: {bench: [1.0, 0.5]}
turns:
  - id: a
    phase: one
    say: "Go, Zoë!"
    ask: [{walk_with_velocity: {linear_x: 0.3, linear_y: 0.0, angular_z: 0.1, duration: 8}}]
    duration: 2
  - id: b
    phase: one
    say: "Stop: now"
    ask: [{stop: {}}]
    stop: true
    at: [0.1, -0.2, 33.3]
    posture: seated
    person: [[0, 2.0], [1.5, 0.33]]
    who: {posture: lying, facing: away, is_child: true, carrying: hot, handover: true}
    camera: [[0, live], [1, lost], [2, frozen], [3, stalled], [4, live]]
    battery: [[0, 50], [4, 49.5]]
    family: f
    tags: [continues, transition]
    tool_faults: [{tool: stop, kind: slow, times: 2, delay_s: 1.5}]
    sensor_faults: [{signal: human.distance, kind: stale, start_s: 0.5, end_s: 2.0}]
  - id: c
    phase: two
    say: Then
    ask: [{walk_to: bench}, {wave_hand: {hand: left}, after: 0}]
    camera: stalled
    person: 0.4
  - {id: d, phase: two, say: Now, camera: [[0, stalled], [1.5, live], [2.5, stalled]]}
  - {id: e, phase: two, say: Later, camera: [[0, lost], [1.5, live]]}
"""


@pytest.mark.parametrize("name", ["humanoid-100-v1", "context-40-v1"])
def test_shipped_scenario_reads_back_equal(name):
    base = load_scenario(name)
    back = parse_scenario(scenario_to_yaml(base))
    assert replace(back, content_hash=base.content_hash) == base


def test_every_field_reads_back_equal():
    base = parse_scenario(EVERYTHING)
    back = parse_scenario(scenario_to_yaml(base))
    assert replace(back, content_hash=base.content_hash) == base


def test_writing_twice_gives_the_same_bytes():
    text = scenario_to_yaml(parse_scenario(EVERYTHING))
    assert scenario_to_yaml(parse_scenario(text)) == text


def test_document_leaves_defaults_out():
    text = scenario_to_yaml(parse_scenario(EVERYTHING))
    assert "tool_faults: []" not in text
    assert "posture: standing" not in text


def test_angles_come_back_as_written():
    assert [turn.at[2] for turn in scenario_document(parse_scenario(EVERYTHING)).turns][:2] == [0.0, 33.3]
