"""JSON Schemas of tools, rewritten for providers that understand less than JSON Schema.

Pure, on plain dicts. Only local references (`#/$defs/...`) are followed, and none into itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heedful.models.reading import as_list, as_object

_DEEPEST = 8
_GEMINI_BOUNDS = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
_GEMINI_KEPT = frozenset({"description", "pattern", "required", *_GEMINI_BOUNDS})
_GEMINI_FORMATS = frozenset({"float", "double", "int32", "int64", "enum", "date-time"})


def inline_references(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `schema` with local references replaced by what they point at, and without definitions."""
    expanded = _inline(schema, schema, ())
    return {key: value for key, value in as_object(expanded).items() if key not in {"$defs", "definitions"}}


def to_gemini_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `schema` in the subset that Gemini accepts, or None for an object without properties.

    `const` and `enum` of strings stay enums, those of other types move into the description; `oneOf`
    becomes `anyOf`; an exclusive bound becomes the bound; unknown keywords are dropped. The robot's
    server checks the arguments against the full schema anyway.
    """
    plain = inline_references(schema)
    if not as_object(plain.get("properties")):
        return None
    return _gemini(plain)


def _inline(node: Any, root: Mapping[str, Any], seen: tuple[str, ...]) -> Any:
    if isinstance(node, Mapping):
        reference = node.get("$ref")
        if isinstance(reference, str):
            if reference in seen or len(seen) >= _DEEPEST:
                return {"type": "object"}
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**as_object(_inline(_resolve(reference, root), root, (*seen, reference))), **rest}
        return {key: value if key == "$defs" else _inline(value, root, seen) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [_inline(item, root, seen) for item in node]
    return node


def _resolve(reference: str, root: Mapping[str, Any]) -> Any:
    node: Any = root
    for step in reference.removeprefix("#/").split("/"):
        node = as_object(node).get(step.replace("~1", "/").replace("~0", "~"))
    return node if isinstance(node, Mapping) else {}


def _gemini(node: Mapping[str, Any]) -> dict[str, Any]:
    merged = _merge_all_of(node)
    kept: dict[str, Any] = {key: value for key, value in merged.items() if key in _GEMINI_KEPT}
    kept |= _gemini_type(merged)
    if merged.get("format") in _GEMINI_FORMATS:
        kept["format"] = merged["format"]
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(merged.get(exclusive), int | float):
            kept.setdefault(bound, merged[exclusive])
    properties = as_object(merged.get("properties"))
    if properties:
        kept["properties"] = {name: _gemini(as_object(value)) for name, value in properties.items()}
    if isinstance(merged.get("items"), Mapping):
        kept["items"] = _gemini(merged["items"])
    choices = [_gemini(as_object(one)) for key in ("anyOf", "oneOf") for one in as_list(merged.get(key))]
    return _with_choices(_with_enum(kept, merged), choices)


def _merge_all_of(node: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = dict(node)
    for part in as_list(merged.pop("allOf", None)):
        merged = {**as_object(part), **merged}
    return merged


def _gemini_type(node: Mapping[str, Any]) -> dict[str, Any]:
    kind = node.get("type")
    kinds = [kind] if isinstance(kind, str) else [one for one in as_list(kind) if isinstance(one, str)]
    named = [one for one in kinds if one != "null"]
    result: dict[str, Any] = {"type": named[0].upper()} if named else {}
    return result | ({"nullable": True} if "null" in kinds else {})


def _with_enum(kept: dict[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    values: Sequence[Any] = [node["const"]] if "const" in node else as_list(node.get("enum"))
    if not values:
        return kept
    if all(isinstance(value, str) for value in values):
        return {**kept, "type": "STRING", "enum": list(values)}
    allowed = f"One of: {', '.join(map(str, values))}."
    return {**kept, "description": f"{kept.get('description', '')} {allowed}".strip()}


def _with_choices(kept: dict[str, Any], choices: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add `anyOf`; a choice of null becomes `nullable`, and a single other choice is merged."""
    real = [choice for choice in choices if choice != {"nullable": True}]
    nullable = {"nullable": True} if len(real) < len(choices) else {}
    if len(real) == 1:
        return {**real[0], **kept, **nullable}
    return {**kept, **nullable, **({"anyOf": real} if real else {})}
