// Showing the state. Text reaches the document as text only; whatever strangers wrote
// stands in <bdi>, so that marks of direction in it move nothing else.

const LONG = 300;
const TRACK_NAMES = { exact: "Exact", equiv: "Equivalent" };
const STATUS_NAMES = {
  verified: "verified", rejected: "rejected", needs_human: "needs a person",
  temporarily_unverifiable: "unverifiable",
};
const $ = (id) => document.getElementById(id);

/** Makes an element; strings become text, attributes are set as text. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

const fill = (id, ...children) => $(id).replaceChildren(...children);
const stranger = (text, attributes = {}) => el("bdi", attributes, String(text));

/** A text of any length: a very long one is folded behind its beginning. */
function longText(text) {
  const whole = text ?? "";
  if (whole.length <= LONG) return stranger(whole || "no title");
  return el(
    "details",
    { class: "long" },
    el("summary", {}, stranger(`${whole.slice(0, LONG)}…`),
      ` (all ${whole.length.toLocaleString("en")} characters)`),
    stranger(whole),
  );
}

function link(address, text = address) {
  const safe = safeAddress(address);
  if (!safe) return stranger(text ?? "none", { class: "address" });
  return el(
    "a",
    { href: safe, rel: "noopener noreferrer nofollow", target: "_blank", class: "address" },
    stranger(text),
  );
}

const localFile = (path, folder) =>
  typeof path === "string" && new RegExp(`^${folder}/[\\w.-]+$`).test(path) ? path : null;

function picture(record, what) {
  const path = localFile(record.image, "images");
  if (!path || record.image_missing)
    return el("div", { class: "picture none" }, "no picture kept");
  return el(
    "a",
    { class: "picture", href: path, target: "_blank", rel: "noopener" },
    el("img", { src: path, alt: `Picture of the ${what}`, decoding: "async" }),
  );
}

const dollars = (text) => (text == null ? "not known" : `$${text}`);

/** A value in force, and beside it what stood there before it was corrected. */
function value(inForce, before, show = (one) => one ?? "not known") {
  const span = el("span", { class: inForce == null ? "unknown" : null }, stranger(show(inForce)));
  if (before != null && inForce !== before)
    span.append(" ", el("span", { class: "was" }, "was ", stranger(show(before))));
  return span;
}

function terms(rows) {
  return el("dl", { class: "facts" },
    ...rows.filter(Boolean).flatMap(([name, shown]) => [el("dt", {}, name), el("dd", {}, shown)]));
}

const yesNo = (flag) => (flag == null ? "not known" : flag ? "yes" : "no");
const money = (one, other, name) => value(one?.[name], other?.[name], dollars);

function showReference(taskId) {
  const { reference, category, label } = state.tasks[taskId];
  const { in_force: force, recorded } = reference;
  const unit = reference.basis === "per_unit" ? "Cost per unit" : "Cost";
  fill("reference-head", "Reference ", el("span", { class: "quiet" }, `${taskId} · ${category ?? ""}`),
    label?.void ? el("span", { class: "tag bad" }, "void") : "");
  fill("reference-body",
    el("div", { class: "headline" }, picture(reference, "reference"),
      el("div", {}, el("h3", {}, longText(reference.title)), link(reference.url))),
    terms([
      ["Price", money(force, recorded, "price")],
      ["Shipping", money(force, recorded, "shipping")],
      ["Fees", money(force, recorded, "fees")],
      ["Pack", value(force.pack_count, recorded.pack_count)],
      ["Fashion", value(force.is_fashion, recorded.is_fashion, yesNo)],
      ["Landed", dollars(reference.landed)],
      [unit, el("strong", {}, dollars(reference.cost))],
    ]),
    ...openPoints(reference.open));
}

const openPoints = (points) =>
  points?.length
    ? [el("p", { class: "tag warn" }, `open: ${points.join(", ")}`)]
    : [];

function showCandidate(key) {
  const candidate = recordOf(key);
  const { in_force: force, audited } = candidate;
  fill("candidate-head", "Candidate ", el("span", { class: "quiet" }, idOf(key)),
    candidate.title_source === "agent"
      ? el("span", { class: "tag warn" }, "title as an agent wrote it") : "");
  const claim = audited.price_mismatch && audited.claimed_price
    ? el("p", { class: "tag warn" }, `claimed: ${dollars(audited.claimed_price)}`) : null;
  fill("candidate-body",
    el("div", { class: "headline" }, picture(candidate, "candidate"),
      el("div", {}, el("h3", {}, longText(candidate.title)),
        link(force.final_url ?? candidate.url))),
    terms([
      ["Price", money(force, audited, "price")],
      ["Shipping", money(force, audited, "shipping")],
      ["Fees", money(force, audited, "fees")],
      ["Pack", value(force.pack_count, audited.pack_count)],
      ["Stock", value(force.availability, audited.availability, words)],
      ["Condition", value(force.condition, audited.condition, words)],
      ["Currency", value(force.currency, audited.currency)],
      ["Checked", checked(audited)],
      isRuled(key) ? ["Counts as", `${words(candidate.validity)}, ${statusName(candidate.status)}`] : null,
    ]),
    ...(claim ? [claim] : []));
  showEvidence(candidate.evidence ?? []);
}

const words = (text) => String(text ?? "not known").replaceAll("_", " ");
const statusName = (status) => STATUS_NAMES[status] ?? words(status);

function checked(audited) {
  const reason = audited.reason ? ` (${words(audited.reason)})` : "";
  return stranger(`${statusName(audited.status)}${reason}`);
}

function showEvidence(checks) {
  fill("evidence-head", `Evidence: ${checks.length} ${checks.length === 1 ? "check" : "checks"}`);
  fill("evidence-rows", ...checks.map((check) => {
    const path = localFile(check.file, "evidence");
    const said = [check.value, check.detail].filter(Boolean).join(" · ");
    return el("li", {},
      el("span", { class: `outcome ${check.outcome}` }, check.outcome), " ",
      el("span", {}, check.kind), " ",
      el("span", { class: "said" }, stranger(said)), " ",
      el("span", { class: "quiet" }, [check.method, day(check.at)].filter(Boolean).join(", "), " "),
      path ? el("a", { href: path, target: "_blank", rel: "noopener" }, "page kept") : "");
  }));
}

const day = (time) => (time ? String(time).slice(0, 16).replace("T", " ") : "");

function showComparison(key) {
  const { comparison } = recordOf(key);
  const per = comparison.basis === "per_unit" ? "per unit" : "in total";
  fill("comparison-head", "Cost ", comparison.basis ? per : "");
  const rows = [["Base", ""], ["Prime", "prime_"]].map(([name, start]) => {
    const saving = comparison[`${start}saving`];
    return el("tr", {}, el("th", { scope: "row" }, name),
      el("td", {}, dollars(comparison[`${start}ref_cost`])),
      el("td", {}, dollars(comparison[`${start}cost`])),
      el("td", {}, savingText(saving)));
  });
  fill("comparison-rows", ...rows);
  const isStale = isFile() && changes > 0;
  $("comparison-note").hidden = !isStale;
  $("comparison-note").textContent =
    "As computed before your changes; loading the exported files computes it anew.";
}

function savingText(saving) {
  if (saving == null) return el("span", { class: "unknown" }, "not known");
  if (Number(saving) === 0) return "none";
  return saving.startsWith("-")
    ? el("span", { class: "dearer" }, `$${saving.slice(1)} dearer`)
    : el("span", { class: "cheaper" }, `$${saving} cheaper`);
}

// --- the list -------------------------------------------------------------------------

const MARKS = {
  valid: ["✓", "ruled valid"], invalid: ["✗", "ruled invalid"], partly: ["◐", "partly ruled"],
  typed: ["✎", "not saved yet"], conflict: ["!", "in conflict"], open: ["○", "open"],
  done: ["✓", "settled"], void: ["✗", "void"], corrected: ["✓", "corrected"],
};

function markOf(key) {
  if (drafts[key]?.conflict) return "conflict";
  if (key in drafts) return "typed";
  const part = storedPart(key);
  if (!isTask(key)) return part ? (part.ruling.validity ?? "partly") : "open";
  if (part) return part.void ? "void" : "corrected";
  return state.open_references.includes(idOf(key)) ? "open" : "done";
}

function showList() {
  const opened = new Map([...$("list").querySelectorAll("details")].map((one) => [one.id, one.open]));
  const at = document.activeElement?.dataset?.key;
  const made = groups().map((group) => listGroup(group, opened));
  fill("list", ...made);
  const current = $("list").querySelector("[aria-current]");
  // the list scrolls by itself; the page must not move
  if (current) keepInSight(current);
  if (at) $("list").querySelector(`[data-key="${CSS.escape(at)}"]`)?.focus({ preventScroll: true });
}

function keepInSight(row) {
  const list = $("list");
  if (list.scrollHeight <= list.clientHeight) return;
  const [box, spot] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (spot.top < box.top + 40) list.scrollTop -= box.top + 40 - spot.top;
  else if (spot.bottom > box.bottom - 40) list.scrollTop += spot.bottom - box.bottom + 40;
}

function listGroup({ title, keys, open }, opened) {
  const id = `group-${title.toLowerCase().replaceAll(/\W+/g, "-")}`;
  const isOpen = keys.includes(chosen) || (opened.get(id) ?? open);
  const left = keys.filter((key) => ["open", "partly", "typed", "conflict"].includes(markOf(key)));
  const count = left.length ? `${left.length} of ${keys.length} open` : `${keys.length}`;
  const rows = [];
  let task = null;
  for (const key of keys) {
    const own = isTask(key) ? null : recordOf(key).task_id;
    if (own && own !== task)
      rows.push(el("li", { class: "product" }, stranger(clipped(state.tasks[own].reference.title))));
    task = own;
    rows.push(el("li", {}, listButton(key)));
  }
  return el("details", { id, open: isOpen },
    el("summary", {}, el("h2", {}, title), " ", el("span", { class: "quiet" }, count)),
    el("ol", {}, ...rows));
}

const clipped = (text, length = 120) =>
  (text ?? "").length > length ? `${text.slice(0, length)}…` : (text ?? "");

function listButton(key) {
  const record = recordOf(key);
  const name = markOf(key);
  const [sign, meaning] = MARKS[name];
  const title = isTask(key) ? record.reference.title : record.title;
  const about = isTask(key) ? idOf(key) : [hostOf(record), record.comparison.cost ? `$${record.comparison.cost}` : "cost not known"].join(" · ");
  return el("button", {
    type: "button", "data-key": key, "aria-current": key === chosen ? "true" : null,
  },
  el("span", { class: `mark ${name}`, "aria-hidden": "true" }, sign),
  el("span", { class: "unseen" }, `${meaning}: `),
  el("span", { class: "item" }, stranger(clipped(title) || "no title"),
    el("span", { class: "quiet" }, stranger(clipped(about, 60)))));
}

function hostOf(candidate) {
  const safe = safeAddress(candidate.in_force?.final_url ?? candidate.url);
  return safe ? new URL(safe).hostname : "no address";
}
