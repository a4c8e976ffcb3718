"""Raw tables of the search instrument, one for each kind of record of a run folder.

Amounts are exact and in the currency beside them, never converted; a negative claim and
a foreign currency are data. Times are UTC. Every row names its run and the bank of the
run, which is the hash of its ``tasks.json``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from ingest.table_schema import PRICE_TYPE, table_schema

TRACKS = ("exact", "equiv")

_Field = tuple[str, pa.DataType, bool]

_COST = pa.decimal128(18, 9)
_PERCENT = pa.decimal128(9, 4)
_TIME = pa.timestamp("us")


def _fields(kind: pa.DataType, names: str) -> Iterator[_Field]:
    """Yield fields of one type; a name that ends in ``?`` may be null."""
    for name in names.split():
        yield name.removesuffix("?"), kind, name.endswith("?")


def _text(names: str) -> Iterator[_Field]:
    return _fields(pa.string(), names)


def _whole(names: str) -> Iterator[_Field]:
    return _fields(pa.int64(), names)


def _flag(names: str) -> Iterator[_Field]:
    return _fields(pa.bool_(), names)


def _money(names: str) -> Iterator[_Field]:
    return _fields(PRICE_TYPE, names)


def _time(names: str) -> Iterator[_Field]:
    return _fields(_TIME, names)


def _table(*parts: Iterator[_Field]) -> pa.Schema:
    fields = [field for part in parts for field in part]
    return table_schema(*_text("run_id bank_sha256"), *fields)


RAW_SEARCH: dict[str, pa.Schema] = {
    # one row per run, from the header of its tasks
    "run": _table(
        _text("source"),  # collected, simulated or release
        _text("protocol_version protocol_sha256 protocol"),  # protocol: JSON object
        _text("buyer_zip currency memberships"),
        _whole("max_listings judges_needed"),
        _money("match_tolerance"),
        _text("tool_version"),
        _time("created_at updated_at"),
    ),
    # one row per JSON artifact
    "artifact": _table(
        # cells, sourcing_log, tasks, raw, candidates, grades, audit, verify_labels,
        # verify_labels_refs or summary
        _text("kind"),
        _text("track? agent? scenario?"),
        _text("stated_run_id"),  # a bank that another run froze keeps its run id
        _text("protocol_sha256"),
        _text("tasks_sha256?"),  # as stated in inputs; null: made before the tasks
        _text("inputs"),  # JSON object: file name -> sha256
        _whole("version?"),  # label files only
        _text("tool_version"),
        _time("created_at updated_at"),
        _text("extra"),  # JSON object: what is neither header nor records
    ),
    # one row per grid cell
    "cell": _table(
        _text("cell_id retailer kind category"),
        _text("subcategory? stratum? source_list_name? source_list_url? status"),
        _whole("position"),
    ),
    # one row per cell of the sourcing log: what was chosen for it
    "selection": _table(
        _text("cell_id status selected_url?"),  # null: nothing was chosen
        _whole("selected_rank? walk_pass?"),
    ),
    # one row per event of a cell's sourcing
    "source_event": _table(
        _text("cell_id type"),
        _whole("seq"),  # place among the events of the cell, from 1
        _time("event_at?"),
        _text("url? fetcher? evidence_sha256?"),
        _whole("http_status? items_seen?"),
        _text("detail"),  # JSON object: the event without the items walked
    ),
    # one row per item of a ranked list that was seen
    "source_item": _table(
        _text("cell_id"),
        _whole("list_seq rank"),  # seq of the event, rank within its list
        _text("url title? outcome? code? detail?"),
    ),
    # one row per product
    "task": _table(
        _text("task_id label cell_id? retailer category title brand?"),
        _whole("position"),
        _text("url url_canonical"),
        _text("image_sha256? image_source_url?"),
        _whole("image_width? image_height?"),
        _money("price list_price? shipping? fees? landed?"),
        _text("currency"),
        _whole("pack_count? pack_contents?"),
        _text("pack_unit_size? pack_unit? pack_evidence? pack_source?"),
        _flag("pack_is_ambiguous is_fashion"),
        _text("condition? availability? gtin? mpn? sku?"),
        _text("variant_size? variant_color?"),
        _text("extraction_source? extraction_evidence_sha256? extraction_warnings"),
        _text("shipping_source? shipping_policy_row? shipping_note?"),
        _time("extraction_at? shipping_at?"),
        _text("basis?"),  # as stated: per_unit or total
    ),
    # one row per answer file: an agent in a track
    "agent": _table(
        _text("agent track adapter"),
        _text("model_asked? prompt_sha256?"),
        _text("config"),  # JSON object
    ),
    # one row per invocation: an agent, a track, a product
    "call": _table(
        _text("agent track task_id"),
        _text("status"),  # ok, empty, refused, unparsable, truncated, transport_error
        _whole("attempt_count continuations listings_dropped listing_count"),
        _text("attempts citations"),  # JSON arrays
        _text("request_sha256? image_sha256? answer_text? model_served?"),
        _text("response?"),  # JSON: the provider's body
        _whole("input_tokens? output_tokens? searches?"),
        _fields(_COST, "cost?"),  # US dollars
        _text("cost_source?"),
        _time("started_at? ended_at?"),  # of the last attempt
        _fields(pa.float64(), "latency_s?"),
        _flag("is_latency_comparable"),
        _text("batch_id? batch_custom_id?"),
    ),
    # one row per listing that an agent claims
    "listing": _table(
        _text("listing_id agent track task_id"),
        _whole("rank"),
        _text("url url_canonical title? retailer? seller?"),
        _money("item_price? shipping_price? landed_price?"),  # as claimed
        _text("currency?"),
        _whole("pack_count?"),
        _text("condition? image_url? note? warnings"),  # warnings: JSON array
        _flag("in_stock?"),
    ),
    # one row per listing that a candidate was made of
    "finding": _table(_text("track candidate_id listing_id")),
    # one row per page that agents found for a product, in a track
    "candidate": _table(
        _text("track candidate_id task_id url_canonical"),
        _flag("is_self_match is_image_missing"),
        _text("title? title_source? image_sha256?"),
    ),
    # one row per seat of a panel
    "judge": _table(_text("track judge lab model"), _text("prompt_sha256?")),
    # one row per vote
    "vote": _table(
        _text("track candidate_id judge"),
        _text("verdict?"),  # valid, invalid; null: the vote is missing
        _text("error? reason? raw_output?"),
        _flag("is_repaired"),
        _whole("attempt_count? input_tokens? output_tokens?"),
        _fields(_COST, "cost?"),
        _time("voted_at?"),
    ),
    # one row per panel verdict as stated; ours is computed from the votes
    "verdict": _table(
        _text("track candidate_id verdict"),
        _whole("valid_count invalid_count missing_count"),
    ),
    # one row per verification of a candidate in a track
    "audit": _table(
        _text("track candidate_id"),
        # verified, rejected, temporarily_unverifiable or needs_human
        _text("status reason?"),
        _whole("http_status?"),
        _text("final_url? availability? condition?"),
        _money("price? shipping? fees? landed?"),
        _text("currency? shipping_source? seller_scope?"),
        _whole("pack_count?"),
        _money("claimed_price?"),
        _flag("is_price_mismatch?"),
        _time("checked_at?"),  # of its last check
    ),
    # one row per step of a verification
    "audit_check": _table(
        _text("track candidate_id"),
        _whole("seq"),  # place among the checks of the candidate, from 1
        _text("kind method outcome"),
        _text("value? evidence_sha256? detail?"),
        _time("checked_at?"),
    ),
    # one row per human ruling that stands
    "label": _table(
        _text("track candidate_id"),
        _whole("version"),  # of the label file
        _text("validity? status?"),  # null: not ruled on
        _money("price? shipping? fees?"),  # null: not corrected
        _text("currency?"),
        _whole("pack_count?"),
        _text("availability? condition? final_url?"),
        _flag("overturns_panel"),
        _text("reason_code? note? reviewer"),
        _time("labelled_at"),
        # drawn at random for review, with which chance; and a second opinion
        _flag("is_sampled"),
        _fields(pa.float64(), "inclusion_probability?"),
        _text("blind_validity? blind_status? blind_reviewer?"),
    ),
    # one row per human correction of a reference
    "ref_label": _table(
        _text("task_id"),
        _whole("version"),
        _money("price? shipping? fees?"),  # null: not corrected
        _whole("pack_count?"),
        _flag("is_fashion?"),
        _flag("is_void"),
        _text("void_reason? note? reviewer"),
        _time("labelled_at"),
    ),
    # one row per change of a label file, oldest first
    "label_change": _table(
        _text("track?"),  # null: a correction of a reference
        _text("record_id"),  # candidate or task
        _whole("seq"),  # place in the history, from 1
        _text("before? after?"),  # JSON objects; null: there was none, or removed
        _text("reviewer?"),
        _time("changed_at"),
    ),
    # one row per row of the shipping policy that the run was locked to
    "shipping_policy": _table(
        _text("row_id retailer domain? seller_scope"),
        _money("threshold? below_fee? at_or_above_fee? min_order?"),
        _fields(_PERCENT, "surcharge_pct?"),  # 5 means 5 %
        _text("zip_scope? category_scope?"),
        _fields(pa.date32(), "effective_from? effective_to?"),
        _text("source_url? checked_by? note?"),
        _fields(pa.date32(), "checked_at?"),
    ),
    # one row per image or page snapshot that stands in the folder
    "evidence": _table(
        _text("sha256 kind"),  # kind: image, html or json
        _whole("bytes"),
        _flag("is_named_by_content"),
    ),
}
