#!/usr/bin/env python3
# The page of -o page.html in a real browser: every number is the tool's own text, every control works, nothing is asked of any network.
import argparse
import csv
import io
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from count import Count  # noqa: E402
import interpreter  # noqa: E402

interpreter.need("numpy", "matplotlib", "mpmath")
import matplotlib.image  # noqa: E402
import mpmath  # noqa: E402

import page_browser  # noqa: E402
import page_every  # noqa: E402
import page_told  # noqa: E402
from page_every import data_of  # noqa: E402
import share  # noqa: E402

CODE = 68 << 10  # bytes of markup, style and script
MOST = 1 << 18  # numbers
OPENED = ("t5", "alibi")  # whose pages others than every_encoding open
SMALL = {"sincos-2d": ["--grid", "3x4", "--dim", "8"], "sincos-3d": ["--grid", "2x2x2", "--dim", "12"], "rope-2d": ["--grid", "3x3"], "rope-3d": ["--grid", "2x3x3"], "alibi": ["--length", "8"],
         "sinusoidal": ["--length", "20", "--dim", "32"], "swin": [], "decomposed": ["--grid", "3x3"]}
QUANTITIES = [["spectrum", "rope", "--model", "llama-3.1-8b"], ["decay", "alibi", "--length", "40", "--versus", "kerple --seed 1"], ["laws", "sinusoidal", "--length", "32"],
              ["plan", "rope", "--model", "llama-2-7b", "--length", "8192"]]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)")

# Keeps what is drawn on canvases, for no test can read pixels.
RECORD = """window.drawn = new Set();
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { window.drawn.add(text); return fillText.call(this, text, ...rest); };"""
# Every row of the table of numbers of the open tab, page by page, as the texts on the screen.
ROWS = """(() => { const rows = []; document.getElementById("view-numbers").click();
  const view = () => document.getElementById("view"), heads = [...view().querySelectorAll("th")].map((th) => th.textContent);
  view().dispatchEvent(new KeyboardEvent("keydown", {key: "Home"}));
  for (;;) { for (const tr of view().tBodies[0].rows) rows.push([...tr.cells].map((td) => td.textContent));
    const on = document.querySelectorAll("#plot .controls button")[1]; if (on.disabled) break; on.click(); }
  return {heads, rows}; })()"""
# Every text of every view, written or drawn.
SHOWN = """(() => { const texts = []; for (const tab of [...document.querySelectorAll("[role=tab]")]) { document.getElementById(tab.id).click();
    for (const id of [...document.querySelectorAll("#controls [id^=view-]")].map((b) => b.id)) { const button = document.getElementById(id); if (button.getAttribute("aria-pressed") === "false") button.click(); texts.push(document.querySelector("main").innerText); } }
  return [...texts, ...window.drawn]; })()"""
# Walks over a map by keys, row by row, and takes down what is said of each cell.
WALK = """((most) => { const said = [], view = () => document.getElementById("view"), key = (key, ctrlKey) => view().dispatchEvent(new KeyboardEvent("keydown", {key, ctrlKey, bubbles: true}));
  const rows = Number(view().getAttribute("aria-rowcount")), columns = Number(view().getAttribute("aria-colcount")); key("Home", true);
  for (let r = 0; r < rows && said.length < most; ++r) { for (let c = 0; c < columns; ++c) {
      said.push([document.querySelector("#readout dd.main").textContent, document.querySelector("[role=gridcell]").getAttribute("aria-label"),
        ...[...document.querySelectorAll("#readout dd:not(.main)")].map((dd) => dd.dataset.field + "=" + dd.textContent), document.querySelector("#matrix .block")?.textContent ?? ""]);
      key("ArrowRight"); }
    key("Home"); key("ArrowDown"); } return said; })"""


def lacking():
    """Debian's packages that bring what this machine lacks: a browser, and letters for the Chinese page, which may lack beside any browser."""
    fonts = shutil.which("fc-list") and subprocess.run(["fc-list", ":lang=zh"], capture_output=True, timeout=60, check=False).stdout
    return ([] if page_browser.find() else ["chromium"]) + ([] if fonts else ["fonts-noto-cjk"])


def program():
    """The browser; what is lacking is installed, where it can be."""
    wanted = lacking()
    if not wanted or os.geteuid() != 0 or not shutil.which("apt-get") or os.environ.get("PE_NO_INSTALL"):
        return page_browser.find()
    apt = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    for command in ([*apt, "update"], [*apt, "install", "-y", "--no-install-recommends", *wanted]):
        try:
            subprocess.run(command, timeout=300, check=False, **quiet)
        except subprocess.TimeoutExpired:
            break
    return page_browser.find()


class Pages:
    def __init__(self, bin, folder, browser, count):
        self.bin, self.folder, self.browser, self.count = bin, folder, browser, count

    def tool(self, *arguments):
        return subprocess.run([self.bin / arguments[0], *arguments[1:]], capture_output=True, text=True, timeout=120)

    def make(self, name, *arguments):
        path = self.folder / f"{name}.html"
        made = self.tool(*arguments, "-o", path)
        self.count.check(made.returncode == 0, f"{name}: {made.stderr}")
        return path

    def csv(self, *arguments):
        made = self.tool(*arguments, "--tidy")
        self.count.check(made.returncode == 0, f"{arguments}: {made.stderr}")
        return list(csv.reader(io.StringIO(made.stdout)))

    def tabs(self):
        return self.browser.run("document.querySelectorAll('[role=tab]').length")

    def tab(self, i):
        self.browser.run(f"document.getElementById('tab-{i}').click()")

    def rows_are(self, what, wanted):
        """The numbers of the open tab, text by text, in the columns of the csv."""
        shown = self.browser.run(ROWS)
        at = [shown["heads"].index(head) if head in shown["heads"] else None for head in wanted[0]]
        self.count.check(None not in at, f"{what}: columns {wanted[0]} of {shown['heads']}")
        if None in at:
            return
        some = lambda cell: cell if cell not in ("", "–") else "nan"  # a csv leaves out what is missing
        got = [[some(row[i]) for i in at] for row in shown["rows"]]
        plain = [[some(cell) for cell in row] for row in wanted[1:]]
        wrong = next((pair for pair in zip(got, plain) if pair[0] != pair[1]), None)
        self.count.check(len(got) == len(plain) and wrong is None, f"{what}: {len(got)} rows of {len(plain)}, first that differs {wrong}")

    def quiet(self, what):
        self.browser.settle()
        self.count.check(not self.browser.complaints, f"{what}: {self.browser.complaints}")


def every_encoding(pages, rows):
    for row in rows:
        name, seed = row["name"], ["--seed", "1"] if any(parameter["name"] == "seed" for parameter in row["parameters"]) else []
        arguments = ["pe-gen", name, *SMALL.get(name, ["--length", "6"]), *seed]
        path = pages.make(name, *arguments)
        pages.browser.size(1280, 800)
        pages.browser.open(path)
        page_every.encoding(pages.count, name, name, data_of(path), pages.browser.run(page_every.SEEN))
        pages.rows_are(name, pages.csv(*arguments))
        groups = []
        for field in data_of(path)["fields"]:
            key = (field["name"].partition(".")[0] if "." in field["name"] else "", tuple(field["axes"]))
            groups += [] if key in groups else [key]
            if "." not in field["name"] and field["name"] in ("angle", "slope") and len(groups) <= 2 and name not in ("sinusoidal", "floater") and not name.startswith("sincos"):
                pages.tab(groups.index(key))
                pages.rows_are(f"{name} {field['name']}", pages.csv(*arguments, "--dtype", "f64", "--fields", field["name"]))
        for i, (prefix, _) in enumerate(groups):
            if prefix in ("spectrum", "scaling"):
                pages.tab(i)
                pages.rows_are(f"{name} {prefix}", pages.csv("pe-analyze", prefix, name, *arguments[2:]))
        only_own_numbers(pages, path, name)
        page_every.screens(pages.browser, pages.count, name, data_of(path))
        pages.quiet(name)
        text = path.read_text()
        data = len(re.search(r'id="data">(.*?)</script>', text, re.S)[1].encode())
        pages.count.check(len(text.encode()) - data <= CODE, f"{name}: {len(text.encode()) - data} bytes of code")


def only_own_numbers(pages, path, name):
    """Every number in words and pictures, of every tab and view, is a text that the tool wrote."""
    data = data_of(path)
    own = {text for field in data["fields"] for text in field["values"].split(",")} | {text.lstrip("-") for field in data["fields"] for text in field["values"].split(",")}
    own |= {text for axis in data["axes"] for text in axis.get("places", "").split(",")} | {"0"}
    said = json.dumps([data["provenance"], data["parameters"], data["fields"], data["axes"]], ensure_ascii=False)
    said = re.sub(r'"(?:values|places)": "[^"]*"', "", said)
    own |= set(NUMBER.findall(said)) | {"-" + text for text in own}
    pages.browser.run("window.drawn.clear()")
    strange = {number for text in pages.browser.run(SHOWN) for number in NUMBER.findall(text.replace("\n", " ; ")) if number not in own}
    pages.count.check(not strange, f"{name}: numbers that the tool did not write: {sorted(strange)[:8]}")


def note_table(pages):
    """The table of the notes, 20 x 32, by keys: value, angle, wavelength and M_k, each held against another source."""
    arguments = ["pe-gen", "sinusoidal", "--length", "20", "--dim", "32"]
    pages.browser.open(pages.make("notes", *arguments))
    table = pages.csv(*arguments)[1:]
    said = pages.browser.run(WALK + "(1e9)")
    matrix = {}
    for k, to, origin, m in pages.csv("pe-analyze", "shift", "sinusoidal", "--dim", "32", "--k", ",".join(map(str, range(20))), "--view", "matrix")[1:]:
        matrix[int(k), int(to), int(origin)] = m
    mpmath.mp.dps = 40
    good = len(said) == len(table) == 640
    for (value, label, *rest, block), (position, dim, wanted) in zip(said, table):
        fields = dict(text.split("=") for text in rest)
        p, i = int(position), int(dim)
        theta = mpmath.mpf(10000) ** (mpmath.mpf(-2 * (i // 2)) / 32)
        fine = value == wanted and label.endswith(f" {wanted}") and float(fields["angle"]) == float(p * theta) and fields["function"] == ("cos" if i % 2 else "sin")
        fine = fine and float(fields["wavelength"]) == float(2 * mpmath.pi / theta) and fields["pair"] == str(i // 2)
        a, b = i - i % 2, i - i % 2 + 1
        fine = fine and block == "".join(matrix[p, *cell] for cell in ((a, a), (a, b), (b, a), (b, b)))
        if not fine:
            pages.count.check(False, f"cell {position}, {dim}: {value} {label} {fields} {block}")
            break
        good = good and fine
    pages.count.check(good, f"the table of the notes: {len(said)} cells")


def image_of(browser):
    return matplotlib.image.imread(io.BytesIO(browser.screenshot()))[:, :, :3]


def colours(pages):
    """Blue for −1, red for +1, paper at 0, in both themes, at the places of cells whose value is known."""
    browser, count = pages.browser, pages.count
    table = {(int(p), int(d)): float(v) for p, d, v in pages.csv("pe-gen", "sinusoidal", "--length", "20", "--dim", "32")[1:]}
    for scheme in ("light", "dark"):
        browser.size(1280, 800)
        browser.prefer(prefers_color_scheme=scheme)
        browser.open(pages.folder / "notes.html")
        box = browser.run("(() => { const at = document.getElementById('view'), edge = at.getBoundingClientRect(), box = JSON.parse(at.dataset.box); return [edge.left + box.left, edge.top + box.top, box.width, box.height]; })()")
        shot, right = image_of(browser), True
        for (p, d), value in table.items():
            if (p, d) == (3, 4):
                continue  # framed
            red, green, blue = shot[int(box[1] + (p + 0.5) * box[3] / 20), int(box[0] + (d + 0.5) * box[2] / 32)]
            right = right and (abs(value) < 0.25 or (red > blue) == (value > 0)) and (abs(value) < 0.9 or abs(red - blue) > 0.4) and (abs(value) > 0.01 or abs(red - blue) < 0.05)
        count.check(right, f"colours of cells, {scheme}")
        contrast = browser.run("""(() => { const at = getComputedStyle(document.documentElement), light = (name) => { const hex = at.getPropertyValue("--" + name).trim().slice(1);
          const part = [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]; };
          return ["ink", "soft", "accent", "warn"].map((name) => { const [a, b] = [light(name), light("paper")].sort(); return (b + 0.05) / (a + 0.05); }); })()""")
        count.check(min(contrast) >= 4.5, f"contrast of words, {scheme}: {contrast}")
    browser.prefer(prefers_color_scheme="light")


def controls(pages):
    """Mouse, finger and keys reach every number, and every control does what it says."""
    browser, count = pages.browser, pages.count
    value = lambda: browser.run("document.querySelector('#readout .where').textContent + ' ' + document.querySelector('#readout dd.main').textContent")
    browser.size(1280, 800)
    browser.open(pages.folder / "notes.html")
    centre = lambda p, d: browser.run(f"(() => {{ const at = document.getElementById('view'), edge = at.getBoundingClientRect(), box = JSON.parse(at.dataset.box); return [edge.left + box.left + box.width * {(d + 0.5) / 32}, edge.top + box.top + box.height * {(p + 0.5) / 20}]; }})()")
    table = {(int(p), int(d)): v for p, d, v in pages.csv("pe-gen", "sinusoidal", "--length", "20", "--dim", "32")[1:]}
    says = lambda p, d: f"position {p} · dim {d} {table[p, d]}"
    browser.mouse(*centre(7, 3))
    count.check(value() == says(7, 3), f"hover: {value()}")
    browser.mouse(*centre(9, 5), click=True)
    browser.mouse(*centre(1, 1))
    count.check(value() == says(9, 5), f"a click holds the cell: {value()}")
    browser.mouse(*centre(9, 5), click=True)
    browser.mouse(*centre(2, 2))
    count.check(value() == says(2, 2), f"a second click lets go: {value()}")
    browser.run("document.getElementById('view').focus()")
    browser.press("ArrowDown", "ArrowRight", "ArrowRight")
    count.check(value() == says(3, 4), f"arrow keys: {value()}")
    browser.press("End", "PageDown")
    count.check(value() == says(13, 31), f"End, PageDown: {value()}")
    browser.size(360, 740, 2, touch=True)
    browser.open(pages.folder / "notes.html")
    browser.run("document.getElementById('view').scrollIntoView()")
    browser.tap(*centre(11, 6))
    browser.settle()
    count.check(value() == says(11, 6), f"tap: {value()}")
    browser.size(1280, 800)
    reached, ringless = set(), []
    browser.open(pages.folder / "notes.html")
    for _ in range(30):
        browser.press("Tab")
        here, ring = browser.run("[document.activeElement.id || document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]")
        reached.add(here)
        if here != "BODY" and ring == "none":
            ringless.append(here)
    wanted = {"language", "theme", "copy", "tab-0", "view", "view-map", "view-lines", "view-numbers", "field"}
    count.check(wanted <= reached and not ringless, f"Tab reaches {sorted(wanted - reached)} not, no ring at {ringless}")
    browser.run("document.getElementById('tab-0').focus()")
    browser.press("ArrowRight")
    count.check(browser.run("document.querySelector('[role=tab][aria-selected=true]').id + document.activeElement.id") == "tab-1tab-1", "arrow keys on tabs")
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.run("document.getElementById('copy').click()")
    browser.settle()
    command = browser.run("document.getElementById('command').textContent")
    count.check(browser.run("document.getElementById('copied').textContent") == "copied" and browser.run("navigator.clipboard.readText()") == command and
                command.startswith("pe-gen sinusoidal --length 20"), "copy")
    pages.quiet("controls of a table")


def rotors(pages):
    browser, count = pages.browser, pages.count
    path = pages.make("llama", "pe-gen", "rope", "--model", "llama-3.1-8b")
    browser.open(path)
    cos = {(p, j): (c, s) for p, j, c, s in pages.csv("pe-gen", "rope", "--model", "llama-3.1-8b")[1:]}
    total = dict(row for row in pages.csv("pe-analyze", "decay", "rope", "--model", "llama-3.1-8b", "--length", "256", "--fields", "sum")[1:])
    at = lambda: browser.run("document.getElementById('view').getAttribute('aria-valuetext')")
    browser.run("document.getElementById('view').focus()")
    right = True
    for p in range(4, 12):
        browser.press("ArrowRight", "ArrowDown")
        c, s = cos[str(p), str(p - 3)]
        right = right and at() == f"position {p}, pair {p - 3}: cos {c}, sin {s}" and browser.run("document.querySelector('[data-field=\"decay.sum\"]').textContent") == total[str(p)]
        right = right and f"score of two tokens {p} apart: Σ cos kθ = {total[str(p)]}" in browser.run("[...window.drawn]")
    count.check(right, f"rotors and score by keys: {at()}")
    browser.press(" ")
    browser.run("new Promise(done => setTimeout(done, 500))")
    moved = at()
    browser.press(" ")
    stopped = at()
    browser.run("new Promise(done => setTimeout(done, 400))")
    count.check("position 11," not in moved and at() == stopped, f"play and pause: {moved} {stopped} {at()}")
    browser.run("(() => { const s = document.getElementById('axis-position'); s.focus(); s.value = 20; s.dispatchEvent(new Event('input')); })()")
    browser.press("ArrowRight")
    count.check(at().startswith("position 21, "), f"slider: {at()}")
    spectrum = browser.run("[...document.querySelectorAll('[role=tab]')].findIndex(t => t.textContent === 'spectrum')")
    pages.tab(spectrum)
    count.check({"trained 8192", "wanted 131072"} <= set(browser.run("[...window.drawn]")), "wavelengths stand beside the lengths")
    before = browser.run("document.getElementById('log').getAttribute('aria-pressed')")
    browser.run("document.getElementById('log').click()")
    count.check(before == "true" and browser.run("document.getElementById('log').getAttribute('aria-pressed')") == "false", "log scale")
    browser.run("(() => { const f = document.getElementById('field'); f.focus(); f.selectedIndex = 0; f.dispatchEvent(new Event('change')); })()")
    count.check(browser.run("document.querySelector('#readout dt.main').textContent") == "frequency", "field")
    pages.tab(spectrum + 1)
    toggle = "document.querySelectorAll('.lines-key button')[1]"
    browser.run(toggle + ".click()")
    count.check(browser.run(toggle + ".getAttribute('aria-pressed')") == "false" and browser.run(toggle + ".textContent") == "ntk", "a rule is taken out")
    count.check(browser.run("document.querySelector('#readout .where').textContent").startswith("rule llama3"), "the model's own rule comes first")
    pages.quiet("rotors")


def languages(pages, files):
    """The words of the page change with its language, and its colours with its theme."""
    browser, count = pages.browser, pages.count
    for path in files:
        browser.open(path)
        count.check(not re.search("[一-鿿]", browser.run("document.body.innerText").replace("中文", "")), f"{path.name}: Chinese on the English page")
        browser.run("document.getElementById('language').click()")
        count.check(browser.run("document.documentElement.lang") == "zh" and re.search("[一-鿿]", browser.run("document.title")), "lang")
        browser.run("document.getElementById('language').click()")
        themes = [browser.run("(document.getElementById('theme').click(), [document.getElementById('theme').textContent, getComputedStyle(document.body).backgroundColor])") for _ in range(3)]
        count.check(len({word for word, _ in themes}) == 3 and len({colour for _, colour in themes}) == 2, f"themes: {themes}")


def squeezed(pages):
    """No cell of a list of cards is a column of words, in either language."""
    pages.browser.open(pages.folder / "plan-rope.html")
    for language in ("en", "zh"):
        lines = pages.browser.run("Math.max(...[...document.querySelectorAll('.cards td')].filter(at => at.className !== 'long').map(at => at.getBoundingClientRect().height / parseFloat(getComputedStyle(at).fontSize)))")
        pages.count.check(1 < lines < 6.2, f"plan in {language}: a cell {lines:.1f} letters high")
        pages.browser.run("document.getElementById('language').click()")


def names(pages, files):
    for path in files:
        pages.browser.open(path)
        tree = pages.browser.names()
        for role in ("button", "tab", "slider", "combobox", "grid", "gridcell", "tabpanel", "heading"):
            nameless = [node for node in tree if node[0] == role and not node[1]]
            pages.count.check(not nameless, f"{path.name}: {role} without a name")
        shown = pages.browser.run("document.querySelector('#readout dd.main').textContent")
        # The protocol leaves aria-valuetext of an element that is a slider by its role empty: that one is read where it was written.
        told = [name for role, name, _ in tree if role == "gridcell"] + [pages.browser.run("document.getElementById('view').getAttribute('aria-valuetext') ?? ''")]
        told += [" " + name for role, name, _ in tree if role == "cell"]
        pages.count.check(any(text.endswith(f" {shown}") or f" {shown}," in text for text in told), f"{path.name}: no reader hears {shown}")


def still(pages):
    """Who wants less motion gets a step a second at most."""
    pages.browser.prefer(prefers_reduced_motion="reduce", prefers_color_scheme="light")
    pages.browser.open(pages.folder / "llama.html")
    pages.browser.run("(document.getElementById('play').click(), new Promise(done => setTimeout(done, 600)))")
    pages.count.check(pages.browser.run("document.getElementById('view').getAttribute('aria-valuetext')").startswith("position 4,"), "reduced motion")
    pages.browser.prefer(prefers_color_scheme="light")


def hostile(pages):
    """Names that would be markup stay names."""
    folder = pages.folder / "a<"
    folder.mkdir()
    numbers = pages.folder / "numbers.csv"
    numbers.write_text("a,b\n1,2\n3,4\n")
    for i, name in enumerate(["script><script>alert(1)<!--.csv", "<img src=x onerror=alert(1)>.csv", "@DATA@ @SCRIPT@ &lt;b&gt; '\".csv"]):
        (folder / name).write_bytes(numbers.read_bytes())
        path = pages.make(f"hostile{i}", "pe-gen", "learned", "--input", folder / name, "--length", "2")
        pages.browser.open(path)
        shown = pages.browser.run("[document.getElementById('command').textContent, document.scripts.length, document.images.length, document.querySelectorAll('[role=tab]').length]")
        pages.count.check(name in shown[0].replace("'\\''", "'") and shown[1:3] == [2, 0] and shown[3] > 0, f"hostile name {name}: {shown}")
        pages.count.check(not data_of(path)["provenance"].get("warnings"), f"{name}: numbers of a file are not drawn")
        pages.quiet(f"hostile name {name}")


def refusals(pages):
    for what, *arguments in [("at most 262144 numbers", "pe-gen", "sinusoidal", "--length", "100000"), ("no/such/folder", "pe-gen", "rope"), ("--tidy shapes csv", "pe-gen", "rope", "--tidy")]:
        to = "/no/such/folder/page.html" if "folder" in what else pages.folder / "refused.html"
        made = pages.tool(*arguments, "-o", to)
        pages.count.check(made.returncode == 2 and what in made.stderr and made.stderr.count("\n") == 1 and not pathlib.Path(to).exists(), f"refusal: {made.stderr}")
    alone = data_of(pages.make("alone", "pe-gen", "rope", "--fields", "inv_freq"))
    pages.count.check([field["name"] for field in alone["fields"]] == ["inv_freq"], "--fields has the page to itself")
    logits = pages.make("logits", "pe-apply", "rope", "--random", "1,1,6,8", "--seed", "1")
    pages.browser.open(logits)
    pages.quiet("a page of pe-apply")
    for name, *arguments in [("full", "sinusoidal", "--length", "500", "--dim", "512"), ("full-rope", "rope", "--length", "2000", "--dim", "128")]:
        full = pages.make(name, "pe-gen", *arguments)
        pages.browser.open(full)
        pages.browser.run("document.getElementById('view').focus()")
        started = time.monotonic()
        pages.browser.press(*["ArrowRight"] * 10)
        spent = (time.monotonic() - started) / 10
        pages.count.check(spent < 0.3 and "no room" in "".join(data_of(full)["provenance"]["left_out"]), f"a full page takes {spent} s for a key")
        pages.quiet("a full page")
    many = pages.tool("pe-gen", "rope", "--length", "512", "--format", "html")
    pages.count.check(many.returncode == 0 and many.stdout.startswith("<!DOCTYPE html>"), "a page on stdout")


def reductions(pages):
    """What is too much for a page is left out by places, which the page and the tool say; least and greatest of every curve stay, each digit the csv's."""
    count = pages.count
    curves, maps = (["pe-analyze", "exposure", "rope", "--trained", "2048", "--length", "16384"], ["pe-analyze", "similarity", "sinusoidal", "--dim", "8", "--length", "600", "--view", "matrix"])
    for name, arguments, said in (("curves", curves, r"this page holds \d+ of 16383 places along distance: of each \d+ in a row those where a curve is least or greatest; other formats hold all"),
                                  ("maps", maps, "this page holds 300 of 600 places along (position|other): one in 2; other formats hold all")):
        path = pages.folder / f"much-{name}.html"
        made = pages.tool(*arguments, "-o", path)
        count.check(made.returncode == 0, f"{name}: {made.stderr}")
        data, (head, *rows) = data_of(path), pages.csv(*arguments)
        sentences = data["provenance"].get("warnings", [])
        count.check(any(re.fullmatch(said, text) for text in sentences) and all(text in made.stderr for text in sentences), f"{name}: {sentences} {made.stderr}")
        axes = [data["axes"][i].get("labels") or data["axes"][i]["places"].split(",") for i in data["fields"][0]["axes"]]
        count.check(MOST / 3 < len(data["fields"]) * math.prod(map(len, axes)) <= MOST, f"{name}: {list(map(len, axes))} places of {len(data['fields'])} columns")
        for c, field in enumerate(data["fields"]):
            shown = dict(zip(itertools.product(*axes), field["values"].split(",")))
            whole = {tuple(row[:2]): row[2 + c] for row in rows}
            count.check(all(whole[at] == text for at, text in shown.items()), f"{name}: digits of {field['name']}")
            for first in axes[0] if name == "curves" else ():
                ends = lambda table: [pick((float(text) for at, text in table.items() if at[0] == first)) for pick in (min, max)]
                count.check(ends(shown) == ends(whole), f"{first}: the ends of {field['name']} are {ends(shown)}, not {ends(whole)}")


def spoiled(pages):
    """These checks can fail: a digit, a script and a request that do not belong are each noticed."""
    text, browser, count = (pages.folder / "alibi.html").read_text(), pages.browser, pages.count
    path = pages.folder / "spoiled.html"
    silent = Count()
    mine = Pages(pages.bin, pages.folder, browser, silent)
    path.write_text(text.replace("-0.5,", "-0.25,", 1))
    browser.open(path)
    sys.stdout, out = io.StringIO(), sys.stdout
    try:
        mine.rows_are("spoiled", pages.csv("pe-gen", "alibi", "--length", "8"))
    finally:
        sys.stdout = out
    count.check(silent.failed == 1, "a wrong digit goes unnoticed")
    for what, spoil in [("an image", lambda t: t.replace("<main", '<img src="http://127.0.0.1:9/x.png"><main', 1)), ("a script", lambda t: t.replace("<main", "<script>1</script><main", 1)),
                        ("a style", lambda t: t.replace("<main", '<main style="color:red"', 1)), ("another script", lambda t: t.replace('"use strict";', '"use strict"; ', 1))]:
        path.write_text(spoil(text))
        browser.open(path)
        browser.settle()
        count.check(browser.complaints, f"{what} that the policy forbids goes unnoticed")
    browser.open(pages.folder / "alibi.html")
    count.check(not browser.complaints, "the page as it was")


def quantities(pages):
    for arguments in QUANTITIES:
        name = "-".join(arguments[:2])
        path = pages.make(name, "pe-analyze", *arguments)
        pages.browser.open(path)
        pages.rows_are(name, pages.csv("pe-analyze", *arguments))
        only_own_numbers(pages, path, name)
        drawn = [text for text in data_of(path)["provenance"].get("warnings", []) if "as before training" in text]
        pages.count.check(drawn == ["the numbers of kerple are drawn, as before training (--seed 1)"] * ("kerple --seed 1" in arguments), f"{name}: {drawn}")
        pages.quiet(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    share.add_option(parser)
    given = parser.parse_args()
    path = program()
    if not path:
        print("skipped: no Chromium here, and none can be installed (apt-get install chromium)")
        print("0 passed, 0 failed")
        return 0
    count = Count()
    browser = page_browser.Browser(path)
    try:
        with tempfile.TemporaryDirectory() as folder:
            pages = Pages(given.bin, pathlib.Path(folder), browser, count)
            for source in (RECORD, page_every.RECORD):
                browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)
            browser.size(1280, 800)
            rows = json.loads(pages.tool("pe-gen", "list", "encodings", "--json").stdout)
            encodings = rows["encodings"] if isinstance(rows, dict) else rows
            some = [pages.folder / f"{name}.html" for name in ("notes", "llama", "t5", "alibi", "spectrum-rope", "decay-alibi", "laws-sinusoidal", "plan-rope")]
            for checks in (lambda: every_encoding(pages, [row for row in encodings if given.share.has(row["name"]) or row["name"] in OPENED]), lambda: quantities(pages), lambda: note_table(pages), lambda: colours(pages),
                           lambda: controls(pages), lambda: rotors(pages), lambda: languages(pages, some[:3]), lambda: squeezed(pages),
                           lambda: names(pages, some), lambda: still(pages), lambda: hostile(pages), lambda: refusals(pages), lambda: reductions(pages), lambda: spoiled(pages), lambda: page_told.every(pages), lambda: page_every.every_quantity(pages, given.share)):
                try:
                    checks()
                except (page_browser.Trouble, OSError, subprocess.TimeoutExpired) as trouble:
                    count.check(False, f"{trouble}; the browser says {browser.complaints}")
    finally:
        browser.close()
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
