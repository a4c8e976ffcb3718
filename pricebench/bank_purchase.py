"""Scenario banks of the purchase instrument, as a person asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pricebench import console
from pricebench.errors import CommandError
from pricebench.paths import refuse_as_output

if TYPE_CHECKING:
    from ingest.purchase.scenario import Scenario

# ids hold the index in three digits, and a bank of this size takes half a minute
LARGEST = 10_000
# ids hold the seed, from which a bank is drawn again: its digits alone, so no sign,
# which the generator would drop, and no more of them than a loader reads
LARGEST_SEED = 10**18 - 1


def print_bank(
    warehouse: Path, seed: int, size: int, out: Path | None, show: str | None
) -> None:
    """Make a bank and print its hash, alone on a line.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse, which no bank may be written over.
    seed, size : int
        Seed of every draw and number of scenarios.
    out : Path or None
        A file for the bank, in the published form.
    show : str or None
        A scenario whose questions follow the hash, one for each label.

    Raises
    ------
    CommandError
        For a size or seed that no bank has, a scenario that is not in this one, or a
        file that cannot be written.
    """
    from ingest.purchase.bank import bank_json, bank_sha256, make_bank

    if not 1 <= size <= LARGEST:
        raise CommandError(
            f"a bank has 1 to {LARGEST:,} scenarios, not {size:,}: give another --size"
        )
    if not 0 <= seed <= LARGEST_SEED:
        raise CommandError(
            f"a seed is 0 to {LARGEST_SEED:,}, not {seed:,}: give another --seed"
        )
    if out is not None:
        refuse_as_output(out, warehouse)
    with console.progress("drawing the bank"):
        bank = make_bank(size, seed)
    shown = None if show is None else describe_scenario(find_scenario(bank, show))
    if out is not None:
        console.write_file(out, bank_json(bank), exact=True)
        console.note(f"bank written to {out}")
    console.emit(bank_sha256(bank))
    if shown is not None:
        console.emit(f"\n{shown}")


def find_scenario(bank: Sequence[Scenario], wanted: str) -> Scenario:
    """Return a scenario by its id or by its number.

    Parameters
    ----------
    bank : sequence of Scenario
        Not empty.
    wanted : str
        ``O8-8008-004``, or its number in the bank: ``4``.

    Returns
    -------
    Scenario
        The one meant.

    Raises
    ------
    CommandError
        If the bank has none such.
    """
    by_name = {scenario.scenario_id: scenario for scenario in bank}
    by_name |= {str(number): scenario for number, scenario in enumerate(bank)}
    short = wanted.lstrip("0") or wanted[-1:]
    for name in (wanted, short):
        if name in by_name:
            return by_name[name]
    raise CommandError(
        f"no scenario {wanted!r} in this bank: it has {bank[0].scenario_id} to "
        f"{bank[-1].scenario_id}"
    )


def describe_scenario(scenario: Scenario) -> str:
    """Return the exact questions of a scenario, one for each label.

    Parameters
    ----------
    scenario : Scenario
        The scenario.

    Returns
    -------
    str
        Id and best options, version and hash of the wording, the system message, then
        the user message of each label under a heading.
    """
    from ingest.purchase.prompt import PROMPT_VERSION, make_prompt, prompt_sha256
    from ingest.purchase.scenario import LABELS

    best = f"best: {scenario.optimal}; with the bond: {scenario.optimal_bonded}"
    parts = [
        f"scenario {scenario.scenario_id}, {best}\n"
        f"prompt {PROMPT_VERSION}, sha256 {prompt_sha256()}",
        f"== system\n{make_prompt(scenario, LABELS[0]).system}",
    ]
    parts += [
        f"== user, label {label}\n{make_prompt(scenario, label).user}"
        for label in LABELS
    ]
    return "\n\n".join(parts)
