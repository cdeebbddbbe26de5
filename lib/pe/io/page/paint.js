// Elements without markup, canvases that are sharp on every screen, and colours of the theme.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

// What a screen reader calls it.
const called = (node, name) => node.setAttribute("aria-label", name);

// What a drawing asks of the style, once for each drawing.
let style = {};
function ink(name) {
  return (style[name] ??= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
}

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return (style.dark ??= theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches));
}

// Blue below zero, red above, paper at zero: the two keep apart for every kind of colour vision.
const DIVERGING = { light: [[24, 86, 168], [140, 182, 226], [246, 245, 241], [240, 164, 138], [186, 32, 30]],
  dark: [[104, 172, 255], [45, 88, 148], [30, 32, 37], [148, 62, 46], [255, 126, 98]] };

// Of numbers that all lie far from 0: no hue that says above or below, darker on light paper and lighter on dark.
const APART = { light: [[226, 240, 222], [88, 166, 140], [12, 66, 82]], dark: [[26, 44, 52], [44, 128, 118], [198, 240, 190]] };

function divergingColour(share) {
  return between(DIVERGING, (Math.max(-1, Math.min(1, share)) + 1) * 2);
}

function apartColour(share) {
  return between(APART, Math.max(0, Math.min(1, share)) * 2);
}

function between(ramp, place) {
  const stops = ramp[isDark() ? "dark" : "light"], i = Math.min(stops.length - 2, Math.floor(place));
  return stops[i].map((from, c) => Math.round(from + (stops[i + 1][c] - from) * (place - i)));
}

const PALETTE = { light: ["#0b62b0", "#b3361d", "#00735c", "#8a4fa3", "#946200", "#1c8fb0", "#b0397f", "#555b66"],
  dark: ["#74b7ff", "#ff8f6b", "#45d0a8", "#cf9df0", "#e8b84a", "#67d3ee", "#ff8cc6", "#b9bfc9"] };

// Eight colours, and the same eight dashed; of more lines none has a colour of its own.
function lineColour(i, of) {
  const palette = PALETTE[isDark() ? "dark" : "light"];
  return of > 2 * palette.length ? ink("soft") : palette[i % palette.length];
}

function rem() {
  return (style.rem ??= parseFloat(getComputedStyle(document.documentElement).fontSize));
}

const STILL = matchMedia("(prefers-reduced-motion: reduce)");

// A canvas of the plot's width and the height that the screen leaves below it, in CSS pixels.
function canvasFor(host, width, height) {
  const canvas = host.querySelector("canvas") ?? host.appendChild(el("canvas", { "aria-hidden": "true" }));
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function room(plot) {
  const width = Math.floor(plot.clientWidth), top = plot.getBoundingClientRect().top + window.scrollY;
  const below = document.querySelector("footer").offsetHeight + 2 * rem();
  return { width, height: Math.floor(Math.max(18 * rem(), Math.min(window.innerHeight - top - below, width * 1.4))) };
}

function font(context, size = 0.78) {
  context.font = `${size * rem()}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans CJK SC", monospace`;
}

// A text that stays between two limits: smaller where there is no room for it, or cut where it stands elsewhere in full.
function label(context, text, x, y, { align = "center", from = 0, to = Infinity, colour = ink("soft"), cut = false } = {}) {
  const was = context.font, wide = () => context.measureText(text).width, end = Math.min(to, canvasWidth(context));
  if (cut) for (const room = end - x; text.length > 2 && wide() > room; ) text = text.replace(/.…?$/u, "…");
  else if (wide() > end - from) context.font = was.replace(/[\d.]+(?=px)/, (size) => (size * (end - from) * 0.99) / wide());
  const width = wide();
  let left = align === "center" ? x - width / 2 : align === "right" ? x - width : x;
  left = Math.max(from, Math.min(left, end - width));
  context.fillStyle = colour;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(text, left, y);
  context.font = was;
  return { left, right: left + width };
}

function canvasWidth(context) {
  return context.canvas.width / (window.devicePixelRatio || 1);
}
