# Every quantity and, with page.py, every encoding as a page: what is seen first is not empty and says what the csv says, and on no screen, in neither language, is anything cut off or left untold.
import concurrent.futures
import csv
import io
import json
import re
import subprocess

from page_words import CLAIMS, NAMES, NUMBERED

WIDTHS = [(360, 740), (414, 896), (768, 1024), (1280, 800), (3840, 1000)]
# What is seen first of each quantity's example, and of its views: the view of the page and the column in it.
FIRST = {"spectrum": "lines wavelength", "scaling": "lines ratio", "context": "lines minimum", "base-bound": "lines base", "decay all": "lines sum", "decay curve": "lines score", "decay of biases": "lines bias", "similarity lag": "lines cosine", "similarity row": "lines cosine", "similarity matrix": "map cosine", "similarity neighbours": "lines mean", "similarity grid": "map cosine", "shift turns": "lines angle", "shift": "lines angle", "shift matrix": "map m", "shift fit": "figures rank",
         "attention summary": "bars entropy", "attention distance": "lines weight", "attention matrix": "map weight", "attention terms": "bars mean", "buckets fragile": "lines exact",
         "buckets buckets": "lines width", "buckets positions": "lines bucket", "precision summary": "bars worst", "precision positions": "lines worst", "margins": "lines margin", "kernel summary": "figures min",
         "kernel eigenvalues": "lines eigenvalue", "interpolation bound": "figures published_constant", "interpolation places": "lines published", "interpolation curve": "lines B", "drift": "lines error",
         "exposure": "lines probability", "probe statistics": "numbers value", "probe singular": "lines value", "probe fourier": "lines value", "cost": "figures parameters", "cost of all": "bars parameters", "plan": "numbers rank", "laws": "numbers verdict",
         "published": "numbers what"}
# Views that the example's encoding has not, quantities of all encodings side by side, one without an example, one of several shifts.
MORE = {"similarity lag": "similarity sinusoidal --length 40", "similarity row": "similarity sinusoidal --length 40 --view row", "similarity matrix": "similarity sinusoidal --length 40 --view matrix",
        "similarity neighbours": "similarity sinusoidal --length 40 --view neighbours", "decay all": "decay rope --length 400", "decay of biases": "decay alibi --length 40 --heads 2", "shift": "shift sinusoidal --dim 8 --k 1,2,3",
        "probe singular": "probe sinusoidal --dim 64 --length 128 --view singular", "probe fourier": "probe sinusoidal --dim 64 --length 128 --view fourier", "cost of all": "cost", "laws": "laws kerple --seed 1 --length 16", "published": "published --only RoFormer", "attention matrix": "attention alibi --tokens abc --view matrix"}
OTHER = {"decay": "curve", "similarity": "grid"}  # views of examples that name none, where these are not the first
# What no language changes; within a Chinese sentence, names, one at a time.
KEPT = re.compile(r"^(?:[^A-Za-z]|Σ\S+ \|?Σ\S+|e\^\S+|(?<![A-Za-z])(?:pe-\w+|Home|End|Tab|token|Abel|cos|sin|English|nan|inf|b?[fi]\d\d|[A-Za-z]|[A-Z]_\w|mθ|kθ|config\.json|ln)(?![A-Za-z]))*$")
WORDS = re.compile(r"[A-Za-z]{3,} [A-Za-z]{2,}")
# What would be drawn: paths of finite points, images, and texts that leave their canvas.
RECORD = """window.paths = []; window.images = []; window.cut = new Set(); window.cells = [];
{ const was = OffscreenCanvasRenderingContext2D.prototype.putImageData; OffscreenCanvasRenderingContext2D.prototype.putImageData = function (image, ...rest) { window.cells = image.data; return was.call(this, image, ...rest); }; }
{ const of = CanvasRenderingContext2D.prototype, wrap = (name, before) => { const was = of[name]; of[name] = function (...rest) { before.call(this, ...rest); return was.call(this, ...rest); }; };
  let path = []; const point = (x, y) => Number.isFinite(x + y) && path.push([x, y]);
  wrap("beginPath", () => { path = []; }); wrap("moveTo", point); wrap("lineTo", point); wrap("arc", (x, y) => point(x, y));
  wrap("stroke", () => { window.paths.push(path); }); wrap("fill", () => { window.paths.push(path); });
  wrap("drawImage", (image) => window.images.push([image.width, image.height]));
  wrap("fillText", function (text, x) { const wide = this.canvas.width / devicePixelRatio; if (x < -0.5 || x + this.measureText(text).width > wide + 0.5) window.cut.add(text); }); }"""
SEEN = """(() => { const text = (at) => at.textContent, all = (what) => [...document.querySelectorAll(what)];
  return { view: document.querySelector("#controls [id^=view-][aria-pressed=true]").id.slice(5), field: text(document.querySelector("#caption strong")), caption: text(document.getElementById("caption")),
    where: document.querySelector("#readout .where")?.textContent ?? "", main: document.querySelector("#readout dd.main")?.textContent, paths: window.paths, images: window.images, drawn: [...window.drawn],
    bars: all(".bar").map((row) => [text(row.children[0]), text(row.children[1]), row.querySelector("i").getBoundingClientRect().width]), head: document.querySelector(".bars-head")?.textContent,
    figures: all(".figures > div").map((at) => [text(at.querySelector("dt")), text(at.querySelector("b"))]), heads: all("#view th").map(text), rows: all("#view tbody tr").map((tr) => [...tr.cells].map(text)),
    warnings: all("#warnings li").map(text) }; })()"""
# Over every tab, view and field: what stands outside of the screen or of a box that hides it, and on a Chinese page what English is told as if it were not, or could be told in Chinese.
WALK = """((chinese, free) => { const found = new Set(), untold = new Set(), english = new Set(), wide = document.documentElement.clientWidth;
  const look = (where) => { if (document.documentElement.scrollWidth > wide) found.add(where + ": the page is " + document.documentElement.scrollWidth + " wide");
    for (const at of document.querySelectorAll("body *")) { if (at.closest(".unseen, script, noscript, thead") || !at.checkVisibility()) continue; const edge = at.getBoundingClientRect();
      if (edge.width && (edge.right > wide + 0.5 || edge.left < -0.5)) found.add(`${where}: ${at.tagName} ${at.id || at.className} ${at.textContent.slice(0, 40)}`);
      else if (at.clientWidth && at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).overflowX !== "visible") found.add(`${where}: ${at.tagName} ${at.id || at.className} hides some of ${at.textContent.slice(0, 40)}`); }
    for (const at of document.querySelectorAll("#readout .number")) { const all = document.createRange(); all.selectNodeContents(at); if (new Set([...all.getClientRects()].map((edge) => edge.top)).size > 1) found.add(`${where}: the number ${at.textContent} stands on two lines`); }
    for (const text of window.cut) found.add(`${where}: the picture cuts ${text}`);
    window.cut.clear();
    if (!chinese) return;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) { const at = walk.currentNode.parentElement, text = (at.querySelector(":scope > .unbroken") ? at.textContent : walk.currentNode.data).trim(); if (!text || at.closest("script, noscript, .unbroken")) continue;
      const own = at.closest('[lang="en"]:not(html)'); if (own) english.add(own.textContent.trim()); else if (!at.closest('[translate="no"], [lang="zh"]:not(html)')) untold.add(text); }
    for (const at of document.querySelectorAll("[aria-label]")) untold.add(at.getAttribute("aria-label"));
    for (const text of window.drawn) untold.add(text); };
  window.drawn.clear();
  const tabs = document.querySelectorAll("[role=tab]").length;
  document.getElementById("about").open = true;
  for (let i = 0; i < tabs; ++i) { document.getElementById("tab-" + i).click();
    for (const id of [...document.querySelectorAll("#controls [id^=view-]")].map((b) => b.id)) { const button = document.getElementById(id); if (!button) continue; if (button.getAttribute("aria-pressed") === "false") button.click(); look(`tab ${i}, ${id}`);
      const field = document.getElementById("field"); if (!field || chinese || wide > 360) continue;
      for (let f = 0; f < field.options.length; ++f) { const box = document.getElementById("field"); if (!box) break; box.selectedIndex = f; box.dispatchEvent(new Event("change")); look(`tab ${i}, ${id}, field ${f}`); } } }
  document.getElementById("tab-0")?.click();
  document.getElementById("about").open = false;
  return { found: [...found], untold: [...untold], english: [...english] }; })"""


def run(bin, arguments):
    return subprocess.run([bin / arguments[0], *map(str, arguments[1:])], capture_output=True, text=True, timeout=120)


def listed(bin, tool, what):
    return json.loads(run(bin, [tool, "list", what, "--json"]).stdout)[what]


def commands(bin):
    """(what it is called, command): every quantity's example with each of its views; those that the example refuses are among MORE."""
    for row in listed(bin, "pe-analyze", "quantities"):
        words = re.findall(r"'[^']*'|\S+", row["example"])
        command = ["pe-analyze", row["name"], *(word.strip("'") for word in words), *(["--draws", "2"] if row["name"] == "probe" else [])]
        first, *views = next((option["choices"] for option in row["parameters"] if option["name"] == "view"), [None])
        own = command[command.index("--view") + 1] if "--view" in command else None
        bare = command[:command.index("--view")] if own else command
        yield " ".join(filter(None, [row["name"], OTHER.get(row["name"], first)])), bare
        for view in views:
            if f"{row['name']} {view}" not in MORE:
                yield f"{row['name']} {view}", [*bare, "--view", view]
    for name, words in MORE.items():
        yield name, ["pe-analyze", *words.split()]


def make(bin, folder, numbered):
    """The page and the csv of one command."""
    i, (name, command) = numbered
    path = folder / f"every-{i}.html"
    page = run(bin, [*command, "-o", path])
    table = run(bin, [*command, "--tidy"])
    return name, command, path, page, table


def plain(text):
    return text[1:] if text[:2] in ("'=", "'+", "'-", "'@") else text if text not in ("", "–") else "nan"


class First:
    """What is seen first, against the csv of the same command."""

    def __init__(self, count, name, data, table, seen):
        self.count, self.name, self.seen = count, name, seen
        self.header, *self.rows = table
        self.fields = {field["name"]: field for field in data["fields"]}
        first = next(iter(self.fields.values()))
        self.axes = [data["axes"][i] for i in first["axes"]]
        self.at = {self.key(row): row for row in self.rows}

    def key(self, row):
        return tuple(row[self.header.index(axis["name"])] for axis in self.axes)

    def says(self, wanted, what):
        self.count.check(wanted, f"{self.name}: {what}")

    def places(self, axis):
        return axis.get("labels") or axis["places"].split(",")

    def digits(self):
        """Every number of the page is a number of the csv; of a whole page, every one in its order."""
        whole = not any("this page holds" in warning for warning in self.seen["warnings"])
        keys = [()]
        for axis in self.axes:
            keys = [key + (place,) for key in keys for place in self.places(axis)]
        self.says(not whole or list(map(self.key, self.rows)) == keys, "the places of the csv")
        for name, field in self.fields.items():
            column = self.header.index(name)
            got = field["values"].split(",")
            got = [field["words"][int(text)] if field.get("words") and text != "-1" else text if not field.get("words") else "nan" for text in got]
            wrong = next((pair for pair in zip(keys, got) if pair[0] not in self.at or plain(self.at[pair[0]][column]) != plain(pair[1])), None)
            self.says(len(got) == len(keys) and wrong is None, f"{name}: not the csv's at {wrong}")

    def column(self, row):
        return plain(row[self.header.index(self.seen["field"])])

    def here(self):
        """The csv's row where the reader stands, by the names and places that the page says."""
        return next((row for key, row in self.at.items() if self.seen["where"] == " · ".join(f"{axis['name']} {place}" for axis, place in zip(self.axes, key))), None)

    def readout(self):
        row = self.here()
        self.says(row and plain(self.seen["main"]) == self.column(row), f"{self.seen['where']}: {self.seen['main']}, the csv has {row}")

    def named(self, *texts):
        self.says(self.seen["field"] in texts[0], f"its column {self.seen['field']} is not named in {texts[0]!r}")
        for axis in texts[1:]:
            self.says(axis["name"] in texts[0] and axis["description"] in self.seen["caption"], f"its axis {axis['name']} is not named in {texts[0]!r}, {self.seen['caption']!r}")
        self.says(self.fields[self.seen["field"]]["description"] in self.seen["caption"], "what the column is")
        shown = self.fields[self.seen["field"]]
        self.says((f" · {shown['dtype']}" in self.seen["caption"]) == ("words" not in shown), "the type of a column of words, or none of one of numbers")

    def lines(self):
        self.named("\n".join(self.seen["drawn"]), self.axes[-1])
        self.readout()
        row = self.here()
        if not row:
            return
        along = len(self.places(self.axes[-1]))
        curve = [float(self.column(self.at[key])) for place in self.places(self.axes[-1]) if (key := self.key(row)[:-1] + (place,)) in self.at]
        log = any("log scale" in text for text in self.seen["drawn"])
        finite = [value for value in curve if value - value == 0 and (value > 0 or not log)]
        self.says(len(curve) == along and len(finite) >= 2, f"a curve of {len(finite)} points")
        whole = self.fields[self.seen["field"]]["dtype"].startswith("i")
        paths = [path for path in self.seen["paths"] if len(path) == (2 * len(finite) - 1 if whole else len(finite))]
        by_value = [[y for _, (_, y) in sorted(zip(finite, path[::2] if whole else path), key=lambda pair: pair[0])] for path in paths]
        self.says(any(all(b <= a + 1e-6 for a, b in zip(ys, ys[1:])) and (ys[0] > ys[-1] or finite[0] == finite[-1]) for ys in by_value), f"no curve of its {len(finite)} numbers is drawn: {[len(path) for path in self.seen['paths']]}")

    def map(self):
        self.named("\n".join([*self.seen["drawn"], self.seen["caption"]]), *self.axes[-2:])
        self.readout()
        self.says([len(self.places(axis)) for axis in self.axes[-1:-3:-1]] in self.seen["images"], f"no map is drawn: {self.seen['images']}")

    def bars(self):
        self.named(self.seen["head"], self.axes[-1])
        self.readout()
        row, widths = self.here(), []
        self.says([name for name, _, _ in self.seen["bars"]] == self.places(self.axes[-1]), "a bar for each name")
        for name, text, wide in self.seen["bars"]:
            wanted = self.column(self.at[self.key(row)[:-1] + (name,)])
            self.says(plain(text) == wanted, f"the bar {name}: {text}, not {wanted}")
            widths += [(abs(float(wanted)), wide)] if float(wanted) - float(wanted) == 0 else []
        grows = sorted(widths)
        self.says(widths and grows[-1][1] > 50 and all(b[1] >= a[1] - 0.1 for a, b in zip(grows, grows[1:])), f"bars as long as their numbers: {widths}")

    def figures(self):
        first = len(self.header) - len(self.fields)
        self.says([list(pair) for pair in zip(self.header[first:], map(plain, self.rows[0][first:]))] == [[name, plain(text)] for name, text in self.seen["figures"]], f"{self.seen['figures']}")
        self.says(all(field["description"] for field in self.fields.values()), "figures without a word")

    def numbers(self):
        self.says(self.seen["heads"] == self.header, f"the heads {self.seen['heads']}")
        wanted = [list(map(plain, row)) for row in self.rows[:len(self.seen["rows"])]]
        self.says(wanted and wanted == [list(map(plain, row)) for row in self.seen["rows"]] and len(wanted) == min(16, len(self.rows)), f"its first rows: {self.seen['rows'][:1]}")


def every_quantity(pages, dealt):
    bin, browser, count = pages.bin, pages.browser, pages.count
    met = set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, command, path, page, table in pool.map(lambda numbered: make(bin, pages.folder, numbered), enumerate(command for command in commands(bin) if dealt.has(command[0]))):
            said = " ".join(command)
            if table.returncode == 2:
                count.check(page.returncode == 2 and not path.exists(), f"{said}: a page, but no csv")
                continue
            count.check(page.returncode == table.returncode, f"{said}: {page.stderr}")
            if not path.exists():
                continue
            met.add(name)
            browser.size(*WIDTHS[3])
            browser.open(path)
            data = data_of(path)
            first(count, name, said, data, list(csv.reader(io.StringIO(table.stdout))), browser.run(SEEN))
            screens(browser, count, said, data)
            count.check(not browser.complaints, f"{said}: {browser.complaints}")
    browser.size(*WIDTHS[3])
    missed = {" ".join(filter(None, [row["name"], view])) for row in listed(bin, "pe-analyze", "quantities") for view in
              next((option["choices"] for option in row["parameters"] if option["name"] == "view"), [None])} - met
    missed = set(filter(dealt.has, missed))
    count.check(not missed, f"no page of {missed}")


def data_of(path):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.S)[1])


def first(count, name, said, data, table, seen):
    wanted = FIRST.get(name) or FIRST.get(name.split()[0])
    count.check(wanted is None or f"{seen['view']} {seen['field']}" == wanted, f"{said}: opens on {seen['view']} {seen['field']}, not on {wanted}")
    show = First(count, said, data, table, seen)
    show.digits()
    getattr(show, seen["view"])()


def encoding(count, said, name, data, seen):
    """Encodings whose numbers are trained say that these are not; the others are silent. What a page draws first is there."""
    trained = {"learned", "kerple", "fire", "swin", "t5", "tupe", "shaw", "decomposed", "deberta", "transformer-xl"}
    warned = f"the numbers of {name} are drawn, as before training (--seed 1)" in seen["warnings"]
    count.check(warned == (name in trained), f"{said}: {seen['warnings']}")
    count.check(seen["main"] and any(seen["main"] in text for field in data["fields"] for text in field["values"].split(",")), f"{said}: opens on {seen['main']!r}")
    marks = {"lines": seen["paths"], "map": seen["images"], "rotors": seen["paths"], "bars": seen["bars"], "numbers": seen["rows"], "figures": seen["figures"]}
    count.check(marks[seen["view"]], f"{said}: its first view, {seen['view']}, is empty")


def screens(browser, count, said, data):
    for width, height in WIDTHS:
        browser.size(width, height)
        found = browser.run(WALK + "(false)")["found"]
        count.check(not found, f"{said} at {width}: {found[:4]}")
    browser.size(*WIDTHS[0])
    browser.run("document.getElementById('language').click()")
    told = browser.run(WALK + "(true)")
    count.check(not told["found"], f"{said} in Chinese: {told['found'][:4]}")
    own = [text for axis in data["axes"] for text in axis.get("labels", [])] + [data["provenance"]["encoding"], data["provenance"]["version"], "Men et al.", data["zh"].get(data["provenance"]["source"], ""), *sum(data["parameters"], [])]
    own += [word for field in data["fields"] for word in field.get("words", []) if word in data["zh_names"] or not re.search(r"[a-z] [a-z]", word)]
    whole = re.compile(r"(?<!\w)(?:" + "|".join(re.escape(text) for text in sorted(filter(None, own), key=len, reverse=True)) + r")(?!\w)")
    strange = lambda text: WORDS.search(text) if re.search("[㐀-鿿]", text) else not KEPT.match(text)
    untold = sorted(text for text in told["untold"] if strange(whole.sub("", text)))
    count.check(not untold, f"{said}: English on the Chinese page: {untold[:4]}")
    about = data["provenance"]
    free = {about["source"], about["encoding"], about["dialect"], about["version"], "English", *(entry[0] for entry in data["parameters"]), *(f"{value} ({origin})" for _, value, origin in data["parameters"])}
    free |= {word for field in data["fields"] if field["name"].rpartition(".")[2] in NAMES | (CLAIMS if not about["encoding"] else set()) for word in field.get("words", [])}
    english = sorted(text for text in told["english"] if text not in free and not NUMBERED.fullmatch(text) and re.search("[A-Za-z]{2}", text))
    count.check(not english, f"{said}: could be told in Chinese: {english[:4]}")
    browser.run("document.getElementById('language').click()")
