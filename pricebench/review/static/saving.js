// Storing what is typed: to the server, one change after the other, or into the label
// files that the page carries when it was opened as a file; undo, export and import.

const RETRY_MS = 2000;
const TYPING_MS = 900;
let isSaving = false;
let trouble = null; // why the server does not take anything at the moment
let retryTimer = 0;
let typingTimer = 0;
let exported = 0; // changes that stand in files of the reader's
let changes = 0;
let initial = null; // lists before any change, in file mode

/** Saves soon: at once after a choice, after a pause while somebody types. */
function saveSoon(held) {
  clearTimeout(typingTimer);
  if (held) typingTimer = setTimeout(releaseHeld, TYPING_MS);
  else saveDrafts();
}

function releaseHeld() {
  clearTimeout(typingTimer);
  for (const draft of Object.values(drafts)) draft.held = false;
  saveDrafts();
}

async function saveDrafts() {
  if (isSaving) return;
  isSaving = true;
  clearTimeout(retryTimer);
  try {
    for (let key = nextDraft(); key; key = nextDraft()) if (!(await saveOne(key))) break;
  } finally {
    isSaving = false;
    show();
  }
}

const nextDraft = () =>
  Object.keys(drafts).find(
    (key) => !drafts[key].held && !drafts[key].conflict && !problemOf(key),
  );

/** Stores one draft; false when it makes no sense to go on now. */
async function saveOne(key) {
  const draft = drafts[key];
  if (!same(draft.base, storedPart(key))) return meet(key);
  showSaving();
  const answer = isFile() ? storeHere(key, draft.label) : await post(key, draft.label);
  if (answer.status === 200) return stored(key, draft, answer.body);
  if (answer.status === 409) return refresh();
  // a server that is away or in trouble is asked again; a refusal stands until it is mended
  if (answer.status === 0 || answer.status >= 500) return troubled(answer);
  draft.refused = refusal(answer);
  keepDrafts();
  return true;
}

/** Another change of the same item came first: the same one, or one to choose from. */
function meet(key) {
  if (same(drafts[key].label, storedPart(key))) delete drafts[key];
  else drafts[key].conflict = true;
  keepDrafts();
  return true;
}

function stored(key, sent, body) {
  trouble = null;
  if (!sent.undoes) undoStack.push({ key, before: sent.base, after: sent.label });
  take(body.state);
  const now = drafts[key];
  if (now && same(now.label, storedPart(key))) delete drafts[key];
  // typed on while it was saved: that begins from what is stored now
  else if (now === sent) delete drafts[key];
  else if (now) now.base = storedPart(key);
  keepDrafts();
  return true;
}

const refusal = ({ status, body }) => ({
  field: body.field ?? "",
  text: body.error ?? `The server refuses this (${status}).`,
});

function troubled(answer) {
  const words = answer.body?.error ?? `the server answers ${answer.status}`;
  trouble = answer.status
    ? `Not saved: ${words}; trying again`
    : "Not saved: no server, trying again";
  retryTimer = setTimeout(saveDrafts, RETRY_MS);
  return false;
}

async function post(key, label) {
  const part = label && { ...label, reviewer: reviewerName() };
  const [address, body] = isTask(key)
    ? ["refs", { version: state.refs_version, task_id: idOf(key), ref: part }]
    : [`labels/${state.track}`, { version: state.version, candidate_id: idOf(key), label: part }];
  return ask(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    // who takes a label back, and whose state is wanted, is said beside it
    body: JSON.stringify({ ...body, track: state.track, reviewer: reviewerName() }),
  });
}

async function ask(address, options) {
  try {
    const answer = await fetch(`/${address}`, { ...options, cache: "no-store" });
    return { status: answer.status, body: await answer.json().catch(() => ({})) };
  } catch {
    return { status: 0, body: {} };
  }
}

/** Reads the state anew: after a conflict, and when somebody comes back to the page. */
async function refresh() {
  if (isFile()) return true;
  const answer = await ask(`state/${state.track}.json`, {});
  if (answer.status !== 200) return troubled(answer);
  take(answer.body);
  return true;
}

function take(next) {
  state = next;
  keepWork();
}

/** Settles a conflict: the stored label stays, or the typed one is put over it. */
function settle(key, keepMine) {
  const draft = drafts[key];
  if (!draft) return;
  if (keepMine) Object.assign(draft, { base: storedPart(key), conflict: false });
  else delete drafts[key];
  keepDrafts();
  saveDrafts();
}

/** Takes back the last change: what is typed on the shown item first. */
function undo() {
  if (chosen in drafts) {
    delete drafts[chosen];
    keepDrafts();
    show();
    return;
  }
  const last = undoStack.pop();
  if (!last) return;
  choose(last.key);
  const base = storedPart(last.key);
  // somebody changed it since: what undo would write is shown beside what they saved
  const conflict = !same(base, last.after) && !same(base, last.before);
  if (!same(base, last.before))
    drafts[last.key] = { label: last.before, base, undoes: true, conflict };
  keepDrafts();
  saveDrafts();
}

// --- opened as a file: the page keeps the label files itself --------------------------

const now = () => new Date().toISOString().replace(/\.\d+Z$/, "Z");
const artifactOf = (key) => (isTask(key) ? state.artifacts.refs : state.artifacts.labels);

/** What the server would store: the label with its marks, and a line of history. */
function storeHere(key, label) {
  const artifact = artifactOf(key);
  const [part, named] = isTask(key) ? ["refs", "task_id"] : ["labels", "candidate_id"];
  const id = idOf(key);
  const after = label && marked(key, label, artifact[part][id]);
  keepRecord(artifact, id, after, named);
  if (!isTask(key) && isShared(key)) shareRecord(state.artifacts.other, id, after);
  changes += 1;
  return { status: 200, body: { state: withLabel(key, after) } };
}

function keepRecord(artifact, id, after, named = "candidate_id") {
  const records = artifact.labels ?? artifact.refs;
  const before = records[id] ?? null;
  if (after) records[id] = after;
  else delete records[id];
  artifact.history.push({ at: now(), [named]: id, before, after, reviewer: reviewerName() });
  artifact.version += 1;
  artifact.updated_at = now();
}

/** Fields and status are those of the page, so they stand in both tracks. */
function shareRecord(artifact, id, label) {
  const before = artifact.labels[id] ?? null;
  const blank = blankLabel(candidateKey(id));
  const fields = label?.fields ?? blank.fields;
  const ruling = {
    validity: before?.ruling.validity ?? null,
    status: label?.ruling.status ?? null,
  };
  if (before && same(stated(before.fields), stated(fields))
    && (before.ruling.status ?? null) === ruling.status) return;
  const isOwn = before && (before.ruling.validity || before.note || before.sampled);
  if (!isOwn && !ruling.status && saysNothing({ fields })) {
    if (before) keepRecord(artifact, id, null);
    return;
  }
  const started = before ?? { ...blank, overturns_panel: false, reviewer: reviewerName() };
  keepRecord(artifact, id, { ...started, fields, ruling, at: now() });
}

/** The record as the server makes it: what a draw and a second opinion added stays. */
function marked(key, label, before) {
  const signed = { ...structuredClone(label), reviewer: reviewerName(), at: now() };
  if (isTask(key)) return signed;
  const overturned = overturns(recordOf(key), label);
  return { ...signed, overturns_panel: overturned, ...marksOf(recordOf(key), before) };
}

function marksOf({ sampled, inclusion_probability }, before) {
  const kept = ["sampled", "inclusion_probability", "blind"]
    .filter((name) => before && name in before)
    .map((name) => [name, before[name]]);
  const drawn = sampled ? { sampled, inclusion_probability } : {};
  return { ...Object.fromEntries(kept), ...drawn };
}

/** The state with a changed label: what it says is in force; costs stay as computed. */
function withLabel(key, label) {
  const next = { ...state };
  const [part, id] = [isTask(key) ? "tasks" : "candidates", idOf(key)];
  const record = { ...state[part][id], label };
  next[part] = { ...state[part], [id]: record };
  if (isTask(key)) record.reference = correctedReference(record.reference, label);
  else Object.assign(record, ruledCandidate(record, label));
  initial ??= picked(["queue", "optional", "sample", "settled", "open_references"], state);
  const isDone = (one) => isSettledHere(next.candidates[one]);
  for (const name of ["queue", "optional"])
    next[name] = initial[name].filter((one) => !isDone(one));
  next.optional.push(...initial.settled.filter((one) => !isDone(one)));
  next.sample = initial.sample.filter((one) => !next.candidates[one].label?.ruling.validity);
  next.settled = Object.keys(next.candidates).filter(isDone);
  next.open_references = initial.open_references.filter((one) => !next.tasks[one].label);
  return next;
}

const correctedReference = (reference, label) =>
  ({ ...reference, in_force: { ...reference.recorded, ...stated(label?.fields) } });

const ruledCandidate = ({ audited, panel }, label) => ({
  in_force: { ...audited, ...stated(label?.fields) },
  validity: label?.ruling.validity ?? panel.verdict,
  status: label?.ruling.status ?? audited.status,
});

function isSettledHere({ label, status }) {
  const { validity, status: ruled } = label?.ruling ?? {};
  if (validity === "invalid" || ruled === "rejected") return true;
  return validity === "valid" && (Boolean(ruled) || ["verified", "rejected"].includes(status));
}

/** Files to export: name -> text, as the server would write them. */
function exports() {
  const second = state.is_second ? "verify_second" : "verify_labels";
  const files = {};
  if (state.phase !== "references")
    files[`${second}_${state.track}.json`] = state.artifacts.labels;
  const other = state.tracks.find((track) => track !== state.track);
  if (state.artifacts.other) files[`${second}_${other}.json`] = state.artifacts.other;
  if (!state.is_second) files["verify_labels_refs.json"] = state.artifacts.refs;
  return Object.fromEntries(
    Object.entries(files).map(([name, body]) => [name, artifactText(body)]),
  );
}

/** JSON as the artifacts are written: sorted keys, two spaces, a newline at the end. */
function artifactText(body) {
  const sorted = (value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]))
      : Array.isArray(value) ? value.map(sorted) : value;
  return `${JSON.stringify(sorted(body), null, 2)}\n`;
}

/** Reads label files in the place of those the page carries; returns what it did. */
function importText(name, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return `${name} is no JSON: choose an exported label file.`;
  }
  const isOther = state.tracks.some((track) => track !== state.track && name.includes(`_${track}`));
  if (isOther) return importOther(name, body);
  const own = body.refs ? state.artifacts.refs : state.artifacts.labels;
  if (!(body.refs ?? body.labels) || body.schema !== own.schema)
    return `${name} is no label file: choose verify_labels_${state.track}.json.`;
  if (body.run_id !== state.run_id)
    return `${name} belongs to run ${body.run_id}, this page to ${state.run_id}.`;
  const part = body.refs ? "refs" : "labels";
  const known = body.refs ? state.tasks : state.candidates;
  const strange = Object.keys(body[part]).find((id) => !known[id] && !own[part][id]);
  if (strange) return `${name} rules on ${strange}, which this track does not hold.`;
  state.artifacts = { ...state.artifacts, [part]: body };
  for (const id of Object.keys(known))
    state = withLabel(body.refs ? taskKey(id) : candidateKey(id), body[part][id] ?? null);
  drafts = {};
  undoStack = [];
  keepWork();
  return `${name}: ${Object.keys(body[part]).length} read.`;
}

/** The other track's rulings are not shown here, only kept up with this track's. */
function importOther(name, body) {
  if (!state.artifacts.other || body.run_id !== state.run_id || !body.labels)
    return `${name} is no label file of the other track of this run.`;
  state.artifacts = { ...state.artifacts, other: body };
  return `${name}: kept for the other track.`;
}
