// A clock for each pair: its hand stands at (cos, sin), as the tool wrote them, and turns as the position moves on.
const ROTORS = {
  name: "rotors",
  fits: (field, group) => ["cos", "sin"].includes(field.short) && partner(group, "cos") && partner(group, "sin") && field.axes.length >= 2 && field.prefix !== "shift",
  leading: (field) => field.axes.slice(0, -1),
  make(plot, field, changed, group) {
    const pairs = field.axes.at(-1), cos = partner(group, "cos"), sin = partner(group, "sin"), walk = field.axes.at(-2);
    const host = el("div", { tabindex: 0, role: "slider", id: "view", "aria-valuemin": 0, "aria-valuemax": pairs.count - 1 });
    const play = el("button", { type: "button", id: "play" });
    const speed = el("input", { type: "range", min: 1, max: 30, value: 6, id: "speed" }), speedWord = el("label", {}, el("span"), speed);
    const strip = el("div", { class: "strip" });
    plot.replaceChildren(el("div", { class: "controls" }, play, speedWord), host, strip);
    const score = FIELDS.find((other) => other.prefix === "decay" && other.short === "sum" && other.axes.length === 1 && linked(other.axes[0], walk));
    let columns = 1, side = 1, timer = 0, longest = 0;
    for (let i = 0; i < cos.values.length; ++i) longest = Math.max(longest, Math.hypot(cos.values[i], sin.values[i]) || 0);
    longest ||= 1;
    // The sum has the scales of pairs, which turns shown here have not, and no attention factor, which they have.
    const factored = Math.abs(longest - 1) > ({ bf16: 8e-3, f16: 1e-3, f64: 1e-9 }[field.dtype] ?? 1e-6), bound = FIELDS.find((other) => other.name === "decay.triangle");
    const scaled = bound?.values.some((v) => Math.abs(v - bound.values[0]) > 1e-9 * bound.values[0]);
    const show = (pair) => {
      move(pairs, pair);
      changed();
    };
    host.addEventListener("keydown", (event) => {
      const pair = at[pairs.id], step = at[walk.id];
      if (event.key === " ") play.click();
      else if (event.key === "ArrowRight" || event.key === "ArrowLeft") move(walk, step + (event.key === "ArrowRight" ? 1 : -1));
      else if (event.key === "Home" || event.key === "End") move(walk, event.key === "Home" ? 0 : walk.count - 1);
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(pairs, pair + (event.key === "ArrowDown" ? 1 : -1));
      else return;
      event.preventDefault();
      changed();
    });
    const pick = (event) => {
      const edge = host.getBoundingClientRect();
      const pair = Math.floor((event.clientY - edge.top) / side) * columns + Math.floor((event.clientX - edge.left) / side);
      if (pair >= 0 && pair < pairs.count) show(pair);
    };
    host.addEventListener("pointermove", pick);
    host.addEventListener("pointerdown", pick);
    const stop = () => {
      clearTimeout(timer);
      timer = 0;
      words();
    };
    const tick = () => {
      move(walk, (at[walk.id] + 1) % walk.count);
      changed();
      timer = setTimeout(tick, 1000 / (STILL.matches ? 1 : Number(speed.value)));
    };
    play.addEventListener("click", () => (timer ? stop() : tick()));
    const words = () => {
      play.textContent = timer ? "❚❚ " + t("pause") : "▶ " + t("play");
      speedWord.firstChild.textContent = t("speed") + " ";
      called(speed, t("positions per second"));
    };
    return {
      stop,
      draw() {
        words();
        const size = room(plot), under = score ? 8 * rem() : 0, height = Math.max(10 * rem(), size.height - under - 3.6 * rem());
        columns = 1;
        while (size.width / columns > height / Math.ceil(pairs.count / columns)) ++columns;
        side = Math.min(size.width / columns, height / Math.ceil(pairs.count / columns), 9 * rem());
        columns = Math.max(1, Math.min(columns, Math.floor(size.width / side)));
        const context = canvasFor(host, size.width, Math.ceil(pairs.count / columns) * side + 2);
        const first = flat(cos) - at[pairs.id];
        for (let pair = 0; pair < pairs.count; ++pair)
          rotor(context, (pair % columns + 0.5) * side, (Math.floor(pair / columns) + 0.5) * side, side, cos.values[first + pair] / longest,
            sin.values[first + pair] / longest, pair === at[pairs.id], pairs.texts[pair]);
        host.dataset.grid = JSON.stringify({ columns, side });
        called(host, t("rotors: {0} by up and down, {1} by left and right", nameOf(pairs.name), nameOf(walk.name)));
        host.setAttribute("aria-valuenow", at[pairs.id]);
        host.setAttribute("aria-valuetext", `${nameOf(walk.name)} ${walk.texts[at[walk.id]]}, ${nameOf("pair")} ${pairs.texts[at[pairs.id]]}: ${t("cos")} ${textAt(cos, flat(cos))}, ${t("sin")} ${textAt(sin, flat(sin))}`);
        const apart = score?.axes[0];
        strip.hidden = !score || apart.texts[at[apart.id]] !== walk.texts[at[walk.id]];  // farther than curves go, or before position 0
        if (!strip.hidden) scoreStrip(strip, score, size.width, 7 * rem(), (...of) => scaled ? t("score of two tokens {0} apart: Σ scale·cos kθ = {1}", ...of) : factored ? t("score of two tokens {0} apart without the attention factor: Σ cos kθ = {1}", ...of) :
          t("score of two tokens {0} apart: Σ cos kθ = {1}", ...of));
      },
    };
  },
};

function partner(group, short) {
  return group.fields.find((field) => field.short === short);
}

function rotor(context, x, y, side, cos, sin, chosen, name) {
  const named = side > 3.4 * rem(), radius = side * 0.5 - (named ? 0.75 * rem() : Math.min(3, side * 0.12)), centre = named ? y - 0.4 * rem() : y;
  context.lineWidth = chosen ? 2 : 1;
  context.strokeStyle = chosen ? ink("accent") : ink("rule");
  context.beginPath();
  context.arc(x, centre, radius, 0, 7);
  context.stroke();
  context.strokeStyle = chosen ? ink("accent") : ink("soft");
  context.lineWidth = chosen ? 3 : Math.max(1, Math.min(2, side / 18));
  context.beginPath();
  context.moveTo(x, centre);
  context.lineTo(x + cos * radius, centre - sin * radius);
  context.stroke();
  context.fillStyle = context.strokeStyle;
  context.beginPath();
  context.arc(x + cos * radius, centre - sin * radius, Math.max(1.5, radius * 0.09), 0, 7);
  context.fill();
  font(context, 0.7);
  if (named) label(context, name, x, y + side * 0.5 - 0.55 * rem(), { colour: chosen ? ink("ink") : ink("soft") });
}

// The score of two tokens by how far apart they stand: the first stays at 0, the second is the position.
function scoreStrip(host, score, width, height, said) {
  const context = canvasFor(host, width, height), axis = score.axes[0];
  const frame = frameOf(context, score, { width, height: height + 2.4 * rem() }, new Set([0]), 0);
  frame.box.top = 2.2 * rem();
  frame.box.height = height - 3.9 * rem();
  const y = (v) => frame.box.top + frame.box.height - ((v - frame.low) / (frame.high - frame.low)) * frame.box.height;
  const drawn = { ...frame, y: (v) => (Number.isFinite(v) ? y(v) : NaN) };
  context.strokeStyle = ink("rule");
  context.beginPath();
  context.moveTo(frame.box.left, y(0));
  context.lineTo(frame.box.left + frame.box.width, y(0));
  context.stroke();
  context.strokeStyle = ink("accent");
  context.lineWidth = 1.8;
  curve(context, score, drawn, 0, axis.count);
  const i = at[axis.id], word = said(axis.texts[i], score.texts[i]);
  font(context);
  const parts = context.measureText(word).width < width - frame.box.left ? [word] : word.split(/(?<=[：:]) ?/);  // on two lines where one is too short
  for (const [line, part] of parts.entries()) label(context, part, frame.box.left, (0.7 + line) * rem(), { align: "left", to: width, colour: ink("ink") });
  label(context, axis.texts[0], frame.box.left, height - 0.7 * rem(), { align: "left" });
  label(context, `${nameOf(axis.name)} ${axis.texts.at(-1)}`, frame.box.left + frame.box.width, height - 0.7 * rem(), { align: "right" });
  context.fillStyle = ink("accent");
  context.beginPath();
  context.arc(frame.x(i), y(score.values[i]), 5, 0, 7);
  context.fill();
}
