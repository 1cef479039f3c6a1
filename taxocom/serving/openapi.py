"""The description of the interface: OpenAPI for programs, and a page for people that fetches nothing."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from importlib import resources
from string import Template
from typing import Any

from taxocom import __version__
from taxocom.serving.addresses import Address
from taxocom.serving.asking import Parameter, Plain
from taxocom.serving.limits import Limits
from taxocom.serving.shapes import NAMED

_STATUSES = {
    "400": "Something in the request is wrong; nothing was done.",
    "401": "The token is missing or wrong.",
    "403": "The role of the person does not reach that far, or the token is nobody's.",
    "404": "There is no such project, topic or release.",
    "409": "The project does not allow it as it is now: no texts, or a decision that does not fit.",
    "429": "Too many requests; Retry-After says how many seconds to wait.",
}
_STATUSES_WITH_BODY = {"413": "Too much was sent at once.", "503": "Others are in line before; ask again soon."}


def description(addresses: Sequence[Address], limits: Limits) -> Plain:
    """Return the OpenAPI document (3.1) of these addresses."""
    paths: dict[str, Plain] = {}
    for address in addresses:
        paths.setdefault(address.path, {})[address.method.lower()] = _operation(address)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "TaxoCom Studio",
            "version": __version__,
            "description": (
                "Read the topics of a project and its releases, follow what changes, give texts their topics, and "
                f"decide with a token of one's own. Limits: {limits.per_minute} requests a minute, "
                f"{limits.body_bytes:,} bytes and {limits.texts:,} texts in a request."
            ),
        },
        "servers": [{"url": "."}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": NAMED,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(address: Address) -> Plain:
    statuses = _STATUSES | (_STATUSES_WITH_BODY if address.body_shape else {})
    operation: Plain = {
        "operationId": address.answer.__name__,
        "summary": address.about,
        "parameters": [_parameter(each) for each in address.parameters],
        "responses": {
            "200": {"description": "Done.", "content": _answer(address)},
            **{status: {"description": about, "content": _json("Error")} for status, about in statuses.items()},
        },
    }
    if address.body_shape:
        operation["requestBody"] = {"required": True, "content": _json(address.body_shape)}
    return operation


def _answer(address: Address) -> Plain:
    return _json(address.answer_shape) if address.answer_shape else {address.media_type: {}}


def _json(shape: str) -> Plain:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{shape}"}}}


def _parameter(parameter: Parameter) -> Plain:
    limits = {"minimum": parameter.least, "maximum": parameter.most, "default": parameter.default}
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "description": parameter.about,
        "schema": {"type": parameter.kind} | {name: value for name, value in limits.items() if value is not None},
    }


def page(document: Plain) -> str:
    """Return the page that shows the description to people; it holds all it needs."""
    template = resources.files("taxocom.serving").joinpath("page.html").read_text("utf-8")
    info = document["info"]
    operations = [
        _section(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    shapes = [
        f"<details><summary><code>{_safe(name)}</code></summary>"
        f"<pre>{_safe(json.dumps(shape, indent=2))}</pre></details>"
        for name, shape in document["components"]["schemas"].items()
    ]
    return Template(template).substitute(
        title=_safe(info["title"]),
        version=_safe(info["version"]),
        about=_safe(info["description"]),
        operations="\n".join(operations),
        shapes="\n".join(shapes),
    )


def _section(path: str, method: str, operation: Plain) -> str:
    return "\n".join(
        [
            f'<section id="{_safe(operation["operationId"])}">',
            f"<h2><b>{_safe(method.upper())}</b> <code>{_safe(path)}</code></h2>",
            f"<p>{_safe(operation['summary'])}</p>",
            *_parameters(operation["parameters"]),
            f"<pre>{_safe(_example(path, method))}</pre>",
            f"<p>Answers {_shape_name(operation['responses']['200'])}.</p>",
            "</section>",
        ]
    )


def _parameters(parameters: Sequence[Plain]) -> Iterator[str]:
    if parameters:
        yield "<table><tr><th>parameter</th><th></th><th></th></tr>"
        for each in parameters:
            usual = each["schema"].get("default")
            must = "required" if each["required"] else "optional" if usual is None else f"default {usual}"
            yield (
                f"<tr><td><code>{_safe(each['name'])}</code></td><td>{_safe(must)}</td>"
                f"<td>{_safe(each['description'])}</td></tr>"
            )
        yield "</table>"


def _shape_name(response: Plain) -> str:
    if "application/json" not in response["content"]:
        return f"a file, <code>{_safe(next(iter(response['content'])))}</code>"
    reference = response["content"]["application/json"]["schema"]["$ref"]
    return f"<code>{_safe(reference.rpartition('/')[2])}</code>"


def _example(path: str, method: str) -> str:
    address = "$ADDRESS" + path
    for name, example in {"project": "news-sample", "id": "ID", "release": "1.0", "format": "turtle"}.items():
        address = address.replace(f"{{{name}}}", example)
    address += "?since=2026-11-01" if path.endswith("/changes") else ""
    body: Plain = {"texts": ["The chancellor cut taxes."]}
    if path.endswith("/decisions"):
        body = {"decisions": [{"kind": "rename_topic", "node_id": "ID", "label": "Economy"}]}
    sent = f" \\\n  -H 'Content-Type: application/json' -d '{json.dumps(body)}'"
    return f'curl -H "Authorization: Bearer $TOKEN" "{address}"' + (sent if method == "post" else "")


def _safe(text: Any) -> str:
    return html.escape(str(text))
