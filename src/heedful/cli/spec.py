"""`heedful spec`."""

from __future__ import annotations

import sys
from typing import Annotated

import orjson
from cyclopts import Parameter

from heedful.cli import DONE, GATE_FAILED
from heedful.spec.boundary import boundary_cases, render_boundary_cases
from heedful.spec.check import check_spec
from heedful.spec.findings import render_report
from heedful.spec.load import load_spec
from heedful.spec.prompt import render_rules
from heedful.spec.schema import spec_schema

Flag = Annotated[bool, Parameter(negative="")]


def check(file: str, /, *, json: Flag = False) -> int:
    """Say for each rule and pair what is proved, refuted with a witness, or unproved.

    Parameters
    ----------
    file
        A spec by name or file.
    json
        Print findings as JSON.
    """
    report = check_spec(load_spec(file))
    if json:
        print(orjson.dumps(report.as_dict(), option=orjson.OPT_INDENT_2).decode())
    else:
        print(render_report(report))
    return GATE_FAILED if report.errors else DONE


def prompt(file: str, /) -> int:
    """Print the rules exactly as the model reads them.

    Parameters
    ----------
    file
        A spec by name or file.
    """
    print(render_rules(load_spec(file)))
    return DONE


def schema() -> int:
    """Print the JSON Schema of specs, for editors."""
    sys.stdout.write(orjson.dumps(spec_schema(), option=orjson.OPT_INDENT_2).decode() + "\n")
    return DONE


def tests(file: str, /) -> int:
    """Print generated cases just inside, at and just outside every threshold.

    Parameters
    ----------
    file
        A spec by name or file.
    """
    print(render_boundary_cases(boundary_cases(load_spec(file))))
    return DONE
