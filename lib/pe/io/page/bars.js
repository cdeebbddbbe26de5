// Bars from zero, one for each name along the last axis, each beside its number.
const BARS = {
  name: "bars",
  fits: (field) => !field.words && field.axes.at(-1)?.count > 1 && (field.axes.at(-1).named || field.axes.at(-1).name === "head") && field.finite,
  leading: (field) => field.axes.slice(0, -1),
  make(plot, field, changed) {
    const names = field.axes.at(-1), head = el("p", { class: "notes bars-head" });
    const rows = names.texts.map((text, i) => el("div", { class: "bar", onclick: () => go(i) }, el("span", { translate: "no" }, text),
      el("span", { class: "digits", translate: "no" }), el("div", {}, el("i"))));
    const host = el("div", { tabindex: 0, role: "slider", id: "view", "aria-valuemin": 0, "aria-valuemax": names.count - 1 }, ...rows);
    const go = (i) => {
      move(names, i);
      changed();
    };
    host.addEventListener("keydown", (event) => {
      const i = at[names.id], to = { ArrowUp: i - 1, ArrowLeft: i - 1, ArrowDown: i + 1, ArrowRight: i + 1, Home: 0, End: names.count - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
    plot.replaceChildren(head, host);
    return {
      get logarithmic() {
        return logarithmic(field);
      },
      draw() {
        const here = at[names.id], first = flat(field) - here, shown = names.texts.map((_, i) => field.values[first + i]);
        const log = logarithmic(field), scale = log ? Math.log10 : (v) => v, ends = shown.map(scale).filter(Number.isFinite);
        this.unseen = untold(field, new Set([0]), first);
        const low = log ? Math.ceil(Math.min(...ends)) - 1 : Math.min(0, ...ends), zero = log ? low : 0, wide = Math.max(zero, ...ends) - low || 1;
        head.textContent = `${nameOf(names.name)} ↓  ${fieldName(field)} →${log ? " " + t("log scale") : ""}`;
        for (const [i, row] of rows.entries()) {
          const v = scale(shown[i]), end = Number.isFinite(v) ? v : zero, bar = row.querySelector("i");
          row.classList.toggle("current", i === here);
          row.children[1].textContent = textAt(field, first + i);
          bar.style.marginLeft = `${((Math.min(end, zero) - low) / wide) * 100}%`;
          bar.style.width = `${(Math.abs(end - zero) / wide) * 100}%`;
        }
        called(host, t("bars of {0} over {1}", fieldName(field), nameOf(names.name)));
        host.setAttribute("aria-valuenow", here);
        host.setAttribute("aria-valuetext", `${nameOf(names.name)} ${names.texts[here]}: ${fieldName(field)} ${textAt(field, first + here)}`);
      },
    };
  },
};

// Of a single place: each column with its number and what it is.
const FIGURES = {
  name: "figures",
  fits: (field, group) => group.fields[0].texts.length === 1,
  leading: () => [],
  make(plot, field, changed, group) {
    const list = el("dl", { id: "view", tabindex: 0, class: "figures" });
    plot.replaceChildren(list);
    return {
      draw() {
        called(list, t("numbers of {0}", titleOf(group)));
        list.replaceChildren(...group.fields.map((each) => el("div", {}, el("dt", {}, fieldName(each)), el("dd", {}, el("b", { translate: "no" }, ...cellOf(each, 0)), descriptionOf(each.description)))));
      },
    };
  },
};
