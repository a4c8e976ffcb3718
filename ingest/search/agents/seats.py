"""The seats: which agents are asked, where, with what settings and at what price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from ingest.errors import LoadError
from ingest.search.agents.adapter import Usage

DEFAULTS = Path(__file__).with_name("seats.yaml")
TEMPLATES = ("findcheap.yaml",)
ADAPTERS = (
    *("openai_responses", "anthropic", "anthropic_batch", "gemini_grounding"),
    *("perplexity_agent", "generic_http", "python_callable", "replay"),
)
_AGENT = re.compile(r"[a-z0-9_-]{1,40}")
_FIELDS = frozenset(
    {
        *("adapter", "base", "model", "tools", "params", "headers", "timeout_s"),
        *("price", "options"),
    }
)
_PRICES = ("input_usd_per_m", "output_usd_per_m", "search_usd", "call_usd")
_ALL_PRICES = frozenset({*_PRICES, "batch_share"})
_MILLION = 1_000_000
_LOCAL = ("localhost", "127.0.0.1", "::1")
_CENTS = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Price:
    """What an agent costs; None: nobody knows.

    Attributes
    ----------
    input_usd_per_m, output_usd_per_m
        US dollars for a million tokens.
    search_usd, call_usd
        US dollars for one search and for one request.
    batch_share
        What share of the price of tokens a batch pays.
    """

    input_usd_per_m: Decimal | None = None
    output_usd_per_m: Decimal | None = None
    search_usd: Decimal | None = None
    call_usd: Decimal | None = None
    batch_share: Decimal = Decimal(1)

    def cost(
        self, usage: Usage, *, in_batch: bool = False
    ) -> tuple[Decimal | None, str | None]:
        """Return what a request costs and who says so.

        Parameters
        ----------
        usage
            Of one reply.
        in_batch
            Whether it was answered in a batch.

        Returns
        -------
        Decimal or None, str or None
            ``endpoint`` where the provider states the cost, ``given`` where it follows
            from these prices; both None where a price or a count is lacking.
        """
        if usage.cost_usd is not None:
            return usage.cost_usd.quantize(_CENTS), "endpoint"
        if self.call_usd is not None and self.input_usd_per_m is None:
            return self.call_usd.quantize(_CENTS), "given"
        tokens = (usage.input_tokens, usage.output_tokens)
        prices = (self.input_usd_per_m, self.output_usd_per_m)
        if None in tokens or None in prices:
            return None, None
        share = self.batch_share if in_batch else Decimal(1)
        total = self.call_usd or Decimal(0)
        for number, price in zip(tokens, prices, strict=True):
            total += Decimal(number or 0) * (price or Decimal(0)) * share / _MILLION
        if usage.searches:
            if self.search_usd is None:
                return None, None
            total += usage.searches * self.search_usd
        return total.quantize(_CENTS), "given"


@dataclass(frozen=True, slots=True)
class Seat:
    """One agent as it is asked.

    Attributes
    ----------
    agent
        Its name in files.
    adapter
        One of ``ADAPTERS``.
    base
        Address that paths are added to; None for an agent without one.
    model, tools, params
        As sent; ``params`` are further fields of the request.
    headers
        Values may hold ``${NAME}`` for a variable of the environment.
    timeout_s
        Longest wait for one attempt.
    price
        What it costs.
    options
        What the adapter alone understands.
    """

    agent: str
    adapter: str
    base: str | None = None
    model: str | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 1800.0
    price: Price = Price()
    options: Mapping[str, Any] = field(default_factory=dict)

    def config(self, prompt_sha256: str) -> dict[str, Any]:
        """Return what it was asked with, as a raw artifact holds it."""
        return {
            "adapter": self.adapter,
            "base": self.base,
            "model": self.model,
            "tools": [dict(one) for one in self.tools],
            "params": dict(self.params),
            "options": dict(self.options),
            "prompt_sha256": prompt_sha256,
        }


def default_seats() -> dict[str, Seat]:
    """Return the published seats by agent."""
    return read_seats("seats: {}", DEFAULTS.name)


def load_seats(path: Path | None) -> dict[str, Seat]:
    """Return the published seats with those of a file in their place.

    Parameters
    ----------
    path
        A YAML file of the form of ``seats.yaml``; a seat that it names replaces the
        published one field by field. None: the published ones.

    Returns
    -------
    dict
        Agent -> seat.

    Raises
    ------
    LoadError
        Where the file cannot be read or says something that no seat has.
    """
    if path is None:
        return default_seats()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{path} cannot be read ({error}); name a file") from error
    return read_seats(text, path.name)


def read_seats(text: str, name: str) -> dict[str, Seat]:
    """Return the published seats with those of a YAML text in their place.

    Parameters
    ----------
    text
        A mapping ``seats`` of agent to fields, each replacing the published one.
    name
        How messages call it.

    Returns
    -------
    dict
        Agent -> seat, the published ones first.

    Raises
    ------
    LoadError
        Where it says something that no seat has.
    """
    known = _entries(DEFAULTS.read_text(encoding="utf-8"), DEFAULTS.name)
    own = _entries(text, name)
    merged = {agent: {**one, **own.pop(agent, {})} for agent, one in known.items()}
    return {agent: _seat(agent, one, name) for agent, one in {**merged, **own}.items()}


def _entries(text: str, name: str) -> dict[str, dict[str, Any]]:
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        why = " ".join(str(error).split())
        raise LoadError(f"{name} is no YAML: {why}") from error
    seats = found.get("seats") if isinstance(found, dict) else None
    if not isinstance(seats, dict):
        raise LoadError(f"{name} has no mapping `seats`; see seats.yaml")
    for agent, one in seats.items():
        if not isinstance(agent, str) or _AGENT.fullmatch(agent) is None:
            raise LoadError(f"{name}: {agent!r} is no name; use a-z, 0-9, _ and -")
        if not isinstance(one, dict):
            raise LoadError(f"{name}: seat {agent} is no mapping")
    return seats


def _seat(agent: str, entry: Mapping[str, Any], name: str) -> Seat:
    where = f"{name}: seat {agent}"
    unknown = sorted(set(map(str, entry)) - _FIELDS)
    if unknown:
        raise LoadError(f"{where}: no field {unknown[0]}; known: {sorted(_FIELDS)}")
    adapter = entry.get("adapter")
    if adapter not in ADAPTERS:
        raise LoadError(f"{where}: adapter {adapter!r} is not one of {ADAPTERS}")
    for key in ("params", "headers", "price", "options"):
        if not isinstance(entry.get(key) or {}, dict):
            raise LoadError(f"{where}: {key} is no mapping")
    base = entry.get("base")
    if base is not None:
        base = str(base).rstrip("/")
        _check_base(base, where)
    return Seat(
        agent,
        adapter,
        base,
        entry.get("model"),
        tuple(entry.get("tools") or ()),
        entry.get("params") or {},
        {str(k): str(v) for k, v in (entry.get("headers") or {}).items()},
        float(entry.get("timeout_s") or 1800.0),
        _price(entry.get("price") or {}, where),
        _options(entry.get("options") or {}, where),
    )


def _options(options: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the options with those of a template that is shipped beneath them."""
    name = options.get("template")
    if name is None:
        return dict(options)
    if name not in TEMPLATES:
        raise LoadError(f"{where}: no template {name!r}; known: {TEMPLATES}")
    text = DEFAULTS.with_name(str(name)).read_text(encoding="utf-8")
    return {**yaml.safe_load(text), **options}


def _check_base(base: str, where: str) -> None:
    """Refuse an address over which a key would travel in the open."""
    parts = urlsplit(base)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme != "http" or parts.hostname not in _LOCAL:
        raise LoadError(f"{where}: {base} is no https address (http: on loopback only)")


def _price(entry: Mapping[str, Any], where: str) -> Price:
    unknown = sorted(set(map(str, entry)) - _ALL_PRICES)
    if unknown:
        raise LoadError(f"{where}: no price {unknown[0]}; known: {sorted(_ALL_PRICES)}")
    try:
        known = {
            key: Decimal(str(value))
            for key, value in entry.items()
            if value is not None
        }
    except InvalidOperation as error:
        raise LoadError(f"{where}: a price is no number") from error
    if any(not value.is_finite() or value < 0 for value in known.values()):
        raise LoadError(f"{where}: a price is below 0 or no number")
    return Price(**known)
