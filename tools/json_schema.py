# SPDX-License-Identifier: Apache-2.0
"""Validates JSON against the subset of JSON Schema 2020-12 that reports/ uses.

A schema keyword outside the subset is an error: nothing is silently left unchecked.
"""
import re

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}


def as_list(names):
    return [names] if isinstance(names, str) else names


ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}
CHECKS = {
    "const": lambda v, limit: v == limit,
    "enum": lambda v, limit: v in limit,
    "type": lambda v, limit: any(TYPES[t](v) for t in as_list(limit)),
    "minimum": lambda v, limit: v >= limit,
    "maximum": lambda v, limit: v <= limit,
    "maxLength": lambda v, limit: len(v) <= limit,
    "pattern": lambda v, limit: re.search(limit, v) is not None,
    "maxItems": lambda v, limit: len(v) <= limit,
    "minProperties": lambda v, limit: len(v) >= limit,
    "maxProperties": lambda v, limit: len(v) <= limit,
    "required": lambda v, limit: all(key in v for key in limit),
}


def nested(value, schema, where, root):
    """Errors of the keywords that hold schemas of their own."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from errors(value, root["$defs"][name], where, root)
    properties = schema.get("properties", {})
    for key, child in value.items() if isinstance(value, dict) else ():
        if "propertyNames" in schema:
            yield from errors(key, schema["propertyNames"], f"{where}, key {key}", root)
        rule = properties.get(key, schema.get("additionalProperties", {}))
        if rule is False:
            yield f"{where}: unexpected key {key}"
        else:
            yield from errors(child, rule, f"{where}.{key}", root)
    for i, child in enumerate(value if isinstance(value, list) else ()):
        yield from errors(child, schema.get("items", {}), f"{where}[{i}]", root)


NESTED = {"$ref", "properties", "propertyNames", "additionalProperties", "items"}


def errors(value, schema, where="$", root=None):
    """Every way in which the value is not what the schema says."""
    root = schema if root is None else root
    for keyword, limit in schema.items():
        if keyword in ANNOTATIONS or keyword in NESTED:
            continue
        if keyword not in CHECKS:
            raise ValueError(f"{where}: keyword {keyword} is outside the subset")
        try:
            holds = CHECKS[keyword](value, limit)
        except TypeError:
            holds = False
        if not holds:
            yield f"{where}: {value!r} breaks {keyword} {limit!r}"
            return
    yield from nested(value, schema, where, root)
