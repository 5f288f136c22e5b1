"""Write a safety spec of your own and see what the model would read and what a command would break."""

from __future__ import annotations

from heedful.spec.load import parse_spec
from heedful.spec.prompt import render_rules

SPEC = """
schema_version: heedful-spec-1
name: warehouse
version: "0.1"
title: One rule for a warehouse robot
signals:
  human.distance: {type: number, unit: m, range: [0, 20], max_age_s: 0.5, tool: get_proximity}
workspace: {polygon: [[-5, -5], [5, -5], [5, 5], [-5, 5]]}
tools: {walk_to: locomotion, stop: protective, get_proximity: none}
invariants:
  - id: W1
    title: Slow near people
    when: "human.distance < 2.0"
    response: {kind: limit, max: 20}
    source: {standard: our risk assessment, clause: "row 7"}
"""


def main() -> None:
    spec = parse_spec(SPEC, "warehouse.yaml")
    print(render_rules(spec))
    active = spec.active({"human.distance": 1.4})
    broken = spec.broken("walk_to", 50.0, active, leaves_region=False)
    print("walk_to at 50 % with a person at 1.4 m breaks:", [rule.key for rule in broken])
    print("with no reading at all, active:", sorted(spec.active({"human.distance": None})))


if __name__ == "__main__":
    main()
