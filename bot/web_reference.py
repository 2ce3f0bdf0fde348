"""Renders the API's reference from its OpenAPI description, because the usual viewers load themselves from a CDN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from string import Template
from typing import Any

from bot.web_kinds import KINDS

Schema = Mapping[str, Any]

PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title API</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --ink: light-dark(#17202e, #e7eaf0); --soft: light-dark(#556072, #a3adbd);
  --line: light-dark(#dfe3ea, #2b3340); --paper: light-dark(#f5f6f9, #11151c); --pen: light-dark(#2b46c6, #a9baff); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 6rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 .25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
p { margin: .5rem 0; white-space: pre-line; }
a { color: var(--pen); }
code, pre { font: .9em ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; white-space: pre-wrap; }
dl { margin: 0; display: grid; grid-template-columns: minmax(7rem, 11rem) 1fr; gap: .4rem 1rem; }
dt, dd { margin: 0; min-width: 0; }
.type, .soft { color: var(--soft); }
:target { scroll-margin-top: 2rem; outline: 2px solid var(--pen); outline-offset: .5rem; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .75rem; } }
</style>
</head>
<body>
<main>
<h1>$title API</h1>
<p class="soft">Version $version. $description
For programs: <a href="/openapi.json">openapi.json</a>. For people: <a href="/">the page</a>.</p>
<p>A server that listens beyond its own machine wants a key with each request to /v1:
<code>Authorization: Bearer KEY</code>.</p>
<pre>curl -s http://127.0.0.1:8080/v1/ask -H 'content-type: application/json' \\
  -d '{"tenant": "aws-saa", "question": "When do I choose a partition placement group?"}'</pre>
$operations
<h2 id="problems">Problems</h2>
<p>Errors are problem documents (RFC 9457, application/problem+json); their <code>type</code> leads here.</p>
<dl>$problems</dl>
<h2 id="objects">Objects</h2>
$objects
</main>
</body>
</html>
""")


def reference(spec: Schema) -> str:
    """The reference as one self-contained HTML page."""
    info = spec["info"]
    return PAGE.substitute(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=escape(info["description"]),
        operations="".join(_operations(spec)),
        problems="".join(_problems()),
        objects="".join(_objects(spec["components"]["schemas"])),
    )


def _operations(spec: Schema) -> Iterator[str]:
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(operation['summary'])}</p>"
            yield f'<p class="soft">{escape(_unwrapped(operation["description"]))}</p><dl>'
            yield from _request(operation)
            for status, response in operation["responses"].items():
                yield f"<dt>{status}</dt><dd>{_content(response.get('content'))}</dd>"
            yield "</dl>"


def _request(operation: Schema) -> Iterator[str]:
    for parameter in operation.get("parameters", ()):
        described = escape(parameter.get("description", ""))
        yield f"<dt><code>{parameter['name']}</code></dt>"
        yield f'<dd><span class="type">in the {parameter["in"]}</span> {described}</dd>'
    if "requestBody" in operation:
        yield f"<dt>Body</dt><dd>{_content(operation['requestBody']['content'])}</dd>"


def _problems() -> Iterator[str]:
    for kind in KINDS:
        yield f'<dt id="{kind.slug}"><code>{kind.slug}</code></dt>'
        yield f'<dd><span class="type">{kind.status}</span> {escape(kind.title)}. {escape(kind.detail)}</dd>'


def _objects(schemas: Schema) -> Iterator[str]:
    for name, schema in schemas.items():
        yield f'<h3 id="{name}">{name}</h3><p class="soft">{escape(schema.get("description", ""))}</p><dl>'
        required = schema.get("required", ())
        for field, value in schema["properties"].items():
            optional = "" if field in required else ", optional"
            described = escape(value.get("description", ""))
            yield f"<dt><code>{field}</code></dt>"
            yield f'<dd><span class="type">{_type(value)}{optional}</span> {described}</dd>'
        yield "</dl>"


def _content(content: Schema | None) -> str:
    """What comes in which media type; nothing, where nothing comes."""
    if not content:
        return '<span class="type">no content</span>'
    return "<br>".join(f"{_type(body['schema'])} <span class=type>{media}</span>" for media, body in content.items())


def _type(schema: Schema) -> str:
    """A schema in a few words: a link for an object of ours, "a | b" for a choice."""
    match schema:
        case {"$ref": path}:
            name = path.rsplit("/", 1)[-1]
            return f'<a href="#{name}">{name}</a>'
        case {"anyOf": choices}:
            return " | ".join(_type(choice) for choice in choices)
        case {"enum": values}:
            return " | ".join(f"<code>{escape(str(value))}</code>" for value in values)
        case {"type": "array", "items": items}:
            return f"list of {_type(items)}"
        case {"type": "object", "additionalProperties": values}:
            return f"map to {_type(values)}"
    return escape(str(schema.get("type", "anything")))


def _unwrapped(text: str) -> str:
    """Docstrings break lines at a width of their own; only blank lines are meant."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
