# What a page says of lengths, of scores, of what a scale cannot show, and of places along axes: nothing that nobody asked for, nothing that is not so.
import re

DRAWN = "[...window.drawn]"
READOUT = "[...document.querySelectorAll('#readout dd')].map(dd => dd.dataset.field + '=' + dd.textContent)"


def opened(pages, name, *arguments):
    """The page of the command, open, with nothing drawn so far but what it opens on."""
    path = pages.make(name, *arguments)
    pages.browser.open(path)
    return path


def tab_named(pages, start):
    pages.browser.run(f"[...document.querySelectorAll('[role=tab]')].find(t => t.textContent.startsWith('{start}')).click()")


def to_place(pages, axis, text):
    """The slider of the axis, moved to where it says the text."""
    return pages.browser.run(f"""(() => {{ const at = document.getElementById('axis-{axis}'); for (let i = 0; i <= Number(at.max); ++i) {{ at.value = i; at.dispatchEvent(new Event('input'));
      if (at.parentElement.querySelector('output').textContent === '{text}') return true; }} return false; }})()""")


def lengths(pages):
    """A wavelength's picture has the length that was trained and the one that was asked for, where somebody said them, and no other."""
    for name, arguments, wanted in (("model", ["--model", "llama-3.1-8b"], {"trained 8192"}), ("shorter", ["--model", "llama-3.1-8b", "--length", "4096"], {"trained 8192", "wanted 4096"}),
                                    ("told", ["--trained", "5000", "--positions", "0:9000"], {"trained 5000", "wanted 9000"}), ("nothing", ["--dim", "64"], set()), ("same", ["--model", "llama-3.1-8b", "--length", "8192"], {"trained 8192"})):
        opened(pages, f"lengths-{name}", "pe-analyze", "spectrum", "rope", *arguments)
        found = {text for text in pages.browser.run(DRAWN) if re.match("trained|wanted", text)}
        pages.count.check(found == wanted, f"spectrum rope {' '.join(arguments)}: {found}, not {wanted}")
    opened(pages, "lengths-grid", "pe-analyze", "spectrum", "rope-2d", "--grid", "4x8")
    pages.count.check(not [text for text in pages.browser.run(DRAWN) if text.startswith("wanted")], "a grid's cells are counted along its axes: no length is wanted")


def scores(pages):
    """The score of two tokens is shown where a position is a distance from position 0, and only there."""
    browser, count = pages.browser, pages.count
    is_score = lambda: [text for text in browser.run(DRAWN) if text.startswith("score of two tokens")]
    for name, arguments, place in (("tokens", ["mrope", "--segments", "text:5,image:4x6,text:3"], ("position", "20")), ("cells", ["rope-2d", "--grid", "6x8"], ("row", "3")), ("far", ["rope", "--positions", "5000:5010"], ("position", "5003"))):
        opened(pages, f"scores-{name}", "pe-gen", *arguments)
        count.check(to_place(pages, *place), f"{name}: no place {place}")
        count.check(not is_score() and not any(text.startswith("decay.sum") for text in browser.run(READOUT)), f"{' '.join(arguments)}: {is_score()} at {place}")
    for arguments in (["mrope", "--segments", "text:8"], ["rope", "--length", "8"], ["xpos", "--length", "8"]):
        opened(pages, f"scores-{arguments[0]}", "pe-gen", *arguments)
        count.check(to_place(pages, "position", "5"), "position 5")
        total = next((text.partition("=")[2] for text in browser.run(READOUT) if text.startswith("decay.sum=")), "none")
        count.check(f"score of two tokens 5 apart: Σ cos kθ = {total}" in is_score(), f"{arguments}: {is_score()}, {total}")
    apart = browser.run("document.querySelector('.strip').getBoundingClientRect().top - document.getElementById('view').getBoundingClientRect().bottom")
    count.check(apart >= 6, f"the ring of keyboard focus, 6 pixels wide, covers the score, {apart} below")


def ends(pages):
    """Least and greatest are those of all numbers; of those that a scale has no place for it says so."""
    browser, count = pages.browser, pages.count
    opened(pages, "ends-buckets", "pe-analyze", "buckets", "t5")
    count.check(any(text.endswith("greatest inf, drawn up to 27") for text in browser.run(DRAWN)), f"width of buckets: {[text for text in browser.run(DRAWN) if 'greatest' in text]}")
    triangles = browser.run("window.paths.filter(path => path.length === 3 && path[0][1] === path[1][1] && path[2][1] < path[0][1]).length")
    count.check(triangles >= 2 and triangles % 2 == 0, f"{triangles} marks of buckets without an end, not 2 each time")
    arguments = ["decay", "rope", "--length", "64", "--versus", "alibi"]
    opened(pages, "ends-decay", "pe-analyze", *arguments)
    least = min((row[-1] for row in _column(pages, arguments, "score")), key=float)
    browser.run("(document.getElementById('field').selectedIndex = [...document.getElementById('field').options].findIndex(o => o.textContent === 'score'), document.getElementById('field').dispatchEvent(new Event('change')))")
    browser.run("(window.drawn.clear(), document.getElementById('log').click())")
    said, drawn = browser.run("document.getElementById('caption').textContent"), browser.run(DRAWN)
    count.check("A log scale shows what is above 0 alone" in said and "alibi" in said, f"what the log scale leaves out: {said}")
    count.check(any(text.startswith(f"least {least}, drawn down to ") for text in drawn), f"the least is {least}: {[text for text in drawn if text.startswith('least')]}")
    browser.run("document.getElementById('log').click()")
    count.check("log scale" not in browser.run("document.getElementById('caption').textContent"), "a linear scale leaves nothing out")


def _column(pages, arguments, name):
    head, *rows = pages.csv("pe-analyze", *arguments)
    at = head.index(name)
    return [row[:at + 1] for row in rows if row[at]]


def places(pages):
    """Coordinates are told by the names of what they run along, and a column of which nothing is known is not told."""
    browser, count = pages.browser, pages.count
    opened(pages, "places-mrope", "pe-gen", "mrope", "--segments", "text:5,image:4x6,text:3")
    tab_named(pages, "coordinate")
    count.check(browser.run("[...document.querySelectorAll('.bar > span:first-child')].map(at => at.textContent)") == ["time", "height", "width"], "the coordinates of a token by name")
    opened(pages, "places-sinusoidal", "pe-gen", "sinusoidal", "--length", "20", "--dim", "32")
    tab_named(pages, "spectrum")
    count.check(not any("turns_trained" in text for text in browser.run(READOUT)) and "turns_trained" not in browser.run("document.getElementById('field').textContent"), "what nobody said was trained")


def unbroken(pages):
    """A number of the readout stands on one line, wherever the reader stands in the table of shifts."""
    opened(pages, "unbroken", "pe-gen", "sinusoidal", "--length", "32", "--dim", "64")
    tab_named(pages, "shift")
    broken = pages.browser.run("""(() => { const found = [], lines = (at) => { const all = document.createRange(); all.selectNodeContents(at); return new Set([...all.getClientRects()].map((edge) => edge.top)).size; };
      for (const view of [...document.querySelectorAll("#controls [id^=view-]")].map((button) => button.id)) { document.getElementById(view).click();
        for (let i = 0; i < 64; ++i) { document.getElementById("view").dispatchEvent(new KeyboardEvent("keydown", {key: i % 2 ? "ArrowDown" : "ArrowRight", bubbles: true}));
          for (const at of document.querySelectorAll("#readout .number")) if (lines(at) > 1) found.push(at.textContent); } }
      return found; })()""")
    pages.count.check(not broken, f"numbers on two lines: {broken[:4]}")


def senses(pages):
    """A name that two quantities share is told in the sense that it has here."""
    for name, arguments, short, wanted in (("buckets", ["buckets", "t5"], "pairs", "查询–键对个数"), ("rank", ["shift", "learned", "--seed", "1", "--length", "64", "--dim", "8", "--view", "fit"], "rank", "秩"),
                                           ("plan", ["plan", "rope", "--model", "llama-2-7b", "--length", "8192"], "rank", "名次")):
        opened(pages, f"senses-{name}", "pe-analyze", *arguments)
        pages.browser.run("(document.getElementById('language').click(), document.getElementById('view-numbers').click())")
        said = pages.browser.run("[...document.querySelectorAll('#view th')].map(th => th.textContent)")
        pages.browser.run("document.getElementById('language').click()")
        pages.count.check(wanted in said, f"{short} of {arguments[0]}: {said}")


def every(pages):
    pages.browser.size(1280, 800)
    for check in (lengths, scores, ends, places, unbroken, senses):
        check(pages)
    pages.quiet("what pages tell")
