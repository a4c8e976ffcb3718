"""Rules that marts of every instrument share: grains, readings and honest blanks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from expectations.rules import EmptyRule, Rule, not_null, one_of, unique
from expectations.vocabulary import READINGS
from models.status import OK, STATUSES

Grains = Mapping[str, tuple[str, ...]]


def grain_rules(grains: Grains, *, one_sided: Sequence[str] = ()) -> list[Rule]:
    """Return the rules that rows are unique, keyed, and stand in both readings.

    Parameters
    ----------
    grains
        Mart -> its grain, as promised to analysts.
    one_sided
        Marts of which a row may stand in one reading only.

    Returns
    -------
    list of Rule
        Keys without null, unique grain and known readings of every mart; both readings
        side by side where a mart has a reading and is not one-sided.
    """
    read = [mart for mart, grain in grains.items() if "reading" in grain]
    return [
        *[rule for mart, grain in grains.items() for rule in not_null(mart, *grain)],
        *[rule for mart, grain in grains.items() for rule in unique(mart, *grain)],
        *[rule for mart in read for rule in one_of(mart, "reading", READINGS)],
        *[_two_sided(mart, grains[mart]) for mart in read if mart not in one_sided],
    ]


def _two_sided(mart: str, grain: tuple[str, ...]) -> EmptyRule:
    # the readings have other terms, but both have terms
    rest = ", ".join(column for column in grain if column not in ("reading", "term"))
    return EmptyRule(
        mart,
        "both_readings_stand_side_by_side",
        f"""
        select {rest}, string_agg(distinct reading, ', ') as readings
        from {mart} group by {rest} having count(distinct reading) != {len(READINGS)}
        """,
    )


def breaks(
    grains: Grains, mart: str, name: str, condition: str, shown: str
) -> EmptyRule:
    """Return the rule that no row of a mart meets a condition.

    Parameters
    ----------
    grains
        Mart -> its grain.
    mart
        The mart.
    name
        The rule as a statement.
    condition
        SQL that is true for a row that breaks the rule.
    shown
        Columns that a message shows beside the grain.

    Returns
    -------
    EmptyRule
        One rule.
    """
    keys = ", ".join(grains[mart])
    return EmptyRule(
        mart, name, f"select {keys}, {shown} from {mart} where {condition}"
    )


def honest_blanks(
    grains: Grains, mart: str, value: str, *, ranked: bool = False
) -> list[Rule]:
    """Return the rules that tie a value and its rank to its status.

    Parameters
    ----------
    grains
        Mart -> its grain.
    mart
        The mart; it has a column ``status``.
    value
        Its figure.
    ranked
        Whether the mart has ``rank_lo`` and ``rank_hi``.

    Returns
    -------
    list of Rule
        A known status on every row, ``ok`` only beside a finite value, and no rank
        without ``ok``.
    """
    rules: list[Rule] = [
        *not_null(mart, "status"),
        *one_of(mart, "status", STATUSES),
        breaks(
            grains,
            mart,
            "an_ok_value_is_defined",
            f"status = '{OK}' and {value} is null or not isfinite({value})",
            f"status, {value}",
        ),
    ]
    if ranked:
        rules.append(
            breaks(
                grains,
                mart,
                "nothing_that_is_not_ok_is_ranked",
                f"status != '{OK}' and (rank_lo is not null or rank_hi is not null)",
                "status, rank_lo, rank_hi",
            )
        )
    return rules
