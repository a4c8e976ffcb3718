"""Rules that marts of every instrument share: grains, readings and honest blanks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from expectations.rules import EmptyRule, Rule
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
        One row for each key, no key null and no figure that is not a finite number in
        every mart; known readings, and both of them side by side where a mart has a
        reading and is not one-sided.
    """
    read = [mart for mart, grain in grains.items() if "reading" in grain]
    return [
        *[_keyed(mart, grain) for mart, grain in grains.items()],
        *[_numbers(mart, grain) for mart, grain in grains.items()],
        *[_known_readings(mart, grains[mart]) for mart in read],
        *[_two_sided(mart, grains[mart]) for mart in read if mart not in one_sided],
    ]


def _keyed(mart: str, grain: tuple[str, ...]) -> EmptyRule:
    # one query for each mart: an expectation for each column takes seconds over all
    keys = ", ".join(grain)
    return EmptyRule(
        mart,
        "every_key_is_whole_and_stands_once",
        f"""
        select {keys}, count(*) as rows_of_key
        from {mart} group by {keys}
        having count(*) > 1 or {" or ".join(f"{key} is null" for key in grain)}
        """,
    )


def _numbers(mart: str, grain: tuple[str, ...]) -> EmptyRule:
    # of any column, whatever its type: no text of a mart is one of the words alone
    return EmptyRule(
        mart,
        "every_figure_is_a_number_or_null",
        f"""
        select {", ".join(grain)}
        from (select columns(*)::varchar from {mart}) as texts
        where list_has_any(list_value(*columns(*)), ['nan', 'inf', '-inf'])
        """,
    )


def _known_readings(mart: str, grain: tuple[str, ...]) -> EmptyRule:
    known = ", ".join(f"'{reading}'" for reading in READINGS)
    return EmptyRule(
        mart,
        "every_reading_is_known",
        f"select {', '.join(grain)} from {mart} where reading not in ({known})",
    )


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


def whole_interval(grains: Grains, mart: str, figure: str | None = None) -> EmptyRule:
    """Return the rule that an interval has both ends, in order, around its figure.

    Parameters
    ----------
    grains
        Mart -> its grain.
    mart
        The mart; it has columns ``ci_lo`` and ``ci_hi``.
    figure
        The figure that must lie between them; none where it need not, as among
        percentiles of resamples.

    Returns
    -------
    EmptyRule
        One rule.
    """
    outside = f" or {figure} not between ci_lo and ci_hi" if figure else ""
    return breaks(
        grains,
        mart,
        "an_interval_has_both_ends_around_its_figure",
        f"(ci_lo is null) != (ci_hi is null) or ci_lo > ci_hi{outside}",
        ", ".join(filter(None, (figure, "ci_lo", "ci_hi"))),
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
    known = ", ".join(f"'{status}'" for status in STATUSES)
    rules: list[Rule] = [
        breaks(
            grains,
            mart,
            "every_status_is_known",
            f"status is null or status not in ({known})",
            "status",
        ),
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
