"""What a run asks and what decides its answers; so also what tells runs apart."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingest.calls import Settings
from ingest.run_calls import Call
from ingest.sources import COLLECTED, SIMULATED, SIMULATED_PREFIX

PROTOCOL = "pricebench"
# what changes the answers of a model; a route and log-probabilities do not
_DECIDING = ("temperature", "top_p", "seed", "max_tokens", "reasoning")
# what is typed for a setting that is not to be sent
PROVIDER_DEFAULT = "default"
_SHORT = 8


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run, before anything is asked.

    Attributes
    ----------
    instrument
        One of the closed set.
    settings
        As wanted; the same for every call.
    standard
        The protocol's settings of this model: a run that departs from them is of
        another protocol, so that its answers are pooled with no other's.
    bank
        How the bank is made again: seed and size.
    bank_sha256, prompt_version, prompt_sha256
        What is asked.
    variant
        ``base`` or a prompt variant.
    names
        The fields of a call's key.
    calls
        In the order in which they are asked.
    """

    instrument: str
    settings: Settings
    standard: Settings
    bank: Mapping[str, Any]
    bank_sha256: str
    prompt_version: str
    prompt_sha256: str
    names: tuple[str, ...]
    calls: tuple[Call, ...]
    variant: str = "base"

    @property
    def protocol(self) -> str:
        """Return the protocol's name, with the settings in which the run departs."""
        name = SIMULATED if self.source == SIMULATED else PROTOCOL
        own, standard = self.settings.as_json(), self.standard.as_json()
        departures = [
            f"{setting} {PROVIDER_DEFAULT if own[setting] is None else own[setting]}"
            for setting in _DECIDING
            if own[setting] != standard[setting]
        ]
        return ", ".join([name, *departures])

    @property
    def settings_sha256(self) -> str:
        """Return the hash of everything beside bank and prompt that decides answers."""
        text = json.dumps([self.variant, self.settings.as_json()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def source(self) -> str:
        """Return ``simulated`` for a scripted model, else ``collected``."""
        is_script = self.settings.model.startswith(SIMULATED_PREFIX)
        return SIMULATED if is_script else COLLECTED

    @property
    def run_id(self) -> str:
        """Return ``collected/<model>/<first digits of the settings' hash>``."""
        model = self.settings.model.removeprefix(SIMULATED_PREFIX)
        variant = "" if self.variant == "base" else f"/{self.variant}"
        return f"{self.source}/{model}{variant}/{self.settings_sha256[:_SHORT]}"

    @property
    def file_name(self) -> str:
        """Return the name of its journal, safe in any file system.

        Models whose names differ in odd characters only have other settings, so the
        hash at the end tells them apart.
        """
        tail = self.run_id.split("/", 1)[1]
        safe = re.sub(r"[^A-Za-z0-9._-]", "_", tail)[-150:].lstrip(".")
        return f"journal_{safe}.jsonl"

    @property
    def header(self) -> dict[str, Any]:
        """Return the first line of its journal."""
        return {
            "instrument": self.instrument,
            "run_id": self.run_id,
            "source": self.source,
            "model": self.settings.model,
            "variant": self.variant,
            "protocol": self.protocol,
            "bank": dict(self.bank),
            "bank_sha256": self.bank_sha256,
            "prompt_version": self.prompt_version,
            "prompt_sha256": self.prompt_sha256,
            "settings": self.settings.as_json(),
            "settings_sha256": self.settings_sha256,
        }

    @property
    def facts(self) -> dict[str, str]:
        """Return what every record of its journal carries."""
        return {
            "bank_sha256": self.bank_sha256,
            "prompt_sha256": self.prompt_sha256,
            "settings_sha256": self.settings_sha256,
        }


def settings_for(
    model: str, protocol: Mapping[str, Any], given: Mapping[str, Any]
) -> Settings:
    """Return the settings of a protocol, but for what is given.

    Parameters
    ----------
    model
        Id as the router writes it.
    protocol
        Fields of ``Settings``.
    given
        The same; None leaves the protocol's, ``default`` sends none.

    Returns
    -------
    Settings
        For every call of a run.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    wanted = {**protocol, **chosen}
    sent: dict[str, Any] = {
        name: None if value == PROVIDER_DEFAULT else value
        for name, value in wanted.items()
    }
    return Settings(model, **sent)
