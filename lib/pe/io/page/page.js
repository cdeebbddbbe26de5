// The page: its tabs, controls and words, and what is said of the place where the reader stands.
const VIEWS = [ROTORS, MAP, LINES, BARS, FIGURES, TABLE];  // the first that fits is shown first
const $ = (id) => document.getElementById(id);
const state = { group: 0, field: null, view: null, drawing: null };

function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem("pe-page-" + name, value);
    return localStorage.getItem("pe-page-" + name);
  } catch {
    return null;  // a browser that keeps nothing
  }
}

// A group's views, the one that shows most of it first; the field first chosen of it, and its title.
function viewsOf(group, field) {
  const quantity = quantityOf(group), across = field.over.at(-1) ?? field.axes.at(-1), all = VIEWS.filter((view) => view.fits(field, group));
  const fan = ["distance", "lag", "index"].includes(across?.name) || (across?.name !== "key" && field.axes.some((axis) => axis.named)) || CURVES.includes(quantity) || (parameter("quantity") && across?.name === "pair") || (field.whole && field.axes.length === 1);
  const best = FIGURES.fits(field, group) ? FIGURES : field.words || !field.finite || (across?.named && TABLES.includes(quantity)) ? TABLE : BARS.fits(field) && across.name !== "key" ? BARS : fan ? LINES : all[0];
  return all.toSorted((a, b) => (b === best) - (a === best));
}

const CURVES = ["scaling", "decay", "spectrum"], TABLES = ["plan", "probe"];  // rows of these are each of another sort
const FIRST = { similarity: "cosine", decay: "sum bias abel", scaling: "ratio", spectrum: "wavelength", buckets: "width pairs", context: "minimum", laws: "verdict", precision: "worst", published: "what" };
function quantityOf(group) {
  return group.prefix || parameter("quantity");
}

function firstField(group) {
  const wanted = (FIRST[quantityOf(group)] ?? "").split(" ").map((short) => group.fields.find((field) => field.short === short));
  const changes = (field) => field?.finite && field.values[extremes(field.values).least] !== field.values[extremes(field.values).most], drawable = group.fields.filter((field) => !field.words);
  return wanted.find((field) => field?.words || changes(field)) ?? (group.fields[0].texts.length > 1 ? drawable.find(changes) : undefined) ?? wanted.find((field) => field?.finite) ?? drawable.find(changes) ?? drawable.find((field) => field.finite) ?? group.fields[0];
}

function titleOf(group) {
  const own = group.fields.slice(0, 2).map((field) => fieldName(field)).join(", ") + (group.fields.length > 2 ? " …" : "");
  const quantity = group.prefix === "" ? "" : nameOf(group.prefix);
  const over = group.axes.map((axis) => nameOf(axis.name)).join(" × ");
  return quantity ? (GROUPS.filter((other) => other.prefix === group.prefix).length > 1 ? `${quantity} (${over})` : quantity) : over ? `${own} (${over})` : own;
}

function fillHeader() {
  const quantity = parameter("quantity"), chosen = [], usual = [];
  for (const [name, value, origin] of DATA.parameters)
    if (name !== "quantity" && !name.includes(".")) (origin === "default" ? usual : chosen).push(said(name, value, origin));
  const gloss = "encoding " + ABOUT.encoding, subject = nameOf(gloss) === gloss ? ABOUT.encoding : `${ABOUT.encoding} ${nameOf(gloss)}`.replace("all ", "");
  $("title").replaceChildren(quantity && subject ? t("{0} of {1}", nameOf(quantity), subject) : subject || t(quantity), " ", el("small", {}, `${ABOUT.tool} ${ABOUT.version}`));
  document.title = $("title").textContent;
  $("parameters").replaceChildren(...chosen, ...usual);
  $("command").replaceChildren(...unbroken(ABOUT.command));
  if (ABOUT.command.length > 300) $("command").tabIndex = 0;  // it has its own scroll bar
  $("copy").textContent = t("copy");
  called($("copy"), t("copy the command"));
  $("copied").textContent = "";
  $("warnings").replaceChildren(...(ABOUT.warnings ?? []).map(sentence));
  called($("warnings"), t("warnings"));
  $("language").textContent = language === "zh" ? "English" : "中文";
  $("language").setAttribute("lang", language === "zh" ? "en" : "zh");
  const theme = document.documentElement.dataset.theme, colours = t({ auto: "as the system", light: "light", dark: "dark" }[theme]);
  $("theme").textContent = { auto: "◐ ", light: "☀ ", dark: "☾ " }[theme] + colours;
  called($("theme"), t("colours: {0}", colours));
  called($("tabs"), t("what is shown"));
  $("about-word").textContent = t("where it comes from");
  const facts = ["encoding", "dialect", "accuracy", "source"].filter((name) => ABOUT[name]).map((name) => [el("dt", {}, nameOf(name)), descriptionOf(ABOUT[name])]);
  for (const [name, value, origin] of DATA.parameters) facts.push([el("dt", { translate: "no", lang: "en" }, name), el("span", { translate: "no", lang: "en" }, `${value} (${origin})`)]);
  $("facts").replaceChildren(...facts.flatMap(([term, text]) => [term, el("dd", {}, text)]));
  $("keys").textContent = t("Arrow keys move, Home and End jump, Tab goes on. Every number is as the tool wrote it; the page computes none.");
}

// A parameter: all of it where that is short, or as much as tells what it is, and the rest on demand.
function said(name, value, origin) {
  const about = { title: origin, translate: "no" }, start = value.slice(0, 24).replace(/[^,]*$/, "") || value.slice(0, 24);
  return value.length < 48 ? el("span", about, `${name} `, el("b", {}, value)) : el("details", about, el("summary", {}, `${name} `, el("b", {}, start + " …")), el("b", {}, value));
}

// What the tool says.
function sentence(text) {
  return el("li", {}, descriptionOf(text));
}

function fillTabs() {
  $("tabs").replaceChildren(...GROUPS.map((group, i) => el("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": "panel",
    "aria-selected": String(i === state.group), tabindex: i === state.group ? 0 : -1, onclick: () => open(i) }, titleOf(group))));
  $("panel").setAttribute("aria-labelledby", `tab-${state.group}`);
}

function fillControls() {
  const group = GROUPS[state.group], controls = [];
  const views = viewsOf(group, state.field);
  controls.push(el("div", { class: "group", role: "group", "aria-label": t("view") }, ...views.map((view) => el("button", { type: "button",
    "aria-pressed": String(view === state.view), id: `view-${view.name}`, onclick: () => show(state.field, view) }, t(view.name)))));
  const fields = group.fields.filter((field) => !field.silent || field === state.field);
  if (state.view !== TABLE && state.view !== ROTORS && state.view !== FIGURES && fields.length > 1) {
    const choice = el("select", { id: "field", onchange: () => show(fields[choice.selectedIndex], state.view) },
      ...fields.map((field) => el("option", { selected: field === state.field }, fieldName(field))));
    controls.push(el("label", {}, t("of") + " ", choice));
  }
  for (const axis of state.view.leading(state.field)) if (axis.count > 1) controls.push(slider(axis));
  if ((state.view === LINES || state.view === BARS) && state.field.values.some((v) => v > 0))
    controls.push(el("button", { type: "button", id: "log", "aria-pressed": String(state.drawing.logarithmic), onclick: () => {
      state.field.log = !state.drawing.logarithmic;
      show(state.field, state.view);
      $("log").focus();
    } }, t("log scale")));
  $("controls").replaceChildren(...controls);
}

function slider(axis) {
  const place = el("output", { class: "digits" }, axis.texts[at[axis.id]]);
  const input = el("input", { type: "range", min: 0, max: axis.count - 1, id: `axis-${axis.name}`, oninput: () => {
    move(axis, Number(input.value));
    refresh();
  } });
  input.value = at[axis.id];
  const label = el("label", {}, nameOf(axis.name) + " ", input, place);
  label.update = () => {
    input.value = at[axis.id];
    place.textContent = axis.texts[at[axis.id]];
    input.setAttribute("aria-valuetext", axis.texts[at[axis.id]]);
  };
  return label;
}

function open(i) {
  state.group = i;
  for (const tab of $("tabs").children) {
    const chosen = tab.id === `tab-${i}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  }
  $("panel").setAttribute("aria-labelledby", `tab-${i}`);
  const field = firstField(GROUPS[i]);
  show(field, viewsOf(GROUPS[i], field)[0]);
}

function show(field, view) {
  const group = GROUPS[state.group], views = viewsOf(group, field), held = document.activeElement?.id;
  state.drawing?.stop?.();
  state.field = field;
  state.view = views.includes(view) ? view : views[0];
  $("plot").replaceChildren();
  state.drawing = state.view.make($("plot"), field, refresh, group);
  fillControls();
  refresh();
  if (held && held !== document.activeElement?.id) $(held)?.focus();
}

function refresh() {
  style = {};
  for (const label of $("controls").querySelectorAll("label")) label.update?.();
  fillSide();
  state.drawing.draw();
  const unseen = state.drawing.shrunk ? t("The map is smaller than its cells: colours run together, the numbers do not.") : state.drawing.unseen;
  $("caption").lastChild.textContent = unseen ? " " + unseen : "";
}

function fillSide() {
  const group = GROUPS[state.group], field = state.field, here = field.axes.map((axis) => `${nameOf(axis.name)} ${axis.texts[at[axis.id]]}`);
  $("caption").replaceChildren(el("strong", {}, fieldName(field)), ": ", descriptionOf(field.description), field.words ? "" : ` · ${field.dtype}`,
    ...field.axes.filter((axis) => axis.description).map((axis) => el("span", { class: "axis" }, nameOf(axis.name), ": ", descriptionOf(axis.description))), el("span"));
  const rows = here.length ? [el("dt", { class: "where" }, here.join(" · "))] : [];
  const long = !field.words && field.texts.length > 0 && textAt(field, flat(field)).length > 12;  // then it has a line to itself
  $("readout").classList.toggle("long", long);
  const say = (other, main) => rows.push(el("dt", main ? { class: "main" } : { title: descriptionText(other.description) }, fieldName(other)),
    el("dd", { class: `${main ? "main" : ""} ${other.words ? "" : "number"}`, "data-field": other.name, translate: "no" }, ...cellOf(other, flat(other))));
  if (field.texts.length) {
    say(field, true);
    for (const other of group.fields) if (other !== field && !other.silent) say(other, false);
    for (const other of tellingFields(group)) say(other, false);
  }
  $("readout").replaceChildren(...rows);
  fillMatrix(group);
  const notes = (group.prefix === "" ? ABOUT.note ?? [] : (ABOUT.notes ?? []).filter((note) => note.startsWith(group.prefix + ": ")).map((note) => note.slice(group.prefix.length + 2)));
  const leftOut = group.prefix === "" ? (ABOUT.left_out ?? []).map((text) => el("li", {}, t("left out: "), ...sentence(text).childNodes)) : [];
  $("notes").replaceChildren(...notes.map(sentence), ...leftOut);
}

// M_k: the block that carries the pair at the first row to this row, in the tool's digits.
function fillMatrix(group) {
  const cos = FIELDS.find((field) => field.name === "shift.cos"), sin = FIELDS.find((field) => field.name === "shift.sin"), position = group.axes.find((axis) => axis.name === "position");
  const k = cos?.axes.find((axis) => axis.name === "k"), pairs = cos?.axes.find((axis) => axis.name === "pair");
  if (!sin || !k || group.prefix !== "" || !position || at[position.id] >= k.count || !group.axes.some((axis) => axis.name === "dim")) return $("matrix").replaceChildren();
  knownAxes(group);
  const c = textAt(cos, flat(cos)), s = textAt(sin, flat(sin)), first = textAt(partner({ fields: FIELDS.filter((f) => f.prefix === "shift") }, "first"), flat(cos));
  const second = textAt(FIELDS.find((field) => field.name === "shift.second"), flat(cos)), step = k.texts[at[k.id]];
  $("matrix").replaceChildren(
    el("p", {}, el("strong", {}, t("M{0} carries row {1} to row {2}", subscript(step), position.texts[0], position.texts[at[position.id]])), " ",
      t("its block for pair {0}, dims {1} and {2}:", pairs.texts[at[pairs.id]], first, second)),
    el("div", { class: "block digits", role: "math", "aria-label": `${c}, ${s}; ${negated(s)}, ${c}`, translate: "no" }, ...[c, s, negated(s), c].map((text) => el("span", {}, text))));
}

function subscript(text) {
  return [...text].map((c) => (c === "-" ? "₋" : String.fromCharCode(0x2080 + Number(c)))).join("");
}

function negated(text) {
  return text === "0" ? "0" : text.startsWith("-") ? text.slice(1) : "-" + text;
}

function everyWord() {
  document.documentElement.lang = language;
  fillHeader();
  fillTabs();
  show(state.field, state.view);
}

$("language").addEventListener("click", () => {
  language = language === "zh" ? "en" : "zh";
  kept("language", language);
  everyWord();
});
$("theme").addEventListener("click", () => {
  const next = { auto: "light", light: "dark", dark: "auto" }[document.documentElement.dataset.theme];
  document.documentElement.dataset.theme = next;
  kept("theme", next);
  everyWord();
});
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(ABOUT.command);
    $("copied").textContent = t("copied");
  } catch {
    getSelection().selectAllChildren($("command"));
    $("copied").textContent = document.execCommand("copy") ? t("copied") : t("selected: copy it yourself");
  }
});
$("tabs").addEventListener("keydown", (event) => {
  const last = GROUPS.length - 1;
  const to = { ArrowLeft: state.group - 1, ArrowRight: state.group + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  open(to < 0 ? last : to > last ? 0 : to);
  $(`tab-${state.group}`).focus();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => refresh());
new ResizeObserver(() => refresh()).observe($("plot"));

let language = kept("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en");
document.documentElement.dataset.theme = ["light", "dark"].includes(kept("theme")) ? kept("theme") : "auto";
document.documentElement.lang = language;
const START = { relative_position: "0", position: "3", dim: "4", query: "12", key: "7", rule: parameter("scaling") };
for (const axis of AXES) if (axis.index.has(START[axis.name])) move(axis, axis.index.get(START[axis.name]));
state.field = firstField(GROUPS[0]);
state.view = viewsOf(GROUPS[0], state.field)[0];
everyWord();
