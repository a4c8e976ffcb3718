"""The example run with one price, vote or ruling altered, drawn with a seed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from search_folder import Files, edit, example, restate

Body = dict[str, Any]
Change = Callable[[Body, Random], None]

_OTHER = {"valid": "invalid", "invalid": "valid"}
_TRACK = "exact"


def _other_amount(record: Body, name: str) -> None:
    amount = Decimal(record[name])
    half = (amount / 2).quantize(Decimal("0.01"))
    record[name] = str(half if amount >= 1 else amount + 5)


def _pick(records: dict[str, Body], luck: Random, wanted: str) -> Body:
    """Return a record in which something stands."""
    return records[
        luck.choice([key for key in sorted(records) if records[key][wanted]])
    ]


def _page(name: str) -> Change:
    def change(body: Body, luck: Random) -> None:
        _other_amount(_pick(body["audits"], luck, name), name)

    return change


def _claim(body: Body, luck: Random) -> None:
    entry = _pick(body["entries"], luck, "listings")
    _other_amount(luck.choice(entry["listings"]), "item_price")


def _reference(body: Body, luck: Random) -> None:
    _other_amount(luck.choice(body["tasks"]), "price")


def _vote(body: Body, luck: Random) -> None:
    vote = luck.choice(_pick(body["grades"], luck, "n_valid")["votes"])
    vote["verdict"] = _OTHER[vote["verdict"] or "valid"]


def _validity(body: Body, luck: Random) -> None:
    ruled = [
        label["ruling"]
        for label in body["labels"].values()
        if label["ruling"]["validity"]
    ]
    ruling = luck.choice(ruled)
    ruling["validity"] = _OTHER[ruling["validity"]]


def _status(body: Body, luck: Random) -> None:
    ruling = luck.choice(list(body["labels"].values()))["ruling"]
    ruling["status"] = "rejected" if ruling["status"] == "verified" else "verified"


def _field(body: Body, luck: Random) -> None:
    fields = luck.choice(list(body["labels"].values()))["fields"]
    fields["price"] = f"{luck.randint(1, 9)}.{luck.randint(10, 99)}"


def _correction(body: Body, luck: Random) -> None:
    kept = [ref for ref in body["refs"].values() if not ref["void"]]
    luck.choice(kept)["fields"]["price"] = f"{luck.randint(40, 90)}.00"


# what is altered -> file and change
KINDS: dict[str, tuple[str, Change]] = {
    "price of a page": (f"audit_{_TRACK}.json", _page("price")),
    "shipping of a page": (f"audit_{_TRACK}.json", _page("shipping")),
    "price of a listing": (f"raw_thorough_{_TRACK}.json", _claim),
    "price of a reference": ("tasks.json", _reference),
    "vote": (f"grades_{_TRACK}.json", _vote),
    "ruling on validity": (f"verify_labels_{_TRACK}.json", _validity),
    "ruling on status": (f"verify_labels_{_TRACK}.json", _status),
    "price by a ruling": (f"verify_labels_{_TRACK}.json", _field),
    "price of a reference by a ruling": ("verify_labels_refs.json", _correction),
}


def alterations(seed: int, count: int) -> list[tuple[str, str, Files]]:
    """Return what was altered, the file and the files, kinds in turn."""
    luck = Random(seed)
    found = []
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        name, change = KINDS[kind]
        files = edit(example(), name, lambda body, do=change: do(body, luck))
        found.append((kind, name, files))
    return found


def renamed(files: Files, run_id: str) -> Files:
    """Return the artifacts as those of another run, so that both can be loaded."""
    own = {name: data for name, data in files.items() if "/" not in name}
    for name in own:
        if name.endswith(".json"):
            edit(own, name, lambda body: body.update(run_id=run_id))
    return restate(own)
