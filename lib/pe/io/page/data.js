// What the tool wrote: axes, fields and groups of fields. Every number stays the text that it came as; numbers are for drawing alone.
const DATA = JSON.parse(document.getElementById("data").textContent);
const ABOUT = DATA.provenance;

function numberOf(text) {
  return text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
}

function textsOf(list) {
  return list === "" ? [] : list.split(",");
}

const AXES = DATA.axes.map((axis, id) => {
  const texts = axis.labels ?? textsOf(axis.places);
  return { id, name: axis.name, description: axis.description, texts, named: Boolean(axis.labels), count: texts.length,
    numbers: texts.map((text, i) => (axis.labels ? i : numberOf(text))), index: new Map(texts.map((text, i) => [text, i])) };
});

const FIELDS = DATA.fields.map((field) => {
  const dot = field.name.indexOf(".");
  const axes = field.axes.map((id) => AXES[id]);
  const strides = axes.map((_, i) => axes.slice(i + 1).reduce((product, axis) => product * axis.count, 1));
  const texts = textsOf(field.values);
  const over = axes.slice(0, axes.findLastIndex((axis) => axis.count > 1) + 1);  // what is drawn: a last axis of one place is no direction
  return { ...field, axes, over, strides, texts, prefix: dot < 0 ? "" : field.name.slice(0, dot), short: field.name.slice(dot + 1),
    values: Float64Array.from(texts, numberOf), whole: /^i/.test(field.dtype) };
});
for (const field of FIELDS) {
  field.finite = field.values.some(Number.isFinite);
  field.silent = !field.words && field.texts.every((text) => text === "nan");  // nothing is known of it here
}

// Fields that stand over the same axes belong together: one tab for each group.
const GROUPS = [];
for (const field of FIELDS) {
  const key = JSON.stringify([field.prefix, field.axes.map((axis) => axis.id)]);
  let group = GROUPS.find((known) => known.key === key);
  if (!group) GROUPS.push((group = { key, prefix: field.prefix, axes: field.axes, fields: [] }));
  group.fields.push(field);
}

// Where the reader stands along each axis.
const at = AXES.map(() => 0);

// Whether a position lies as far from position 0 as its number says: it is no cell of a grid, and no token that stands elsewhere along an axis.
const ON_A_LINE = !FIELDS.some((field) => field.prefix === "" && (field.axes.some((axis) => ["frame", "row", "column"].includes(axis.name)) ||
  (field.short === "coordinate" && field.texts.some((text, i) => text !== field.axes[0].texts[Math.floor(i / field.strides[0])]))));

// Axes on which one place means the same: of the same name, or a distance from position 0.
const FROM_ZERO = ["position", "distance", "lag"];
function linked(a, b) {
  return a.name === b.name || (ON_A_LINE && FROM_ZERO.includes(a.name) && FROM_ZERO.includes(b.name));
}

// M_k stands for each row in turn: k is counted from the first row on.
function ofRow(a, b) {
  return a.name === "position" && b.name === "k" && FIELDS.some((field) => field.prefix === "shift" && field.axes.includes(b));
}

function move(axis, i) {
  at[axis.id] = Math.max(0, Math.min(axis.count - 1, i));
  const text = axis.texts[at[axis.id]];
  for (const other of AXES) {
    if (other === axis) continue;
    const there = ofRow(axis, other) || ofRow(other, axis) ? at[axis.id] : linked(axis, other) ? other.index.get(text) : undefined;
    if (there !== undefined && there < other.count) at[other.id] = there;
  }
}

function flat(field) {
  return field.axes.reduce((sum, axis, i) => sum + at[axis.id] * field.strides[i], 0);
}

// The text of one element, as the tool wrote it.
function textAt(field, i) {
  const text = field.texts[i];
  return field.words ? wordText(field.words[Number(text)] ?? "–") : text ?? "–";
}

// The same as a child of an element; words that have no Chinese are marked as English.
function cellOf(field, i) {
  const word = field.words?.[Number(field.texts[i])];
  const is_english = language === "zh" && word !== undefined && /[A-Za-z]{2}/.test(word) && wordText(word) === word;
  return word === undefined ? [textAt(field, i)] : is_english ? [el("span", { lang: "en" }, ...unbroken(word))] : unbroken(textAt(field, i));
}

// The axes whose place is known where the reader stands in a group, through links and through fields that name a place on another axis.
function knownAxes(group) {
  const known = new Set(group.axes);
  for (const axis of group.axes)
    for (const other of AXES)
      if (other.texts[at[other.id]] === axis.texts[at[axis.id]] ? linked(axis, other) : ofRow(axis, other) && at[axis.id] < other.count) known.add(other);
  for (const field of FIELDS) {
    if (field.words || !field.axes.length || !field.axes.every((axis) => known.has(axis))) continue;
    const text = textAt(field, flat(field));
    for (const axis of AXES)
      if (axis.name === field.short && !known.has(axis) && axis.index.has(text)) {
        at[axis.id] = axis.index.get(text);
        known.add(axis);
      }
  }
  return known;
}

// What else is worth saying of a place, beside the group's own fields.
const TELLING = ["angle", "function", "pair", "wavelength", "inv_freq", "turns", "turns_trained", "slope", "bucket", "first", "last", "width", "side",
  "sum", "query_scale", "key_scale", "coordinate"];

function tellingFields(group) {
  const known = knownAxes(group), said = new Set(group.fields.map((field) => field.short)), found = [];
  for (const field of FIELDS) {
    const tells = TELLING.includes(field.short) && field.prefix !== "shift" && field.prefix !== "scaling";
    if (!tells || said.has(field.short) || !field.axes.length || !field.axes.every((axis) => known.has(axis))) continue;
    said.add(field.short);
    if (textAt(field, flat(field)) !== "nan") found.push(field);
  }
  return found;
}

// A parameter's value as the tool wrote it, or nothing.
function parameter(name) {
  return DATA.parameters.find((entry) => entry[0] === name)?.[1];
}

// Of what a quantity was told: on a page of several quantities each has its own.
function parameterOf(field, name) {
  return parameter(field.prefix ? `${field.prefix}.${name}` : name);
}

// Where the least and greatest values stand: of the finite ones, or of all that are numbers.
function extremes(values, use = () => true, counts = Number.isFinite) {
  let least = -1, most = -1;
  for (let i = 0; i < values.length; ++i) {
    if (!counts(values[i]) || !use(i)) continue;
    if (least < 0 || values[i] < values[least]) least = i;
    if (most < 0 || values[i] > values[most]) most = i;
  }
  return { least, most };
}
