"""The spec's JSON Schema (draft 2020-12), for editors that complete and check while one types."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from heedful.spec import document
from heedful.spec.document import SCHEMA_VERSION, SpecDocument

DIALECT = GenerateJsonSchema.schema_dialect
SCHEMA_ID = f"urn:heedful:schema:{SCHEMA_VERSION}"


def spec_schema() -> dict[str, Any]:
    """Return the JSON Schema of a spec document, with the documented fields described.

    It knows shapes, types and allowed words; that conditions compile and name what is declared
    only `load_spec` can tell.
    """
    body = SpecDocument.model_json_schema()
    head = {"$schema": DIALECT, "$id": SCHEMA_ID, "title": "heedful safety spec"}
    schema = {**head, **{key: value for key, value in body.items() if key not in head}}
    texts = _field_texts()
    for name, definition in {**schema["$defs"], SpecDocument.__name__: schema}.items():
        for field, description in texts.get(name, {}).items():
            definition["properties"][field]["description"] = description
    return schema


def _field_texts() -> dict[str, dict[str, str]]:
    """Return the doc string under each field of each record in `document.py`.

    pydantic can collect them itself, but then at every import, for all who never ask.
    """
    tree = ast.parse(inspect.getsource(document))
    return {node.name: _texts_in(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_in(record: ast.ClassDef) -> dict[str, str]:
    texts = {}
    for field, after in pairwise(record.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match after:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    texts[field.target.id] = inspect.cleandoc(text)
    return texts
