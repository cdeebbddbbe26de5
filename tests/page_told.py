# What a page says of lengths, of scores, of what a scale cannot show, and of places along axes: nothing that nobody asked for, nothing that is not so.
import csv
import io
import math
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


    for name, others, wanted in (("two", ["gpt-oss-20b"], {"trained 8192 (llama-3.1-8b)", "trained 4096 (gpt-oss-20b)", "wanted 131072"}), ("alike", ["llama-3.1-70b"], {"trained 8192", "wanted 131072"}),
                                 ("four", ["gpt-oss-20b", "gpt-neox-20b", "qwen2.5-7b"], {"trained 8192 (llama-3.1-8b)", "trained 4096 (gpt-oss-20b)", "trained 2048 (gpt-neox-20b)", "trained 32768 (qwen2.5-7b)", "wanted 131072"})):
        opened(pages, f"lengths-{name}", "pe-analyze", "spectrum", "rope", "--model", "llama-3.1-8b", "--length", "131072", *(word for other in others for word in ("--versus", f"rope --model {other}")))
        found = {text for text in pages.browser.run(DRAWN) if re.match("trained|wanted", text)}
        pages.count.check(found == wanted, f"spectrum beside {others}: {found}, not {wanted}")
    pages.browser.run("(window.drawn.clear(), document.querySelectorAll('.lines-key button')[0].click())")
    found = {text for text in pages.browser.run(DRAWN) if text.startswith("trained")}
    pages.count.check(found == {text for text in wanted if text.startswith("trained") and "llama" not in text}, f"the length of a curve that is taken out: {found}")


def sums(pages):
    """What is called Σ cos kθ is the sum of the cosines that are shown; where it is not, the words say what else it has, or lacks."""
    for name, arguments, said in (("xpos", ["xpos", "--dim", "16"], "scale·"), ("xpos-first", ["xpos", "--dim", "16", "--scale-base", "40"], "scale·"), ("yarn", ["rope", "--model", "gpt-oss-20b"], "without the attention factor"), ("phi", ["rope", "--model", "phi-3.5-mini"], "without the attention factor"),
                                  ("bf16", ["rope", "--model", "gpt-oss-20b", "--dtype", "bf16"], "without the attention factor"), ("plain", ["rope", "--dim", "16"], ""), ("plain-bf16", ["rope", "--dim", "64", "--dtype", "bf16"], ""), ("mrope", ["mrope", "--segments", "text:8"], ""),
                                  ("llama", ["rope", "--model", "llama-3.1-8b"], ""), ("partial", ["rope", "--dim", "16", "--partial-rotary-factor", "0.5"], "")):
        arguments = ["pe-gen", *arguments, *([] if name == "mrope" else ["--length", "8"])]
        opened(pages, f"sums-{name}", *arguments)
        pages.browser.run("window.drawn.clear()")
        pages.count.check(to_place(pages, "position", "3"), f"{name}: no position 3")
        told = [text for text in pages.browser.run(DRAWN) if text.startswith("score of two tokens 3 apart")]
        head, *rows = csv.reader(io.StringIO(pages.tool(*arguments, "--tidy").stdout))
        cosines = math.fsum(float(row[head.index("cos")]) for row in rows if row[0] == "3")
        total = float(next(text.partition("=")[2] for text in pages.browser.run(READOUT) if text.startswith("decay.sum=")))
        equal = abs(cosines - total) < (0.05 if "bf16" in name else 1e-5) * len(rows)  / 8
        words = f"score of two tokens 3 apart{' ' + said if said.startswith('without') else ''}: Σ {said if said.startswith('scale') else ''}cos kθ = "
        pages.count.check(len(told) == 1 and told[0].startswith(words) and equal == (said == ""), f"{name}: {told}, the cosines add up to {cosines}")
    note = pages.tool("pe-analyze", "decay", "xpos", "--dim", "16", "--length", "40").stderr
    pages.count.check("Σ scale·cos stays above 0" in note, f"decay xpos: {note}")


def scores(pages):
    """The score of two tokens is shown where a position is a distance from position 0, and only there."""
    browser, count = pages.browser, pages.count
    is_score = lambda: [text for text in browser.run(DRAWN) if text.startswith("score of two tokens")]
    for name, arguments, place in (("tokens", ["mrope", "--segments", "text:5,image:4x6,text:3"], ("position", "20")), ("cells", ["rope-2d", "--grid", "6x8"], ("row", "3")), ("far", ["rope", "--positions", "5000:5010"], ("position", "5003"))):
        opened(pages, f"scores-{name}", "pe-gen", *arguments)
        count.check(to_place(pages, *place), f"{name}: no place {place}")
        count.check(not is_score() and not any(text.startswith("decay.sum") for text in browser.run(READOUT)), f"{' '.join(arguments)}: {is_score()} at {place}")
    for arguments in (["mrope", "--segments", "text:8"], ["rope", "--length", "8"]):
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


def shortened(pages):
    """Long values of parameters leave the page to what it shows: they are there on demand, by mouse and keys."""
    browser, count = pages.browser, pages.count
    factors = ",".join(["1.25"] * 16)
    for name, arguments in (("model", ["pe-gen", "--model", "phi-3.5-mini", "--length", "12"]), ("spectrum", ["pe-analyze", "spectrum", "--model", "phi-3.5-mini"]),
                            ("given", ["pe-gen", "rope", "--dim", "32", "--length", "9", "--scaling", "longrope", "--short-factor", factors, "--long-factor", factors, "--original-max-position", "4", "--max-position", "9"])):
        browser.size(360, 740)
        opened(pages, f"shortened-{name}", *arguments)
        high = browser.run("document.getElementById('parameters').getBoundingClientRect().height / parseFloat(getComputedStyle(document.body).fontSize)")
        first = browser.run("document.getElementById('tabs').getBoundingClientRect().top")
        count.check(high < 14 and first < 460, f"{name}: the parameters are {high:.0f} letters high, the first control {first:.0f} pixels down")
        whole = browser.run("(() => { const at = document.querySelector('#parameters details'), all = at.lastChild; return [all.textContent, all.checkVisibility(), (at.querySelector('summary').focus(), document.activeElement.tagName)]; })()")
        browser.press("Enter")
        shown = browser.run("document.querySelector('#parameters details').lastChild.checkVisibility()")
        count.check(whole[1:] == [False, "SUMMARY"] and shown and whole[0].count(",") >= 15, f"{name}: {whole} {shown}")
    browser.size(1280, 800)


# Of the first map that is shown: how far apart its colours lie, in steps of a channel, without those of what is no number.
COLOURS = """(() => { const cells = window.cells, found = [[255, 0], [255, 0], [255, 0]];
  for (let i = 0; i < cells.length; i += 4) { const of = [...cells.slice(i, i + 3)]; if (["190,192,188", "74,78,86"].includes(of.join())) continue; of.forEach((c, k) => { found[k] = [Math.min(found[k][0], c), Math.max(found[k][1], c)]; }); }
  return Math.max(...found.map(([a, b]) => b - a)); })()"""


def maps(pages):
    """A map shows the differences of its numbers, near 0 or far from it, whatever another head has; its ends are the tool's texts."""
    browser, count = pages.browser, pages.count
    for name, arguments, ends in (("kerple", ["pe-gen", "kerple", "--seed", "1", "--heads", "4", "--length", "12"], None), ("scale", ["pe-gen", "xpos", "--length", "6", "--fields", "query_scale"], True), ("cosine", ["pe-analyze", "similarity", "sinusoidal", "--length", "9", "--dim", "256", "--view", "matrix"], True),
                                  ("alibi", ["pe-gen", "alibi", "--heads", "8", "--length", "12"], None), ("learned", ["pe-gen", "learned", "--seed", "1", "--length", "12", "--dim", "16"], None), ("fire", ["pe-gen", "fire", "--seed", "1", "--length", "12"], None),
                                  ("t5", ["pe-gen", "t5", "--seed", "1", "--length", "12"], None), ("sinusoidal", ["pe-gen", "sinusoidal", "--length", "12", "--dim", "16"], None)):
        for scheme in ("light", "dark"):
            browser.prefer(prefers_color_scheme=scheme)
            opened(pages, f"maps-{name}", *arguments)
            browser.run("(window.drawn.clear(), document.getElementById('view-map').click())")
            sliders = browser.run("[...document.querySelectorAll('[id=axis-head]')].map(at => Number(at.max))[0] ?? 0")
            for head in range(sliders + 1):
                browser.run(f"(() => {{ const at = document.getElementById('axis-head'); if (at) {{ at.value = {head}; at.dispatchEvent(new Event('input')); }} }})()")
                spread = browser.run(COLOURS)
                count.check(spread > 60, f"{name}, head {head}, {scheme}: colours {spread} steps apart")
        if ends:
            head, *rows = pages.csv(*arguments)
            field = browser.run("document.querySelector('#caption strong').textContent")
            numbers = sorted((row[head.index(field)] for row in rows), key=float)
            drawn = set(browser.run(DRAWN))
            count.check({numbers[0], numbers[-1]} <= drawn and float(numbers[0]) > 0, f"{name}: the ends {numbers[0]} and {numbers[-1]} of {sorted(drawn)}")
    browser.prefer(prefers_color_scheme="light")


def directions(pages):
    """What has one direction is a line; what is opened on changes; keys are told by what they move along."""
    browser, count = pages.browser, pages.count
    opens = lambda: browser.run("[document.querySelector('#controls [id^=view-][aria-pressed=true]').id, document.querySelector('#caption strong').textContent, window.paths.some(path => path.length > 4)]")
    for name in ("index", "normalized-index"):
        opened(pages, f"directions-{name}", "pe-gen", name, "--length", "9")
        count.check(opens() == ["view-lines", "pe", True], f"{name} opens on {opens()}")
    for name, arguments in (("swin", ["swin", "--window", "3x3"]), ("decomposed", ["decomposed", "--grid", "3x3"])):
        opened(pages, f"directions-{name}", "pe-analyze", "buckets", *arguments)
        count.check(opens()[:2] == ["view-lines", "pairs"], f"buckets of {name} open on {opens()}")
    opened(pages, "directions-drift", "pe-analyze", "drift", "floater", "--seed", "1")
    count.check(browser.run("document.getElementById('log').getAttribute('aria-pressed')") == "true", "errors over 90 decades on a linear scale")
    opened(pages, "directions-grid", "pe-gen", "rope-3d", "--grid", "2x3x4", "--dim", "32")
    count.check(browser.run("document.getElementById('view').getAttribute('aria-label')") == "rotors: pair by up and down, column by left and right", "rotors of a grid")
    opened(pages, "directions-apply", "pe-apply", "rope", "--random", "1,1,6,8", "--seed", "1", "--fields", "q,k,v")
    browser.run("document.getElementById('language').click()")
    tabs = browser.run("[...document.querySelectorAll('[role=tab]')].map(at => at.textContent)")
    browser.run("document.getElementById('language').click()")
    count.check(any("键 k, 值 v" in tab for tab in tabs), f"queries, keys and values in Chinese: {tabs}")
    opened(pages, "directions-end", "pe-analyze", "laws", "sinusoidal", "--length", "32")
    browser.run("(document.getElementById('view-numbers').click(), document.getElementById('view').dispatchEvent(new KeyboardEvent('keydown', {key: 'End'})))")
    where = browser.run("document.querySelector('#plot .controls span').textContent")
    count.check(re.fullmatch(r"here: law \S+", where), f"the last page of numbers says {where!r}")


# What the ring of the keyboard's focus strikes through: texts, written, beside the element that has it.
STRUCK = """(() => { const found = new Set(), views = [...document.querySelectorAll("#controls [id^=view-]")].map((button) => button.id);
  for (const id of views) { document.getElementById(id).click();
    const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) { const at = walk.currentNode; if (!at.data.trim() || at.parentElement.closest(".unseen, script, noscript, option") || !at.parentElement.checkVisibility()) continue;
      const all = document.createRange(); all.selectNodeContents(at); for (const edge of all.getClientRects()) if (edge.width > 1) texts.push([at, edge]); }
    for (const at of document.querySelectorAll("button, select, input, [tabindex='0'], summary")) { if (!at.checkVisibility() || at.disabled) continue;
      const inner = at.getBoundingClientRect(); at.focus({ preventScroll: true, focusVisible: true }); const style = getComputedStyle(at), wide = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth);
      for (const [text, edge] of texts) { if (at.contains(text)) continue;
        if (edge.left < inner.right + wide && edge.right > inner.left - wide && edge.top < inner.bottom + wide && edge.bottom > inner.top - wide) found.add(`${id}: the ring of ${at.id || at.textContent.slice(0, 20)} strikes ${text.data.trim().slice(0, 30)}`); } } }
  return [...found]; })()"""
# Names of options and tools that stand on two lines though one would hold them.
BROKEN = """(() => { const found = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) { const at = walk.currentNode; if (at.parentElement.closest("script, noscript") || !at.parentElement.checkVisibility()) continue;
    for (const word of at.data.matchAll(/(?<![\\w-])(?:--?|pe-)[a-z][\\w-]{0,16}(?![\\w-])/g)) { const all = document.createRange(); all.setStart(at, word.index); all.setEnd(at, word.index + word[0].length);
      if (new Set([...all.getClientRects()].map((edge) => edge.top)).size > 1) found.add(word[0]); } }
  return [...found]; })()"""


def rings(pages):
    """The ring of the keyboard's focus leaves words alone, and names of options break at no hyphen."""
    browser, count = pages.browser, pages.count
    for name, arguments in (("bars", ["pe-analyze", "attention", "alibi", "--tokens", "a b c"]), ("numbers", ["pe-analyze", "published", "--only", "Press"]), ("keys", ["pe-analyze", "drift", "floater", "--seed", "1"]), ("rotors", ["pe-gen", "rope", "--length", "9"]),
                            ("map", ["pe-gen", "alibi", "--heads", "2", "--length", "9"]), ("long", ["pe-gen", "--model", "phi-3.5-mini", "--length", "9"]), ("figures", ["pe-analyze", "cost", "rope"]), ("versus", ["pe-analyze", "spectrum", "rope", "--versus", "rope --base 500000"])):
        for width, height in ((360, 740), (1280, 800), (3840, 1600)):
            browser.size(width, height)
            opened(pages, f"rings-{name}", *arguments)
            struck, broken = browser.run(STRUCK), browser.run(BROKEN)
            count.check(not struck and not broken, f"{name} at {width}: {struck[:4]} {broken[:4]}")
    browser.size(1280, 800)


def every(pages):
    pages.browser.size(1280, 800)
    for check in (lengths, sums, scores, ends, places, unbroken, senses, shortened, maps, directions, rings):
        check(pages)
    pages.quiet("what pages tell")
