// The numbers themselves: a row for each place, some at a time, as cards where the screen is narrow.
const ROWS_AT_ONCE = 16;
const TABLE = {
  name: "numbers",
  fits: () => true,
  leading: () => [],
  make(plot, field, changed, group) {
    const axes = group.axes, size = group.fields[0].texts.length, unit = (i) => group.fields[0].strides[i] ?? 1;
    const row = () => axes.reduce((sum, axis, i) => sum + at[axis.id] * unit(i), 0);
    const go = (to) => {
      let rest = Math.max(0, Math.min(size - 1, to));
      for (const [i, axis] of axes.entries()) {
        move(axis, Math.floor(rest / unit(i)));
        rest %= unit(i);
      }
      changed();
    };
    const table = el("table", { id: "view", tabindex: 0 });
    const back = el("button", { type: "button", onclick: () => go(row() - ROWS_AT_ONCE) }), on = el("button", { type: "button", onclick: () => go(row() + ROWS_AT_ONCE) });
    const where = el("span");
    plot.replaceChildren(el("div", { class: "controls" }, back, on, where), table);
    table.addEventListener("keydown", (event) => {
      const to = { ArrowUp: row() - 1, ArrowDown: row() + 1, PageUp: row() - ROWS_AT_ONCE, PageDown: row() + ROWS_AT_ONCE, Home: 0, End: size - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
    return {
      draw() {
        const first = Math.floor(row() / ROWS_AT_ONCE) * ROWS_AT_ONCE, names = [...axes.map((axis) => nameOf(axis.name)), ...group.fields.map(fieldName)],
          told = [...axes, ...group.fields].map((named) => named.description);
        back.textContent = "← " + t("back");
        on.textContent = t("on") + " →";
        back.disabled = first === 0;
        on.disabled = first + ROWS_AT_ONCE >= size;
        where.textContent = size > ROWS_AT_ONCE ? t("here: {0}", axes.map((axis) => `${nameOf(axis.name)} ${axis.texts[at[axis.id]]}`).join(", ")) : "";
        table.replaceChildren(el("thead", {}, el("tr", {}, ...names.map((name, i) => el("th", { scope: "col", title: told[i] ? descriptionText(told[i]) : undefined }, name)))), el("tbody"));
        called(table, t("numbers of {0}", titleOf(group)));
        for (let i = first; i < Math.min(first + ROWS_AT_ONCE, size); ++i) {
          const places = axes.map((axis, a) => [axis.texts[Math.floor(i / unit(a)) % axis.count]]);
          const line = el("tr", { class: i === row() ? "current" : undefined, "aria-current": i === row() ? "true" : undefined, onclick: () => go(i) });
          for (const [c, parts] of [...places, ...group.fields.map((f) => cellOf(f, i))].entries()) {
            const cell = el("td", { "data-name": names[c], translate: "no" }, ...parts);
            if (breadth(cell.textContent) > 60) cell.className = "long";
            line.append(cell);
          }
          table.tBodies[0].append(line);
        }
        table.classList.remove("cards");
        table.classList.toggle("cards", table.scrollWidth > plot.clientWidth || names.length > 8 || plot.clientWidth < 30 * rem() && names.length > 3);
      },
    };
  },
};
