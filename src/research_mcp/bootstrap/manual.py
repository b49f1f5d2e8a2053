"""The configuration, printed: `.env.example` and the README's tables, from the program's own facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from research_mcp.bootstrap.instances import PACE, WEIGHT
from research_mcp.core.budget import BUDGET
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Instance
from research_mcp.core.models import Filter, Topic
from research_mcp.pipeline_config import INSTANCES
from research_mcp.providers import load
from research_mcp.providers.kit.map import MapType
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.providers.kit.search import SearchType
from research_mcp.settings import GROUPS, Settings, shown
from research_mcp.variables import VARIABLES

_BLOCK = "<!-- {name}:begin -->\n{body}\n<!-- {name}:end -->"


def known_variables() -> set[str]:
    """Every variable that this program understands."""
    own = {row.own_variable(BUDGET) for row in INSTANCES}
    engines = [row for row in INSTANCES if row.type.startswith("search.")]
    own |= {row.own_variable(ending) for row in engines for ending in (WEIGHT, PACE)}
    return {name.upper() for name in Settings.model_fields} | set(VARIABLES) | set(SECRETS) | own


OWN: Mapping[str, str] = {
    BUDGET: "Most billed calls of an instance in a period, such as `EXA_BUDGET=1000/month` "
    "(`hour`, `day`, `month`, `total`).",
    WEIGHT: "What the votes of a search engine count in the merged list, 0 to 10: "
    "`EXA_WEIGHT=2` doubles them.",
    PACE: "Seconds between two queries to a search engine, in place of those in the table of engines: "
    "`BRAVE_PACE=0.05` for a plan of 20 a second, 0 for no pace.",
}
"""Variables that every instance has under its own name, by their ending."""


SECRETS: Mapping[str, str] = {
    "MCP_BEARER_TOKENS": "Tokens that clients must send as `Authorization: Bearer`, a comma list; plain, or "
    "`sha256:` and the hex digest. `research-mcp token` makes one.",
    "VALKEY_URL": "Valkey or Redis server for the state that replicas share, such as "
    "`valkey://:password@valkey:6379/0`, `rediss://...` for TLS or `unix:///run/valkey.sock`.",
    "OTEL_EXPORTER_OTLP_HEADERS": "Headers that the collector of traces wants, as `name=value,name=value`.",
}
"""Variables of the server that are secret, and so no settings."""


def env_example() -> str:
    """The text of `.env.example`: every variable with its sentence, commented out at its default."""
    lines = ["# Every variable is optional. Copy to .env and uncomment what you need.", ""]
    for name, field in Settings.model_fields.items():
        if name in GROUPS:
            lines += [f"# --- {GROUPS[name]} ---", ""]
        lines += [f"# {field.description}", f"# {name.upper()}={shown(field.default)}", ""]
    lines += ["# --- Access ---", ""]
    for name, sentence in SECRETS.items():
        lines += [f"# {sentence}", f"# {name}=", ""]
    lines += ["# --- Providers ---", ""]
    for name, sentence in VARIABLES.items():
        lines += [f"# {sentence}", f"# {name}=", ""]
    lines += ["# --- Any instance: its name in capitals, then ---", ""]
    for ending, sentence in OWN.items():
        lines += [f"# {sentence}", f"# EXA_{ending}=", ""]
    return "\n".join(lines)


def readme_with_tables(text: str) -> str:
    """`text` with the blocks between its markers printed anew. Raises `ConfigError` without markers."""
    for name, body in {"variables": _variables(), "engines": _instances()}.items():
        block = re.compile(rf"<!-- {name}:begin -->.*?<!-- {name}:end -->", re.DOTALL)
        if not block.search(text):
            raise ConfigError(f"the file has no block <!-- {name}:begin --> ... <!-- {name}:end -->")
        fresh = _BLOCK.format(name=name, body="\n".join(body))
        text = block.sub(lambda _, fresh=fresh: fresh, text)  # type: ignore[misc]  # default binds the loop's value
    return text


def _variables() -> Iterator[str]:
    yield "| variable | default | what it does |"
    yield "| --- | --- | --- |"
    for name, field in Settings.model_fields.items():
        default = shown(field.default)
        yield f"| `{name.upper()}` | {f'`{default}`' if default else ''} | {field.description} |"
    for name, sentence in {**SECRETS, **VARIABLES}.items():
        yield f"| `{name}` | | {sentence} |"
    for ending, sentence in OWN.items():
        yield f"| `<INSTANCE>_{ending}` | | {sentence} |"


def _instances() -> Iterator[str]:
    """Search engines with what they cost, apply and allow; then the readers, then the mappers."""
    load()
    yield "| search | needs | price | filters it applies | limits |"
    yield "| --- | --- | --- | --- | --- |"
    for row in INSTANCES:
        cls = REGISTRY[row.type]
        if issubclass(cls, SearchType):
            filters = ", ".join(f.value for f in Filter if f in cls.applies) or "none"
            yield f"| `{row.name}` | {_needs(row)} | {cls.price} | {filters} | {_limits(cls)} |"
    yield ""
    yield "| reader | needs | what it reads |"
    yield "| --- | --- | --- |"
    for row in INSTANCES:
        cls = REGISTRY[row.type]
        if issubclass(cls, ReadType):
            yield f"| `{row.name}` | {_needs(row)} | {_first_sentence(cls)} |"
    yield ""
    yield "| mapper | needs | price | how it knows |"
    yield "| --- | --- | --- | --- |"
    for row in INSTANCES:
        cls = REGISTRY[row.type]
        if issubclass(cls, MapType):
            yield f"| `{row.name}` | {_needs(row)} | {cls.price} | {_first_sentence(cls)} |"


def _first_sentence(cls: type) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0].partition(". ")[0].rstrip(".")


def _needs(row: Instance) -> str:
    """The variables without which it is off; of several keys one is enough, or a login."""
    spec = REGISTRY[row.type].spec
    options = (f"`{row.options[need]}`" for need in spec.needs if need in row.options)
    ways_in = () if row.optional_api_key else filter(None, (*row.key_names, row.login_env))
    keys = " or ".join(f"`{name}`" for name in ways_in)
    places = (f"`{name}`" for name in (row.url_env, row.listed_in) if name)
    return ", ".join(filter(None, (*places, keys, *options))) or "nothing"


def _limits(cls: type[SearchType]) -> str:
    pace = f"; one query in {cls.pace:g} s" if cls.pace else ""
    reserve = "; only for short lists" if cls.reserve else ""
    scholarly = "; scholarly questions" if Topic.GENERAL not in cls.topics else ""
    return f"{cls.max_count} hits, {cls.max_query} characters{pace}{reserve}{scholarly}"
