// What is known and what is typed: the state the page was made with, drafts of rulings,
// and the rules that a ruling must keep. Nothing here touches the document.
// The files of this folder are joined into one script and share one scope.

const FIELDS = ["price", "shipping", "fees", "pack_count", "availability", "condition",
  "currency", "final_url"];
const MOST_UNITS = 1e9;
const REF_FIELDS = ["price", "shipping", "fees", "pack_count", "is_fashion"];
const NAMES = {
  price: "price", shipping: "shipping", fees: "fees", pack_count: "pack",
  availability: "stock", condition: "condition", currency: "currency",
  final_url: "final link", is_fashion: "fashion", validity: "product", status: "page",
  reviewer: "reviewer", reason_code: "reason", note: "note", void: "void", void_reason: "why void",
};
const UNBUYABLE = ["out", "not_now", "store_only"];
const AS_SOLD = { condition: "new", currency: "USD" };
const MONEY = new Set(["price", "shipping", "fees"]);

let state = JSON.parse(document.getElementById("state").textContent);
// key -> {label, base, held, refused, conflict, undoes}: what is typed and not stored yet;
// `base` is what was stored when the typing began
let drafts = {};
let undoStack = [];
let chosen = null; // key of what is shown

const isFile = () => state.mode === "file";
const candidateKey = (id) => `c:${id}`;
const taskKey = (id) => `t:${id}`;
const idOf = (key) => key.slice(2);
const isTask = (key) => key.startsWith("t:");
const recordOf = (key) => (isTask(key) ? state.tasks : state.candidates)[idOf(key)];
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const picked = (names, from) =>
  Object.fromEntries(names.map((name) => [name, from?.[name] ?? null]));

/** The part of a stored label that a person decides, or null where nothing is ruled. */
function ruledPart(key, stored) {
  if (!stored) return null;
  const label = isTask(key)
    ? {
        fields: picked(REF_FIELDS, stored.fields),
        void: stored.void === true,
        void_reason: stored.void_reason ?? null,
        note: stored.note ?? null,
      }
    : {
        ruling: picked(["validity", "status"], stored.ruling),
        fields: picked(FIELDS, stored.fields),
        reason_code: stored.reason_code ?? null,
        note: stored.note ?? null,
      };
  return saysNothing(label) ? null : label;
}

const storedPart = (key) => ruledPart(key, recordOf(key)?.label);

function blankLabel(key) {
  return isTask(key)
    ? { fields: picked(REF_FIELDS), void: false, void_reason: null, note: null }
    : {
        ruling: { validity: null, status: null },
        fields: picked(FIELDS),
        reason_code: null,
        note: null,
      };
}

/** What is ruled on an item, typed or stored; never null, so that a form can show it. */
const currentLabel = (key) =>
  structuredClone((key in drafts ? drafts[key].label : storedPart(key)) ?? blankLabel(key));

function saysNothing(label) {
  const parts = [label.ruling, label.fields].flatMap((part) => Object.values(part ?? {}));
  parts.push(label.reason_code ?? null, label.note ?? null, label.void_reason ?? null);
  return !label.void && parts.every((value) => value === null);
}

/** Changes the draft of an item; a change back to what is stored leaves no draft. */
function edit(key, change, held = false) {
  const label = currentLabel(key);
  change(label);
  putDraft(key, saysNothing(label) ? null : label, held);
}

function putDraft(key, label, held = false) {
  const base = key in drafts && !drafts[key].undoes ? drafts[key].base : storedPart(key);
  delete drafts[key];
  if (!same(label, storedPart(key))) drafts[key] = { label, base, held };
  keepDrafts();
}

function overturns(candidate, label) {
  const verdict = candidate.panel?.verdict;
  const validity = label?.ruling.validity ?? null;
  return validity !== null && ["valid", "invalid"].includes(verdict) && verdict !== validity;
}

/** Why a draft cannot be stored as it stands: {field, text}, or null. */
function problemOf(key) {
  const draft = drafts[key];
  if (!draft) return null;
  if (draft.refused) return draft.refused;
  if (draft.label === null) return reviewerProblem();
  const found = isTask(key)
    ? refProblem(draft.label)
    : rulingProblem(recordOf(key), draft.label);
  return fieldProblem(draft.label) ?? found ?? reviewerProblem();
}

const reviewerProblem = () =>
  reviewerName() ? null : { field: "reviewer", text: "Say who you are: fill in Reviewer." };

function fieldProblem(label) {
  for (const [field, value] of Object.entries(label.fields)) {
    if (value === null) continue;
    if (MONEY.has(field) && !/^\d{1,8}\.\d\d$/.test(value))
      return { field, text: `${NAMES[field]}: dollars and cents are wanted, such as 17.50.` };
    if (field === "pack_count" && !(Number.isInteger(value) && value > 0 && value <= MOST_UNITS))
      return { field, text: "pack: a whole number from 1 to a thousand million is wanted." };
    if (field === "currency" && !/^[A-Z]{3}$/.test(value))
      return { field, text: "currency: three capital letters are wanted, such as USD." };
    if (field === "final_url" && !safeAddress(value))
      return { field, text: "final link: an http or https address is wanted." };
  }
  return null;
}

function rulingProblem(candidate, label) {
  if (overturns(candidate, label) && !label.reason_code)
    return { field: "reason_code", text: "This overturns the panel: a reason is needed." };
  const code = state.reason_codes.find((one) => one.code === label.reason_code);
  if (code?.note_required && !label.note)
    return { field: "note", text: `${code.code} needs a note.` };
  return isFile() ? unverified(candidate, label) : null;
}

/** Why a page cannot be verified, ruled or as checked; a server says so itself. */
function unverified(candidate, label) {
  const isRuledSo = label.ruling.status === "verified";
  if ((label.ruling.status ?? candidate.audited.status) !== "verified") return null;
  const inForce = { ...candidate.audited, ...stated(label.fields) };
  const bad = UNBUYABLE.includes(inForce.availability) ? "availability"
    : ["condition", "currency"].find((field) => (inForce[field] ?? AS_SOLD[field]) !== AS_SOLD[field]);
  if (bad) {
    const text = `Verified does not go with ${NAMES[bad]} ${inForce[bad]}.`;
    return { field: isRuledSo ? bad : "status", text };
  }
  const needed = ["price", "shipping"];
  if (state.tasks[candidate.task_id].reference.basis === "per_unit") needed.push("pack_count");
  const missing = isRuledSo && needed.find((field) => inForce[field] == null);
  return missing ? { field: missing, text: `Verified needs a known ${NAMES[missing]}.` } : null;
}

const stated = (fields) =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== null));

function refProblem(label) {
  if (label.void && !label.void_reason)
    return { field: "void_reason", text: "A void product needs a reason." };
  return null;
}

const isRuled = (key) =>
  isTask(key) ? storedPart(key) !== null : storedPart(key)?.ruling.validity != null;

// what stood in the queue while this page is open keeps its place when it is ruled on
let work = [];

function keepWork() {
  const queue = state.queue.map(candidateKey);
  const standing = new Set([...queue, ...state.settled.map(candidateKey)]);
  work = work.filter((key) => standing.has(key));
  work.push(...queue.filter((key) => !work.includes(key)));
}

/** The lists of the page in their order; an item stands in the first that names it. */
function groups() {
  const tasks = Object.keys(state.tasks)
    .sort((one, other) => state.tasks[one].position - state.tasks[other].position)
    .map(taskKey);
  const open = ["Open references", state.open_references.map(taskKey), true];
  const named = [
    ["Queue", work, true],
    ["Retry", state.retry.map(candidateKey), true],
    ["Random sample", state.sample.map(candidateKey), true],
    open,
    ["Ruled earlier", state.settled.map(candidateKey), false],
    ["Optional", state.optional.map(candidateKey), false],
    ["Other references", tasks, false],
  ];
  const references = [open, ["Other references", tasks, true]];
  return withoutRepeats(state.phase === "references" ? references : named);
}

function withoutRepeats(named) {
  const seen = new Set();
  return named
    .map(([title, keys, open]) => {
      const own = keys.filter((key) => recordOf(key) && !seen.has(key));
      own.forEach((key) => seen.add(key));
      return { title, keys: own, open };
    })
    .filter((group) => group.keys.length > 0);
}

const shownKeys = () => groups().flatMap((group) => group.keys);

/** Items that still wait for somebody, in the order of the lists. */
function openKeys() {
  if (state.phase === "references") return state.open_references.map(taskKey);
  return [...new Set([...state.queue, ...state.sample])].map(candidateKey);
}

function progress() {
  if (state.phase === "references") {
    const all = Object.keys(state.tasks).length;
    return { done: all - state.open_references.length, all, verb: "settled" };
  }
  const done = state.settled.length;
  return { done, all: done + state.queue.length, verb: "ruled" };
}

function safeAddress(text) {
  try {
    const address = new URL(text);
    return ["http:", "https:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

const storage = {
  read(name, where = window.sessionStorage) {
    try {
      return where.getItem(`pricebench review ${name}`);
    } catch {
      return null; // a browser may refuse storage, above all to files
    }
  },
  write(name, text, where = window.sessionStorage) {
    try {
      where.setItem(`pricebench review ${name}`, text);
    } catch {
      // nothing is lost while the page is open
    }
  },
};

const place = () =>
  [state.run_id, state.phase, state.track, state.is_second ? "second" : "first"].join(" ");

function keepDrafts() {
  if (isFile()) return;
  storage.write(place(), JSON.stringify({ drafts, undoStack }));
}

/** Takes up what was typed before a reload. */
function recallDrafts() {
  if (isFile()) return;
  const kept = JSON.parse(storage.read(place()) ?? "{}");
  undoStack = kept.undoStack ?? [];
  for (const [key, draft] of Object.entries(kept.drafts ?? {}))
    if (recordOf(key) && !same(draft.label, storedPart(key)))
      drafts[key] = { label: draft.label, base: draft.base };
}

const reviewerName = () => document.getElementById("reviewer").value.trim();
