// Curves over the last axis, one for each place on the axis before it; whole numbers are drawn as stairs.
const LINES = {
  name: "lines",
  fits: (field) => !field.words && field.over.length >= 1,
  leading: (field) => field.over.slice(0, -2),
  make(plot, field, changed) {
    const across = field.over.at(-1), lines = field.over.at(-2), count = lines?.count ?? 1;
    const host = el("div", { tabindex: 0, role: "slider", id: "view", "aria-valuemin": 0, "aria-valuemax": across.count - 1 });
    const key = el("div", { class: "lines-key", role: "group" });
    plot.replaceChildren(host, key);
    const named = count <= 24, shown = lines ? (lines.shown ??= new Set(lines.texts.keys())) : new Set([0]);
    const line = () => (lines ? at[lines.id] : 0);
    const go = (x, which = line()) => {
      move(across, x);
      if (lines) move(lines, which);
      changed();
    };
    const next = (step) => {
      const all = [...shown].sort((a, b) => a - b), here = all.indexOf(line());
      return all[Math.max(0, Math.min(all.length - 1, here + step))] ?? line();
    };
    host.addEventListener("keydown", (event) => {
      const x = at[across.id];
      const step = { ArrowLeft: [x - 1], ArrowRight: [x + 1], PageDown: [x + 10], PageUp: [x - 10], Home: [0], End: [across.count - 1],
        ArrowUp: [x, next(-1)], ArrowDown: [x, next(1)] }[event.key];
      if (!step) return;
      event.preventDefault();
      go(...step);
    });
    let frame = null;
    const seek = (event) => {
      if (!frame) return;
      const edge = host.getBoundingClientRect(), x = event.clientX - edge.left, y = event.clientY - edge.top;
      let nearest = 0;
      for (let i = 1; i < across.count; ++i) if (Math.abs(frame.x(i) - x) < Math.abs(frame.x(nearest) - x)) nearest = i;
      let which = line(), apart = Infinity;
      for (const l of shown) {
        const off = Math.abs(frame.y(field.values[frame.first + l * across.count + nearest]) - y);
        if (off < apart) [which, apart] = [l, off];
      }
      go(nearest, which);
    };
    host.addEventListener("pointermove", seek);
    host.addEventListener("pointerdown", seek);
    const buttons = !lines || !named || count === 1 ? [] : lines.texts.map((text, l) => el("button", { type: "button", onclick: () => {
      if (!shown.delete(l)) shown.add(l);
      if (!shown.size) shown.add(l);
      if (!shown.has(line())) move(lines, next(0));
      changed();
    } }, el("span", { class: "swatch" }), text));
    key.replaceChildren(...buttons);
    return {
      get logarithmic() {
        return logarithmic(field);
      },
      draw() {
        called(key, lines ? nameOf(lines.name) : "");
        for (const [l, button] of buttons.entries()) {
          button.setAttribute("aria-pressed", shown.has(l));
          button.firstChild.style.background = lineColour(l, count);
        }
        this.unseen = untold(field, shown, flat(field) - at[across.id] - line() * across.count);
        const size = room(plot);
        size.height = Math.max(14 * rem(), size.height - key.offsetHeight - rem());
        const context = canvasFor(host, size.width, size.height);
        frame = frameOf(context, field, size, shown, line());
        drawCurves(context, field, frame, shown, line());
        drawHere(context, field, frame, line());
        const text = textAt(field, flat(field));
        called(host, t("curve of {0} over {1}", fieldName(field), nameOf(across.name)));
        host.setAttribute("aria-valuenow", at[across.id]);
        host.setAttribute("aria-valuetext", `${lines ? `${nameOf(lines.name)} ${lines.texts[line()]}, ` : ""}${nameOf(across.name)} ${across.texts[at[across.id]]}: ${fieldName(field)} ${text}`);
      },
    };
  },
};

// Logarithmic where nobody said otherwise and values above 0 span more than three decades, none below.
function logarithmic(field) {
  if (field.log !== undefined) return field.log;
  const { least, most } = extremes(field.values), above = field.values[least] === 0 && !field.whole && !SHARES.includes(field.short) ? extremes(field.values, (i) => field.values[i] > 0).least : least;
  return above >= 0 && field.values[least] >= 0 && field.values[most] / field.values[above] > 1000;
}

const SHARES = ["weight", "without", "probability", "attention"];  // parts of 1: what is next to nothing of it is nothing

// What a logarithmic scale leaves out of the curves that are shown, as a sentence; "" where it draws all of them.
function untold(field, shown, first) {
  if (!logarithmic(field)) return "";
  const across = field.over.at(-1), lines = field.over.at(-2), none = [], some = [];
  for (const l of shown) {
    const values = field.values.subarray(first + l * across.count, first + (l + 1) * across.count), name = lines ? lines.texts[l] : fieldName(field);
    const lost = values.filter((v) => v <= 0).length, told = values.filter((v) => v > 0).length;
    if (lost) (told ? some : none).push(name);
  }
  const few = (names) => names.slice(0, 6).join(", ") + (names.length > 6 ? " …" : "");
  return [none.length && t("A log scale shows what is above 0 alone: nothing of {0}.", few(none)), some.length && t("A log scale shows what is above 0 alone: some of {0} is not drawn.", few(some))].filter(Boolean).join(" ");
}

// Lengths beside wavelengths: what each subject that is shown was trained on, and what was asked for, where they were said.
function marks(field, shown) {
  const all = [], subjects = field.axes.find((axis) => axis.name === "subject"), each = subjects && subjects === field.over.at(-2);
  for (const name of field.short === "wavelength" ? ["trained", "wanted"] : [])
    for (const l of each ? shown : [subjects ? at[subjects.id] : 0]) {
      const text = subjects ? parameter(`${subjects.texts[l]}.${name}`) : parameterOf(field, name), same = all.find((mark) => mark.text === text && (mark.name === name || mark.of.includes(l)));
      if (same) same.of.push(l);
      else if (Number.isFinite(Number(text))) all.push({ name, text, of: [l] });
    }
  for (const mark of all) {
    const of = new Set(mark.of), some = each && of.size < subjects.count;
    mark.word = `${t(mark.name)} ${mark.text}` + (some ? ` (${[...of].map((l) => subjects.texts[l]).join(", ")})` : "");
    mark.colour = some && of.size === 1 ? lineColour(mark.of[0], subjects.count) : ink("warn");
  }
  return all;
}

// Where values stand: from the least to the greatest of the curves that are shown, and zero where that is near. The ends are those of all numbers, drawn or not.
function frameOf(context, field, size, shown, line) {
  const across = field.over.at(-1), lines = field.over.at(-2), log = logarithmic(field);
  const first = flat(field) - at[across.id] - (lines ? line * across.count : 0);
  const isShown = (i) => i >= first && i < first + (lines?.count ?? 1) * across.count && shown.has(Math.floor((i - first) / across.count));
  const { least, most } = extremes(field.values, (i) => isShown(i) && (!log || field.values[i] > 0)), ends = extremes(field.values, isShown, (v) => !Number.isNaN(v));
  const scale = log ? Math.log10 : (v) => v;
  const lengths = marks(field, shown), reference = lengths.map((mark) => scale(Number(mark.text)));
  let low = Math.min(...reference, scale(field.values[least] ?? (log ? 1 : 0))), high = Math.max(...reference, scale(field.values[most] ?? 1));
  if (!log && low > 0 && low < high * 0.5) low = 0;
  if (!log && high < 0 && high > low * 0.5) high = 0;
  if (low === high) [low, high] = [low - 1, high + 1];
  font(context);
  const named = lines && lines.count > 1 && shown.size <= 16 && size.width > 34 * rem();
  const right = named ? Math.min(11 * rem(), Math.max(...[...shown].map((l) => context.measureText(lines.texts[l]).width)) + rem()) : 0.6 * rem();
  const box = { left: 0.4 * rem(), top: 2.4 * rem(), width: size.width - 0.4 * rem() - right, height: size.height - 4.9 * rem() };
  const numbers = across.numbers, uneven = !across.named && numbers.length > 2 && numbers[0] > 0 && numbers.at(-1) / numbers[0] > 100 &&
    (numbers[1] - numbers[0]) * 8 < numbers.at(-1) - numbers.at(-2);
  const along = (v) => (uneven ? Math.log(v) : v), start = along(numbers[0]), end = along(numbers.at(-1));
  const x = (i) => box.left + (end === start ? 0.5 : (along(numbers[i]) - start) / (end - start)) * box.width;
  const y = (v) => {
    const s = scale(v);
    return Number.isFinite(s) ? box.top + box.height - ((s - low) / (high - low)) * box.height : NaN;
  };
  return { first, least, most, ends, box, x, y, named, log, low, high, size, lengths };
}

function drawCurves(context, field, frame, shown, current) {
  const across = field.over.at(-1), lines = field.over.at(-2), count = lines?.count ?? 1, { box, size } = frame;
  context.lineWidth = 1;
  context.strokeStyle = ink("rule");
  if (!frame.log && frame.low <= 0 && frame.high >= 0) {
    context.beginPath();
    context.moveTo(box.left, frame.y(0));
    context.lineTo(box.left + box.width, frame.y(0));
    context.stroke();
  }
  const order = [...shown].filter((l) => l !== current).concat(shown.has(current) ? [current] : []);
  for (const l of order) {
    context.strokeStyle = l === current && count > 16 ? ink("accent") : lineColour(l, count);
    context.lineWidth = l === current ? 3 : count > 16 ? 1 : 1.6;
    context.setLineDash(l > 7 && count <= 16 ? [5, 3] : []);
    curve(context, field, frame, frame.first + l * across.count, across.count);
  }
  context.setLineDash([]);
  if (frame.named) {
    const high = 1.05 * rem(), floor = box.top + box.height + high;
    const ends = order.map((l) => [l, lastPlace(field, frame, l, across.count)]).filter(([, y]) => Number.isFinite(y)).sort((a, b) => a[1] - b[1]);
    for (let i = 1; i < ends.length; ++i) ends[i][1] = Math.max(ends[i][1], ends[i - 1][1] + high);
    for (let i = ends.length; i-- > 0;) ends[i][1] = Math.min(ends[i][1], (ends[i + 1]?.[1] ?? floor) - high);
    for (const [l, place] of ends) {
      label(context, lines.texts[l], box.left + box.width + 0.4 * rem(), place, { align: "left", to: size.width, cut: true, colour: l === current ? ink("ink") : lineColour(l, count) });
    }
  }
  font(context);
  const text = (i) => (i >= 0 ? field.texts[i] : "–"), { ends } = frame;
  const end = (word, drawn, all, other) => t(word, text(all)) + (all >= 0 && drawn >= 0 && field.values[all] !== field.values[drawn] ? ", " + t(other, text(drawn)) : "");
  const head = `${fieldName(field)} ↑ ${frame.log ? t("log scale") + ", " : ""}`, greatest = end("greatest {0}", frame.most, ends.most, "drawn up to {0}");
  const one = context.measureText(head + greatest).width < size.width - box.left;
  label(context, one ? head + greatest : head, box.left, 0.7 * rem(), { align: "left", to: size.width });
  if (!one) label(context, greatest, box.left, 1.7 * rem(), { align: "left", to: size.width });
  label(context, end("least {0}", frame.least, ends.least, "drawn down to {0}"), box.left, box.top + box.height + 0.9 * rem(), { align: "left", to: size.width });
  context.setLineDash([6, 4]);
  let under = Infinity;  // the word below, from which the next one keeps away
  for (const { word, text, colour } of frame.lengths.toSorted((a, b) => a.text - b.text)) {
    const y = frame.y(Number(text));
    context.strokeStyle = colour;
    context.lineWidth = 1.2;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    label(context, word, box.left + 4, (under = Math.min(y - 0.6 * rem(), under - rem())), { align: "left", colour });
  }
  context.setLineDash([]);
}

function curve(context, field, frame, from, count) {
  context.beginPath();
  let pen = false, before = 0;
  for (let i = 0; i < count; ++i) {
    const y = frame.y(field.values[from + i]);
    if (Number.isNaN(y)) {
      pen = false;
      continue;
    }
    if (pen && field.whole) context.lineTo(frame.x(i), before);
    if (pen) context.lineTo(frame.x(i), y);
    else context.moveTo(frame.x(i), y);
    pen = true;
    before = y;
  }
  context.stroke();
  context.fillStyle = context.strokeStyle;
  for (let i = 0; i < count; ++i) {
    const endless = edgeOf(field.values[from + i], frame);
    if (endless === undefined) continue;
    const x = frame.x(i), way = field.values[from + i] > 0 ? 5 : -5;
    context.beginPath();
    for (const [dx, dy] of [[-4, way], [4, way], [0, -way]]) context.lineTo(x + dx, endless + dy);
    context.fill();
  }
  for (let i = 0; i < count; ++i) {
    const has = (j) => j >= 0 && j < count && !Number.isNaN(frame.y(field.values[from + j]));
    if (!has(i) || (count > 32 && (has(i - 1) || has(i + 1)))) continue;  // few points, and those between gaps
    context.beginPath();
    context.arc(frame.x(i), frame.y(field.values[from + i]), 2.5, 0, 7);
    context.fill();
  }
}

// The edge beyond which an infinite value lies, where it is beyond one.
function edgeOf(value, frame) {
  return value === Infinity ? frame.box.top : value === -Infinity && !frame.log ? frame.box.top + frame.box.height : undefined;
}

function lastPlace(field, frame, line, count) {
  for (let i = count; i-- > 0;) {
    const v = field.values[frame.first + line * count + i], y = edgeOf(v, frame) ?? frame.y(v);
    if (!Number.isNaN(y)) return y;
  }
  return NaN;
}

// The place of the reader: a line across, a dot on the curve, and its coordinate below.
function drawHere(context, field, frame, line) {
  const across = field.over.at(-1), i = at[across.id], { box, size } = frame, x = frame.x(i);
  const v = field.values[frame.first + line * across.count + i], y = edgeOf(v, frame) ?? frame.y(v), under = box.top + box.height + 2 * rem();
  context.strokeStyle = ink("soft");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, box.top);
  context.lineTo(x, box.top + box.height);
  context.stroke();
  if (!Number.isNaN(y)) {
    context.fillStyle = ink("ink");
    context.beginPath();
    context.arc(x, y, 4, 0, 7);
    context.fill();
  }
  const here = label(context, `${nameOf(across.name)} ${across.texts[i]}`, x, under, { to: size.width, colour: ink("ink") });
  for (const [end, align, edge] of [[0, "left", box.left], [across.count - 1, "right", box.left + box.width]]) {
    const wide = context.measureText(across.texts[end]).width, from = align === "left" ? edge : edge - wide;
    if (from + wide + 8 < here.left || from > here.right + 8) label(context, across.texts[end], from, under, { align: "left" });
  }
}
