// The page at work: what is shown, moving from one item to the next, keys, dialogs.

function shownTask() {
  return isTask(chosen) ? idOf(chosen) : recordOf(chosen)?.task_id;
}

function choose(key) {
  if (!recordOf(key)) return;
  releaseHeld();
  if (key !== chosen) panelShown = false;
  chosen = key;
  history.replaceState(null, "", `#${idOf(key)}`);
  show();
  const { top } = $("place").getBoundingClientRect();
  if (top < 0 || top > window.innerHeight) $("place").scrollIntoView();
}

function show() {
  showBar();
  showList();
  const isEmpty = chosen === null;
  for (const id of ["reference", "candidate", "comparison", "evidence", "ruling"])
    $(id).hidden = isEmpty;
  if (isEmpty) {
    $("place").textContent = "Nothing to rule on.";
    return;
  }
  showPlace();
  showReference(shownTask());
  showRefForm(taskKey(shownTask()));
  $("correct").hidden = state.is_second;
  if (isTask(chosen)) $("correct").open = true;
  for (const id of ["candidate", "comparison", "evidence", "ruling"])
    $(id).hidden = isTask(chosen);
  document.body.classList.toggle("alone", isTask(chosen));
  if (!isTask(chosen)) {
    showCandidate(chosen);
    showComparison(chosen);
    showRuling(chosen);
  }
  showConflict();
}

function showPlace() {
  const group = groups().find((one) => one.keys.includes(chosen));
  const number = group ? group.keys.indexOf(chosen) + 1 : 0;
  const text = group ? `${group.title}: ${number} of ${group.keys.length}` : "";
  if ($("place").textContent !== text) $("place").textContent = text;
}

function showBar() {
  const { done, all, verb } = progress();
  $("progress").max = Math.max(all, 1);
  $("progress").value = all ? done : 1;
  $("count").textContent = `${done} of ${all} ${verb}`;
  $("undo").disabled = !(chosen in drafts) && undoStack.length === 0;
  showSaving();
}

function showSaving() {
  const [kind, text] = savingState();
  const line = $("saving");
  line.dataset.kind = kind;
  if (line.textContent !== text) line.textContent = text;
}

function savingState() {
  const keys = Object.keys(drafts);
  if (keys.some((key) => drafts[key].conflict)) return ["conflict", "Conflict: choose one"];
  if (trouble) return ["trouble", trouble];
  const blocked = keys.find((key) => problemOf(key));
  if (blocked) return ["blocked", `Not saved: see ${NAMES[problemOf(blocked).field] ?? "why"}`];
  if (isFile()) return inMemory();
  if (isSaving || keys.length) return ["saving", "Saving…"];
  return ["saved", undoStack.length ? "All saved" : "Nothing changed yet"];
}

function inMemory() {
  const left = changes - exported;
  if (changes === 0) return ["saved", "A file: export to keep changes"];
  return left === 0
    ? ["saved", "All exported"]
    : ["memory", `${left} ${left === 1 ? "change" : "changes"} in memory: export to keep`];
}

// --- conflict -------------------------------------------------------------------------

function conflictKey() {
  const here = [chosen, taskKey(shownTask())];
  return here.find((key) => drafts[key]?.conflict);
}

function showConflict() {
  const key = conflictKey();
  const wasHidden = $("conflict").hidden;
  $("conflict").hidden = !key;
  if (!key) return;
  fill("theirs-by", recordOf(key).label?.reviewer ?? "somebody");
  fill("theirs", ...labelTerms(storedPart(key)));
  fill("mine", ...labelTerms(drafts[key].label));
  if (wasHidden) $("conflict").scrollIntoView({ block: "nearest" });
}

function labelTerms(label) {
  if (!label) return [el("dt", {}, "Ruling"), el("dd", {}, "none")];
  const { ruling, fields, ...rest } = label;
  return Object.entries({ ...ruling, ...rest, ...fields })
    .filter(([, value]) => value !== null && value !== false)
    .flatMap(([name, value]) => [el("dt", {}, NAMES[name]), el("dd", {}, stranger(value))]);
}

// --- moving ---------------------------------------------------------------------------

function step(by) {
  const keys = shownKeys();
  const at = keys.indexOf(chosen) + by;
  if (at >= 0 && at < keys.length) choose(keys[at]);
}

/** Goes on to the next item that waits, from here to the end and round again. */
function nextOpen() {
  const keys = shownKeys();
  const at = keys.indexOf(chosen);
  const waiting = new Set(openKeys().filter((key) => !(key in drafts) || drafts[key].conflict));
  const found = [...keys.slice(at + 1), ...keys.slice(0, at)].find((key) => waiting.has(key));
  if (found) choose(found);
}

const KEYS = {
  j: () => step(1), ArrowDown: () => step(1), ArrowRight: () => step(1),
  k: () => step(-1), ArrowUp: () => step(-1), ArrowLeft: () => step(-1),
  o: nextOpen, u: undo, p: togglePanel,
  v: () => rule("validity", "valid"), i: () => rule("validity", "invalid"),
  1: () => rule("status", "verified"), 2: () => rule("status", "rejected"),
  3: () => rule("status", "temporarily_unverifiable"),
  r: () => go("reason"), n: () => go("note"), "?": () => $("help").showModal(),
};

function go(id) {
  if (!isTask(chosen)) $(id).focus();
  else if (id === "note") $("ref-note").focus();
}

function togglePanel() {
  panelShown = !panelShown;
  show();
}

function onKey(event) {
  const at = event.target;
  if (event.key === "Escape" && at.matches?.("input, select, textarea")) at.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!$("keys-on").checked || document.querySelector("dialog[open]")) return;
  if (at.matches?.("select") || isTyping(at)) return;
  // arrows move within a group of buttons, and scroll what is focused
  if (event.key.startsWith("Arrow") && at.matches?.("input, summary, #list *, a")) return;
  const act = chosen && KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// --- export and import ----------------------------------------------------------------

function openExport() {
  releaseHeld();
  const rows = Object.entries(exports()).map(([name, text]) => {
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    return el("li", {}, el("a", { href, download: name }, name));
  });
  fill("export-files", ...rows);
  $("exporting").showModal();
}

function onExported(event) {
  if (!event.target.matches("a")) return;
  exported = changes;
  showSaving();
}

async function importFiles() {
  const said = [];
  for (const file of $("import-files").files) said.push(importText(file.name, await file.text()));
  $("import-files").value = "";
  if (!recordOf(chosen)) chosen = firstKey();
  show();
  $("place").textContent = said.join(" ");
}

// --- beginning ------------------------------------------------------------------------

function firstKey() {
  const hash = decodeURIComponent(location.hash.slice(1));
  const keys = shownKeys();
  return keys.find((key) => idOf(key) === hash) ?? openKeys()[0] ?? keys[0] ?? null;
}

function showHead() {
  $("run").textContent = state.run_id;
  $("second").hidden = !state.is_second;
  const isReferences = state.phase === "references";
  const links = state.tracks.map((track) =>
    el("a", { href: `verify_${track}.html`, "aria-current": track === state.track ? "page" : null },
      TRACK_NAMES[track] ?? track));
  fill("tracks", ...(isReferences ? [el("span", {}, "References of both tracks")] : links));
  $("criteria-title").textContent = state.criteria.title;
  fill("criteria-text", ...state.criteria.text.map((line) => el("li", {}, line)));
  $("about").textContent = `Protocol ${state.protocol}. Labels of version ${state.version}.`;
  $("import-open").hidden = !isFile();
}

function remember(control, name, read, write) {
  const kept = storage.read(name, window.localStorage);
  if (kept !== null) write(kept);
  control.addEventListener("input", () => storage.write(name, read(), window.localStorage));
}

function listen() {
  listenToRuling();
  listenToRefForm();
  remember($("reviewer"), "reviewer", reviewerName, (text) => ($("reviewer").value = text));
  remember($("keys-on"), "keys", () => String($("keys-on").checked),
    (text) => ($("keys-on").checked = text === "true"));
  $("reviewer").addEventListener("change", () => { show(); saveDrafts(); });
  const clicks = {
    undo, previous: () => step(-1), next: () => step(1), "next-open": nextOpen,
    "panel-toggle": togglePanel, "help-open": () => $("help").showModal(),
    "export-open": openExport, "import-open": () => $("import-files").click(),
    "keep-theirs": () => settle(conflictKey(), false),
    "keep-mine": () => settle(conflictKey(), true),
  };
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
  $("list").addEventListener("click", (event) => {
    const row = event.target.closest("button[data-key]");
    if (row) choose(row.dataset.key);
  });
  $("import-files").addEventListener("change", importFiles);
  $("export-files").addEventListener("click", onExported);
  document.addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", onReturn);
  window.addEventListener("online", saveDrafts);
  window.addEventListener("beforeunload", (event) => {
    if (isFile() && changes > exported) event.preventDefault();
  });
}

/** Somebody comes back to the page: another tab or track may have saved meanwhile. */
async function onReturn() {
  if (document.visibilityState !== "visible" || isFile() || isSaving) return;
  if (await refresh()) trouble = null;
  show();
}

function begin() {
  keepWork();
  prepareForms();
  showHead();
  recallDrafts();
  listen();
  // a narrow screen shows the work first
  if (window.matchMedia("(max-width: 60rem)").matches) $("criteria").open = false;
  chosen = firstKey();
  show();
  if (!reviewerName()) $("reviewer").focus();
  saveDrafts();
}

begin();
