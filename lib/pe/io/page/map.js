// A heat map of the last two axes: a cell for each number, its place by hover, tap or arrow keys.
const MAP = {
  name: "map",
  fits: (field) => !field.words && field.over.length >= 2 && field.over.at(-2).count > 1,
  leading: (field) => field.over.slice(0, -2),
  make(plot, field, changed) {
    const [rows, columns] = field.over.slice(-2);
    const cell = el("div", { role: "gridcell" });
    const host = el("div", { tabindex: 0, role: "grid", id: "view", "aria-rowcount": rows.count, "aria-colcount": columns.count },
      el("div", { role: "row", class: "unseen" }, cell));
    plot.replaceChildren(host);
    const go = (row, column) => {
      move(rows, row);
      move(columns, column);
      changed();
    };
    host.addEventListener("keydown", (event) => {
      const row = at[rows.id], column = at[columns.id];
      const step = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
        PageUp: [row - 10, column], PageDown: [row + 10, column], Home: [event.ctrlKey ? 0 : row, 0],
        End: [event.ctrlKey ? rows.count - 1 : row, columns.count - 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      pinned = true;
      go(...step);
    });
    let box = { left: 0, top: 0, width: 1, height: 1 }, pinned = false;
    const cellUnder = (event) => {
      const frame = host.getBoundingClientRect();
      const x = (event.clientX - frame.left - box.left) / box.width, y = (event.clientY - frame.top - box.top) / box.height;
      return x < 0 || y < 0 || x >= 1 || y >= 1 ? null : [Math.floor(y * rows.count), Math.floor(x * columns.count)];
    };
    host.addEventListener("pointermove", (event) => {
      const under = pinned ? null : cellUnder(event);
      if (under) go(...under);
    });
    host.addEventListener("pointerdown", (event) => {
      const under = cellUnder(event);
      if (!under) return;
      pinned = !(pinned && under[0] === at[rows.id] && under[1] === at[columns.id]);
      go(...under);
    });
    const endless = field.texts[field.values.findIndex((v) => !Number.isFinite(v))];
    let painted = {};
    const drawing = {
      draw() {
        const size = room(plot), context = canvasFor(host, size.width, size.height);
        font(context);
        const line = 1.25 * rem();
        const left = Math.min(size.width * 0.4, Math.max(...[0, rows.count - 1, at[rows.id]].map((i) => context.measureText(rows.texts[i]).width)) + 0.5 * rem());
        box = { left, top: line, width: size.width - left - 2, height: size.height - 4 * line };
        const high = Math.min(box.height / rows.count, Math.max(box.width / columns.count, 1.2 * rem()) * 1.6);
        box.height = high * rows.count;
        const first = flat(field) - at[rows.id] * columns.count - at[columns.id], kind = `${first} ${isDark()}`;
        if (painted.kind !== kind) {
          const scale = scaleOf(field);
          painted = { kind, scale, image: cellsOf(field, first, rows.count, columns.count, scale) };
        }
        context.imageSmoothingEnabled = box.width < columns.count || box.height < rows.count;
        context.imageSmoothingQuality = "high";
        context.drawImage(painted.image, box.left, box.top, box.width, box.height);
        this.places(context, size, left, line);
        legend(context, box, box.top + box.height + line * 1.5, painted.scale, endless);
        const text = textAt(field, flat(field));
        cell.id = `cell-${at[rows.id]}-${at[columns.id]}`;
        cell.setAttribute("aria-rowindex", at[rows.id] + 1);
        cell.setAttribute("aria-colindex", at[columns.id] + 1);
        called(cell, `${nameOf(rows.name)} ${rows.texts[at[rows.id]]}, ${nameOf(columns.name)} ${columns.texts[at[columns.id]]}: ${fieldName(field)} ${text}`);
        host.setAttribute("aria-activedescendant", cell.id);
        called(host, t("map of {0} over {1} and {2}", fieldName(field), nameOf(rows.name), nameOf(columns.name)));
        drawing.shrunk = box.width < columns.count || box.height < rows.count;
        host.dataset.box = JSON.stringify(box);
      },
      // The cell is framed, and the first, the last and this one's coordinates stand at the edges.
      places(context, size, left, line) {
        const x = (i) => box.left + ((i + 0.5) * box.width) / columns.count, y = (i) => box.top + ((i + 0.5) * box.height) / rows.count;
        const column = at[columns.id], row = at[rows.id];
        const here = label(context, columns.texts[column], x(column), line / 2, { from: box.left, to: size.width, colour: ink("ink") });
        for (const [i, align] of [[0, "left"], [columns.count - 1, "right"]]) {
          if (i === column) continue;
          const wide = context.measureText(columns.texts[i]).width, from = align === "left" ? box.left : size.width - wide;
          if (from + wide + 6 < here.left || from > here.right + 6) label(context, columns.texts[i], from, line / 2, { align: "left" });
        }
        label(context, rows.texts[row], left - 6, y(row), { align: "right", to: left, colour: ink("ink") });
        for (const i of [0, rows.count - 1])
          if (Math.abs(y(i) - y(row)) > line * 0.8) label(context, rows.texts[i], left - 6, y(i), { align: "right", to: left });
        label(context, `${nameOf(rows.name)} ↓  ${nameOf(columns.name)} →`, box.left, box.top + box.height + 0.6 * line, { align: "left", to: size.width });
        const w = Math.max(box.width / columns.count, 3), h = Math.max(box.height / rows.count, 3);
        context.lineWidth = 3;
        context.strokeStyle = ink("paper");
        context.strokeRect(x(column) - w / 2, y(row) - h / 2, w, h);
        context.lineWidth = 1.5;
        context.strokeStyle = ink("ink");
        context.strokeRect(x(column) - w / 2, y(row) - h / 2, w, h);
      },
    };
    return drawing;
  },
};

// Colours of a map: from 0 both ways, both ends in the digits of the number that lies farthest from 0 and one that no value comes near left out; from the least
// to the greatest where all lie far from 0. Heads and what has a name are read each by itself; frames, rows and lengths of one thing beside one another.
function scaleOf(field) {
  const apart = field.over.slice(0, -2).map((axis, i) => [axis, field.strides[i]]).filter(([axis]) => axis.named || ["head", "batch"].includes(axis.name));
  const { least, most } = extremes(field.values, (i) => apart.every(([axis, stride]) => Math.floor(i / stride) % axis.count === at[axis.id]));
  const low = field.values[least] ?? 0, high = field.values[most] ?? 0, ends = [low, high].map(Math.abs).sort((a, b) => a - b);
  if (low * high > 0 && low < high && ends[0] > 0.5 * ends[1]) return { texts: [field.texts[least], field.texts[most]], share: (v) => (v - low) / (high - low), colour: apartColour };
  const top = ends[1] || 1, from = low < 0 ? -1 : 0, to = high > 0 || from === 0 ? 1 : 0, far = least < 0 ? "–" : field.texts[ends[1] === Math.abs(high) ? most : least].replace(/^-/, "");
  return { texts: [from < 0 ? "-" + far : "0", to > 0 ? far : "0"], share: (v) => (v / top - from) / (to - from), colour: (share) => divergingColour(from + (to - from) * share), both: from < 0 && to > 0 };
}

// A point for each cell; made once for each slice and theme.
function cellsOf(field, first, rows, columns, scale) {
  const image = new ImageData(columns, rows), nothing = nothingColour(), ramp = [];
  for (let i = 0; i <= 510; ++i) ramp.push(scale.colour(i / 510));
  for (let i = 0; i < rows * columns; ++i) {
    const share = scale.share(field.values[first + i]), [red, green, blue] = Number.isFinite(share) ? ramp[Math.round(share * 510)] : nothing;
    image.data[i * 4] = red;
    image.data[i * 4 + 1] = green;
    image.data[i * 4 + 2] = blue;
    image.data[i * 4 + 3] = 255;
  }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext("2d").putImageData(image, 0, 0);
  return small;
}

// Of what is no finite number: masked, or not there.
function nothingColour() {
  return isDark() ? [74, 78, 86] : [190, 192, 188];
}

// The colours of a map's scale between the numbers at its ends.
function legend(context, box, y, scale, endless) {
  const high = 0.55 * rem(), measure = (text) => context.measureText(text).width, [before, behind] = scale.texts.map((text) => measure(text) + 8);
  const wide = Math.max(rem(), Math.min(box.width * 0.5, 16 * rem(), canvasWidth(context) - box.left - before - behind)), start = box.left + before;
  for (let i = 0; i < wide; ++i) {
    context.fillStyle = `rgb(${scale.colour(i / wide).join(" ")})`;
    context.fillRect(start + i, y - high / 2, 1.5, high);
  }
  label(context, scale.texts[0], start - 8, y, { align: "right" });
  const end = label(context, scale.texts[1], start + wide + 8, y, { align: "left" });
  if (endless !== undefined) {
    const fits = end.right + rem() + high * 2.2 + measure(endless) < canvasWidth(context);
    const x = fits ? end.right + rem() : box.left, line = fits ? y : y + 1.1 * rem();
    context.fillStyle = `rgb(${nothingColour().join(" ")})`;
    context.fillRect(x, line - high / 2, high * 1.6, high);
    label(context, endless, x + high * 2.2, line, { align: "left" });
  }
  if (scale.both) label(context, "0", start + wide / 2, y + high * 1.6);
}
