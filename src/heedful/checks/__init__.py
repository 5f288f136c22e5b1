"""Public conformance checks: does a spec, a scenario, a guard, a robot or the judge keep its promises?

Each check raises the error of what it checks, with every broken promise in words. They run things, so
nothing imports them but the command line and tests. `check_robot` is in `heedful.checks.robot`, apart
from these because the MCP SDK takes over a second to import.
"""

from heedful.checks.grader import GraderTable, self_test
from heedful.checks.guard import check_guard
from heedful.checks.scenario import check_scenario
from heedful.checks.spec import check_spec

__all__ = ["GraderTable", "check_guard", "check_scenario", "check_spec", "self_test"]
