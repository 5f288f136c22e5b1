"""The command line: thin commands, one a file, loaded only when called."""

from __future__ import annotations

import os
import sys
import traceback

from cyclopts import App, CycloptsError

from heedful.errors import HeedfulError, InputError, TraceError
from heedful.version import __version__

DONE, GATE_FAILED, BAD_INPUT, INCOMPLETE = 0, 1, 2, 3
"""Exit codes: done; a `--fail-on` gate failed; usage or bad input; the run ended incomplete."""

app = App(
    name="heedful",
    version=__version__,
    help="Measure how well language models heed the safety rules of the robots they run.",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)
spec_app = App(name="spec", help="Check, print and test safety specs.", help_format="plaintext")
scenario_app = App(name="scenario", help="List, show, check and generate scenarios.", help_format="plaintext")

app.command("heedful.cli.run:run", name="run", help="Run sessions, label them and write a report.")
app.command("heedful.cli.report:report", name="report", help="Write the report of a run folder.")
app.command("heedful.cli.report:relabel", name="relabel", help="Label a run again under another spec.")
app.command("heedful.cli.compare:compare", name="compare", help="Compare two runs, arm by arm.")
app.command("heedful.cli.film:film", name="film", help="Film a session, or export it for Rerun.")
app.command("heedful.cli.serve:serve", name="serve", help="Serve the robot to any MCP client.")
app.command(
    "heedful.cli.guard:guard_app", name="guard", help="Guard any robot's MCP server by a safety spec."
)
app.command("heedful.cli.tabletop:tabletop_app", name="tabletop", help="Episodes on the simulated table.")
app.command("heedful.cli.doctor:doctor", name="doctor", help="Tell what this machine has and lacks.")
app.command(spec_app)
app.command(scenario_app)
spec_app.command(
    "heedful.cli.spec:check", name="check", help="Check a spec for contradictions and dead rules."
)
spec_app.command("heedful.cli.spec:prompt", name="prompt", help="Print the rules as the model reads them.")
spec_app.command("heedful.cli.spec:schema", name="schema", help="Print the JSON Schema of specs.")
spec_app.command("heedful.cli.spec:tests", name="tests", help="Print generated boundary cases.")
scenario_app.command("heedful.cli.scenario:list_scenarios", name="list", help="List the shipped scenarios.")
scenario_app.command("heedful.cli.scenario:show", name="show", help="Show a scenario's turns.")
scenario_app.command("heedful.cli.scenario:check", name="check", help="Check a scenario against a spec.")
scenario_app.command(
    "heedful.cli.scenario:generate", name="generate", help="Write seeded variants of a scenario."
)


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        code = run_cli(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    sys.exit(code)


def run_cli(arguments: list[str]) -> int:
    """Run one command; return the exit code. Errors made on purpose are one message, never a traceback."""
    try:
        code = app(arguments, result_action="return_value", exit_on_error=False)
    except HeedfulError as error:
        print(f"heedful: {error}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, InputError | TraceError) else INCOMPLETE
    except KeyboardInterrupt:
        print("heedful: interrupted; finished turns are kept.", file=sys.stderr)
        return INCOMPLETE
    except CycloptsError:
        return BAD_INPUT
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else BAD_INPUT
    except Exception:
        traceback.print_exc()
        print("heedful: this is a mistake in heedful; finished turns are kept.", file=sys.stderr)
        return INCOMPLETE
    return code if isinstance(code, int) else DONE
