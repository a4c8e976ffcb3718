// The two forms: the ruling on a candidate and the correction of a reference. They stand
// in the document from the start and are filled, so that nobody loses their place in one.

const radios = (name) => [...$("ruling").querySelectorAll(`input[name="${name}"]`)];

function setValue(control, text) {
  // what somebody types in at this moment is theirs
  if (document.activeElement === control && isTyping(control)) return;
  if (control.value !== text) control.value = text;
}

const isTyping = (control) =>
  control.matches("textarea, input:not([type=radio]):not([type=checkbox]):not([type=file])");

const fieldsOf = (form) => [...$(form).querySelectorAll("[data-field]")];

function options(control, named) {
  const made = named.map(([value, text]) => el("option", { value }, text));
  control.replaceChildren(...made);
}

/** What a form lists is known when the page opens. */
function prepareForms() {
  const codes = state.reason_codes.filter((one) => one.tracks.includes(state.track));
  options($("reason"), [["", "none"], ...codes.map(({ code, meaning }) =>
    [code, `${code.split("_")[0]} ${meaning}`])]);
  for (const field of ["availability", "condition"])
    options($(`field-${field}`), [["", "as checked"],
      ...state.choices[field].map((one) => [one, words(one)])]);
  $("validity-legend").textContent =
    state.track === "exact" ? "Is it the same product?" : "Is it equivalent?";
}

function showRuling(key) {
  const candidate = recordOf(key);
  const label = currentLabel(key);
  for (const name of ["validity", "status"])
    for (const radio of radios(name)) radio.checked = radio.value === (label.ruling[name] ?? "");
  $("status-hint").textContent = `As checked: ${statusName(candidate.audited.status)}`
    + (isShared(key) ? ". Page and corrections stand in the other track too." : "");
  setValue($("reason"), label.reason_code ?? "");
  setValue($("note"), label.note ?? "");
  showFields("ruling", label.fields, candidate.in_force);
  const wants = overturns(candidate, label);
  $("reason-need").textContent = wants ? "needed: overturns the panel" : "";
  showPanel(candidate, label, key);
  showProblem("problem", key);
  fill("ruled-by", ...signature(candidate.label));
  $("clear").disabled = !candidate.label && !(key in drafts);
}

const isShared = (key) => state.tracks.length > 1 && (state.shared ?? []).includes(idOf(key));

function signature(label) {
  return label ? ["Ruled by ", stranger(label.reviewer ?? "?"), `, ${day(label.at)}`] : [];
}

function showFields(form, fields, inForce) {
  for (const control of fieldsOf(form)) {
    const value = fields[control.dataset.field];
    setValue(control, value === null ? "" : String(value));
    if (control.matches("input")) {
      const known = inForce?.[control.dataset.field];
      control.placeholder = known == null ? "not known" : clipped(String(known), 80);
    }
  }
}

let panelShown = false;

/** The panel's verdict is hidden until somebody ruled, unless they ask for it. */
function showPanel(candidate, label, key) {
  const isOpen = panelShown || isRuled(key) || overturns(candidate, label);
  $("panel-toggle").setAttribute("aria-expanded", String(isOpen));
  $("panel-toggle").firstChild.textContent = `${isOpen ? "Hide" : "Show"} the panel's verdict `;
  $("panel-toggle").hidden = isRuled(key) || overturns(candidate, label);
  $("panel-body").hidden = !isOpen;
  fill("panel-body", ...(isOpen ? panelText(candidate.panel) : []));
}

function panelText(panel) {
  if (!panel || !panel.verdict) return [el("p", {}, "No panel has seen it.")];
  const missing = panel.n_missing ? `, ${panel.n_missing} missing` : "";
  return [
    el("p", {}, "Panel: ", el("strong", {}, words(panel.verdict)),
      ` (${panel.n_valid} valid, ${panel.n_invalid} invalid${missing})`),
    el("ul", {}, ...(panel.votes ?? []).map((vote) =>
      el("li", {}, `${words(vote.verdict ?? "missing")}: `, stranger(vote.reason ?? "")))),
  ];
}

function showRefForm(key) {
  const task = recordOf(key);
  const label = currentLabel(key);
  const { fields } = label;
  showFields("ref-form",
    { ...fields, is_fashion: fields.is_fashion === null ? null : String(fields.is_fashion) },
    task.reference.in_force);
  $("ref-void").checked = label.void;
  $("ref-void_reason-box").hidden = !label.void && label.void_reason === null;
  setValue($("ref-void_reason"), label.void_reason ?? "");
  setValue($("ref-note"), label.note ?? "");
  showProblem("ref-problem", key);
  fill("ref-by", ...signature(task.label));
  $("ref-clear").disabled = !task.label && !(key in drafts);
}

const CONTROLS = { reason_code: "reason", note: "note", reviewer: "reviewer" };

/** Says beside the form what keeps a draft from being stored, and marks the control. */
function showProblem(id, key) {
  const found = problemOf(key);
  const isRef = id === "ref-problem";
  const form = isRef ? "ref-form" : "ruling";
  for (const control of $(form).querySelectorAll("[aria-invalid]"))
    control.removeAttribute("aria-invalid");
  $("reviewer").removeAttribute("aria-invalid");
  const text = found ? found.text : "";
  if ($(id).textContent !== text) $(id).textContent = text;
  $(id).hidden = !found;
  if (!found) return;
  const name = isRef ? `ref-${found.field}` : (CONTROLS[found.field] ?? `field-${found.field}`);
  $(found.field === "reviewer" ? "reviewer" : name)?.setAttribute("aria-invalid", "true");
}

// --- from the form into a draft -------------------------------------------------------

const trimmed = (control) => control.value.trim() || null;

/** A field as it is stored: dollars with two places, a whole number, or plain text. */
function fieldValue(name, text) {
  const plain = text.trim();
  if (!plain) return null;
  if (MONEY.has(name)) return dollarsAndCents(plain);
  if (name === "pack_count") return /^\d+$/.test(plain) ? Number(plain) : plain;
  if (name === "is_fashion") return plain === "true";
  return name === "currency" ? plain.toUpperCase() : plain;
}

function dollarsAndCents(text) {
  const found = /^\$?\s*(\d+)(?:\.(\d{0,2}))?$/.exec(text);
  return found ? `${found[1]}.${(found[2] ?? "").padEnd(2, "0")}` : text;
}

function change(key, how, held = false) {
  edit(key, how, held);
  show();
  saveSoon(held);
}

function listenToRuling() {
  const now = (how, held) => !isTask(chosen) && change(chosen, how, held);
  for (const name of ["validity", "status"])
    for (const radio of radios(name))
      radio.addEventListener("change", () => rule(name, radio.value || null));
  $("reason").addEventListener("change", () =>
    now((label) => (label.reason_code = trimmed($("reason")))));
  $("note").addEventListener("input", () =>
    now((label) => (label.note = trimmed($("note"))), true));
  listenToFields("ruling", now);
  $("ruling").addEventListener("submit", (event) => event.preventDefault());
  $("clear").addEventListener("click", () => clearItem(chosen));
}

function listenToFields(form, now) {
  for (const control of fieldsOf(form)) {
    const name = control.dataset.field;
    const take = (held) =>
      now((label) => (label.fields[name] = fieldValue(name, control.value)), held);
    if (control.matches("select")) control.addEventListener("change", () => take(false));
    else control.addEventListener("input", () => take(true));
  }
  $(form).addEventListener("change", releaseHeld);
  // a field that is left shows what is stored, "5" as 5.00
  $(form).addEventListener("focusout", () => setTimeout(show));
}

function listenToRefForm() {
  const key = () => taskKey(shownTask());
  const now = (how, held) => change(key(), how, held);
  listenToFields("ref-form", now);
  $("ref-void").addEventListener("change", () =>
    now((label) => (label.void = $("ref-void").checked)));
  for (const name of ["void_reason", "note"])
    $(`ref-${name}`).addEventListener("input", () =>
      now((label) => (label[name] = trimmed($(`ref-${name}`))), true));
  $("ref-form").addEventListener("submit", (event) => event.preventDefault());
  $("ref-clear").addEventListener("click", () => clearItem(key()));
}

function clearItem(key) {
  putDraft(key, null);
  show();
  saveDrafts();
}

/** Rules on the shown candidate, from a control or from a key. */
function rule(name, value) {
  if (isTask(chosen)) return;
  change(chosen, (label) => (label.ruling[name] = value));
}
