#!/usr/bin/env python3
# The page of -o page.html speaks Chinese throughout: every name, description, fixed word and sentence that any encoding or quantity can put on it has a row.
"""page_words.py --bin FOLDER

Makes a page of every encoding, of every field of it, of every field of pe-apply, and of every quantity with every choice of its options, and
asks for a Chinese row for each text that is not made of numbers. That nothing escapes: every field and column that the catalogue lists must
have been met, every row of the tables must be of a text that the library's sources have, and the page's own words are read from its scripts.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = ROOT / "lib/pe/io/page"
sys.path.insert(0, str(ROOT / "tests"))
from count import Count  # noqa: E402

CHINESE = re.compile("[㐀-鿿]")
SMALL = {"sincos-2d": ["--grid", "3x4", "--dim", "8"], "sincos-3d": ["--grid", "2x2x2", "--dim", "12"], "rope-2d": ["--grid", "3x3"], "swin": ["--window", "3x3"], "decomposed": ["--grid", "3x3"]}
# Words of these columns are sentences with numbers of the moment; those of the others are a fixed few, but for names and JSON.
SENTENCES, NAMES = {"why", "reason"}, {"config", "rule"}
# Of published numbers: what is quoted from data/published.csv.
CLAIMS = {"paper", "place", "what", "printed", "ours", "command", "value", "reason"}
# A source that says more than who, when and where.
PROSE = re.compile(r"\b(the|of|as|each|what|that)\b")
# Functions whose texts are sentences of a page, and words that a Chinese sentence keeps beside the names of what it speaks of.
SAYS = re.compile(r"^(?:\w+::)*(?:std::)?(?:string|vector<std::string>)\s+((?:\w*_)?(?:notes?|doubt|agreement|summary)(?:_\w+)?)\(.*?^}", re.M | re.S)
KEPT = {"token", "cos", "sin", "ln", "max", "Abel", "softmax", "float", "bfloat", "nan", "inf", "head", "et", "al", "mscale", "DeepSeek", "SGLang", "vLLM", "transformers", "FILE", "TENSOR", "compress", "main"}
NUMBER = re.compile(r"\d+(?:\.\d+)?")
# A label of a window's bucket, as "rows +1, columns -2".
NUMBERED = re.compile(r"rows [+-]\d+, columns [+-]\d+")
# Names that quantities share though their columns are described otherwise, and mean the same thing by; others have a row for each quantity, QUANTITY.NAME.
ONE_MEANING = {"cosine", "counter_example", "distinct", "first_negative", "frequency", "minimum", "negatives", "null_mean", "null_sd", "product", "published", "ratio", "reason", "residual", "rms", "sharp", "unscaled",
               "value", "verdict", "wavelength", "fall", "drawn_mean", "drawn_sd", "mean", "attention_factor", "score"}
# Names that a quantity has for each encoding in that encoding's own sense, and whose Chinese is as broad as they are.
BROAD = {"first", "second", "share", "weight"}
# Names that are formulas, types or symbols in every language.
SYMBOLS = {"k", "token", "B", "B_over_d"}


def table(name, text):
    """A constant of words.js as a dict: one level of names and strings."""
    body = re.search(rf"const {name} = {{(.*?)\n?[^\n]*}};", text, re.S)[0]
    return {quoted or bare: value for quoted, bare, value in re.findall(r'(?:"((?:[^"\\]|\\.)*)"|\b(\w+)):\s*"((?:[^"\\]|\\.)*)"', body)}


def sentences_of(provenance):
    """Warnings and notes, as the page says them: without the quantity that a note of several is of."""
    for name in ("warnings", "note", "notes", "left_out"):
        for sentence in provenance.get(name, []):
            yield sentence.split(": ", 1)[1] if name == "notes" else sentence


class Texts:
    """What the pages said, each text with the first command that said it."""

    def __init__(self, bin):
        self.bin, self.names, self.descriptions, self.words, self.met, self.silent = bin, {}, {}, {}, set(), []
        self.sentences, self.sources = {}, {}
        self.labels, self.plain = set(), {}  # what subjects, rules and the like are called; fields of no quantity
        self.senses, self.labelled = {}, []  # of a name: {description: quantities}; of several subjects: (label, sentence, Chinese)

    def page(self, command):
        made = subprocess.run([self.bin / command[0], *command[1:], "--format", "html"], capture_output=True, text=True, timeout=120)
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', made.stdout, re.S)
        return command, made, json.loads(found[1]) if found else None

    def take(self, commands, may_refuse=False):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for command, made, data in pool.map(self.page, commands):
                said = " ".join(command)
                if data is None:
                    self.silent += [] if may_refuse and made.returncode == 2 else [f"{said}: {made.stderr.strip()}"]
                    continue
                for field in data["fields"]:
                    prefix, _, short = field["name"].rpartition(".")
                    self.met.add((prefix or command[1], short))
                    for name in filter(None, (prefix, short)):
                        self.names.setdefault(name, said)
                    self.descriptions.setdefault(field["description"], said)
                    if not prefix and command[0] != "pe-analyze":
                        self.plain.setdefault(short, said)
                    if command[0] == "pe-analyze":
                        self.senses.setdefault(short, {}).setdefault(field["description"], set()).add(command[1])
                    for word in () if short in NAMES or (command[1] == "published" and short in CLAIMS - {"what"}) else field.get("words", ()):
                        if short not in SENTENCES | {"what"}:
                            self.words.setdefault(word, said)
                        elif word:
                            self.sentences.setdefault(word, (said, data["zh"].get(word)))
                self.sources.setdefault(data["provenance"].get("source", ""), (said, data["zh"]))
                for label in next((axis["labels"] for axis in data["axes"] if axis["name"] == "subject"), []):
                    self.labelled += [(label, note, data["zh"].get(note)) for note in data["provenance"].get("note", []) if note.startswith(label + ": ")]
                for sentence in sentences_of(data["provenance"]):
                    self.sentences.setdefault(sentence, (said, data["zh"].get(sentence)))
                self.labels |= {word for axis in data["axes"] for label in axis.get("labels", []) for word in re.findall("[A-Za-z]+", label)}
                for axis in data["axes"]:
                    self.names.setdefault(axis["name"], said)
                    self.descriptions.setdefault(axis["description"], said)


def commands_of_gen(listed):
    for row in listed["encodings"]:
        yield ["pe-gen", row["name"], *SMALL.get(row["name"], ["--length", "4"]), *(["--seed", "1"] if any(p["name"] == "seed" for p in row["parameters"]) else [])]


def commands_of_quantities(listed):
    for quantity in listed["quantities"]:
        of = quantity["kind"].split()
        for encoding in listed["encodings"]:
            if not {"any", encoding["name"], encoding["kind"]} & set(of):
                continue
            bare = ["pe-analyze", quantity["name"], encoding["name"], *SMALL.get(encoding["name"], ["--length", "40"])]
            yield bare
            yield from ([*bare, "--" + option["name"], choice] for option in quantity["parameters"] for choice in option.get("choices", []))


def columns_of(text):
    """"lag: a b | row: c" or "a b", with * for any number of a name: the names."""
    return {name for part in text.split("|") for name in part.rpartition(":")[2].split()}


def collect(bin, count):
    listed = json.loads(subprocess.run([bin / "pe-analyze", "list", "--json"], capture_output=True, text=True, check=True).stdout)
    texts = Texts(bin)
    gen = list(commands_of_gen(listed))
    texts.take(gen)
    of = {command[1]: command for command in gen}
    texts.take([[*of[name], *options_for(field, name), "--fields", field["name"]] for field in listed["fields"] for name in field["encodings"]], may_refuse=True)
    texts.take([[*command, "--dialect", dialect["name"]] for command in gen for dialect in listed["dialects"][1:] if command[1] in ("rope", "sinusoidal", "sincos-2d")], may_refuse=True)
    applied = []
    for command in gen:
        random = ["pe-apply", command[1], "--random", "1,2,8,24" if command[1] == "sincos-3d" else "1,2,9,24" if command[1] in SMALL else "1,2,4,8", "--seed", "1", *(o for o in SMALL.get(command[1], []) if o not in ("--dim", "8", "12"))]
        asked = subprocess.run([bin / "pe-apply", *random[1:], "--fields", "none-of-these"], capture_output=True, text=True)
        if asked.returncode == 2 and "choose from " in asked.stderr:
            applied += [[*random, "--fields", name] for name in asked.stderr.strip().rpartition("choose from ")[2].split(", ")]
        else:
            count.check(False, f"{' '.join(random)}: {asked.stderr}")
    texts.take(applied, may_refuse=True)
    texts.take(commands_of_quantities(listed), may_refuse=True)
    texts.take([["pe-gen", "--model", model["name"], "--length", "4"] for model in listed["models"]], may_refuse=True)
    texts.take([["pe-analyze", "plan", "rope", "--model", "llama-2-7b"], ["pe-analyze", "laws", "index", "--length", "99"], ["pe-analyze", "decay", "alibi", "--length", "8", "--versus", "kerple --seed 1"], ["pe-analyze", "cost"], ["pe-analyze", "laws", "--length", "8"],
                ["pe-analyze", "spectrum", "rope", "--model", "llama-3.1-8b", "--versus", "rope --model llama-2-7b"], ["pe-analyze", "spectrum", "rope-2d", "--grid", "4x8", "--versus", "rope-2d --base 50"], ["pe-analyze", "context", "rope", "--length", "1024", "--versus", "rope --base 500000"],
                ["pe-analyze", "plan", "rope", "--model", "llama-2-7b", "--length", "8192", "--versus", "rope --model llama-3.1-8b"], ["pe-analyze", "margins", "sinusoidal", "--length", "40", "--versus", "learned --seed 1"],
                ["pe-analyze", "decay", "rope", "--length", "20", "--draws", "9"], ["pe-analyze", "exposure", "rope", "--length", "5000"],
                ["pe-analyze", "precision", "rope", "--dim", "8", "--length", "70000", "--pipelines", "fp16"],
                ["pe-analyze", "published", "--only", "RoFormer"],
                ["pe-gen", "deberta", "--length", "4", "--seed", "1", "--heads", "2", "--head-dim", "4", "--fields", "table"],
                ["pe-analyze", "attention", "alibi", "--tokens", "a b c", "--view", "matrix", "--seed", "1"], ["pe-analyze", "spectrum", "rope", "--model", "llama-3.1-8b"],
                *(["pe-analyze", "attention", name, "--tokens", tokens, *more] for name, tokens, *more in
                  (("rope", "the cat sat on the mat"), ("alibi", "a b a"), ("alibi", "a a a"), ("rope", "a b", "--no-causal"), ("index", "x y x y"))),
                ["pe-analyze", "scaling", "rope", "--model", "llama-2-7b"], ["pe-analyze", "scaling", "rope", "--trained", "64", "--factor", "2"], ["pe-analyze", "scaling", "rope", "--versus", "rope --base 500000"],
                ["pe-analyze", "spectrum", "rope-3d", "--grid", "3x4x5", "--dim", "32"], ["pe-analyze", "spectrum", "rope", "--dim", "8", "--trained", "9999999"], ["pe-analyze", "decay", "xpos", "--length", "64"],
                ["pe-analyze", "buckets", "t5", "--view", "fragile"], ["pe-analyze", "buckets", "t5", "--num-buckets", "4", "--max-distance", "8", "--view", "fragile"], ["pe-analyze", "interpolation", "rope", "--dim", "8", "--base", "4"],
                ["pe-analyze", "interpolation", "rope", "--dim", "16", "--view", "curve", "--length", "64"], ["pe-analyze", "margins", "sinusoidal", "--dim", "2", "--base", "1", "--length", "9"],
                ["pe-analyze", "precision", "rope", "--dim", "8", "--length", "300", "--view", "summary"], ["pe-analyze", "exposure", "rope", "--trained", "2048", "--length", "16384"],
                ["pe-analyze", "similarity", "sinusoidal", "--dim", "8", "--length", "600", "--view", "matrix"], ["pe-analyze", "scaling", "rope", "--partial-rotary-factor", "0.5"], ["pe-gen", "rope", "--model", "gpt-oss-20b", "--length", "4"]])
    count.check(not texts.silent, f"no page of {texts.silent[:6]}")
    for quantity in listed["quantities"]:
        missed = {name for name in columns_of(quantity["columns"]) if not any(name == short or ("*" in name and re.fullmatch(name.replace("*", ".*"), short)) for where, short in texts.met if where == quantity["name"])}
        count.check(not missed, f"no page shows {quantity['name']}'s {sorted(missed)}")
    missed = {(name, field["name"]) for field in listed["fields"] for name in field["encodings"]} - texts.met
    count.check(not missed, f"no page shows the fields {sorted(missed)[:8]}")
    return listed, texts


def rows_of(path, count):
    """A table of English and Chinese: two columns, sorted, no row twice, none empty."""
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    count.check(all(len(row) == 2 and row[1].strip() for row in rows), f"{path.name}: two columns in every row")
    falls = [b[0] for a, b in zip(rows, rows[1:]) if b[0] <= a[0]]
    count.check(not falls, f"{path.name}: sorted, no row twice: {falls[:2]}")
    return dict(row for row in rows if len(row) == 2)


def literals():
    """Every string literal of the library, neighbours joined, and those with places for numbers as patterns: where a row's English must stand."""
    found = []
    for path in sorted((ROOT / "lib").rglob("*.[ch]pp")):
        for run in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', path.read_text()):
            found.append("".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run)).replace('\\"', '"'))
    return set(found), [re.compile(".+".join(map(re.escape, text.split("{}")))) for text in set(found) if "{}" in text and re.search(r"\w{4}", text)]


def calls(text, names):
    """What stands between the brackets of each call of one of the names."""
    for call in re.finditer(rf"\b(?:{names})\(", text):
        end, depth = call.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[call.end():end]


def unsaid(sentences):
    """What the functions say, and what is said of a config, of which no row has the words, whatever stands between them; and how many places were read."""
    shown = re.sub(r"\d+(?:\.\d+)?", "{}", "\n".join(re.sub(r"{[^}]*}", "{}", english) for english in sentences))
    missed, places = [], 0
    for path in sorted(path for floor in ("analyze", "configs", "page", "subject") for path in (ROOT / "lib/pe" / floor).rglob("*.cpp")):
        source = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        for place in [*(function[0] for function in SAYS.finditer(source) if path.parent.name != "configs"), *calls(source, r"warn|warn_unless|warnings\.push_back|left_out\.rows\.push_back")]:
            places += 1
            for run in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', place):
                text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run)).replace('\\"', '"')
                for piece in re.sub(r"\d+(?:\.\d+)?", "{}", re.sub(r"{[^}]*}", "{}", text)).removeprefix("{}: ").split("; "):
                    if len(re.findall("[A-Za-z]{2,}", piece)) > 2 and not re.search(".*".join(map(re.escape, piece.strip(" ,:;").split("{}"))), shown):
                        missed.append(f"{path.name}: {piece}")
    return missed, places


def claims(count, column, sentences, at_least):
    """A column of data/published.csv: every sentence has a row, none of its numbers is lost, and every row has a sentence."""
    with open(ROOT / "data/published.csv", newline="", encoding="utf-8") as file:
        told = {row[column] for row in csv.DictReader(file)} - {""}
    used = set()
    forms = [(re.compile("(.+)".join(map(re.escape, english.split("{}")))), chinese) for english, chinese in sentences.items()]
    for sentence in sorted(told):
        form, chinese = next(((form, chinese) for form, chinese in forms if form.fullmatch(sentence)), (None, ""))
        used.add(chinese)
        found = re.sub(r"{(\d)}", lambda slot, form=form, sentence=sentence: form.fullmatch(sentence)[int(slot[1]) + 1], chinese)
        count.check(CHINESE.search(found) and same_numbers(sentence, found), f"no Chinese for {column} {sentence!r}: {found!r}")
    count.check(len(told) > at_least, f"data/published.csv has {len(told)} of {column}")
    return used


def same_numbers(sentence, chinese):
    return "thousand" in sentence or sorted(NUMBER.findall(sentence)) == sorted(NUMBER.findall(chinese))


def own_words(words, names, count):
    used = set()
    for path in sorted(PARTS.glob("*.js")):
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        for call in re.findall(r"(?<![\w.])t\((?:\{[^}]*\}\[\w+\]|[^,()]+)", text):
            used |= set(re.findall(r'"((?:[^"\\]|\\.)*)"', call))
    used |= {name for path in PARTS.glob("*.js") for name in re.findall(r'^  name: "(\w+)"', path.read_text(), re.M)}
    for word in sorted(used):
        count.check(word in words or word in names, f"words.js: no Chinese for the page's own {word!r}")
    count.check(len(used) > 30, f"only {len(used)} own words were found in the scripts")


def options_for(field, name):
    """What an encoding has the field with, where that is no default: "…; of swin --form continuous"."""
    with_options = re.search(rf"; of {name} (--.+)", field["summary"])
    return with_options[1].split() if with_options else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/cmd")
    count = Count()
    script = (PARTS / "words.js").read_text()
    words = table("WORDS", script)
    names, rows = (rows_of(PARTS / file, count) for file in ("zh_names.tsv", "zh.tsv"))
    own_words(words, names, count)
    listed, texts = collect(parser.parse_args().bin, count)
    known, made = literals()
    sentences = rows_of(PARTS / "zh_sentences.tsv", count)
    with open(ROOT / "data/published.csv", newline="", encoding="utf-8") as file:
        whole = {cell for row in csv.DictReader(file) for cell in row.values()}
    missed, places = unsaid([*rows, *sentences])
    count.check(places > 70 and not missed, f"zh_sentences.tsv: of {places} places that say sentences no row has {missed}")
    for english in rows:
        count.check(english in texts.descriptions or english in texts.words or english in known or any(pattern.fullmatch(english) for pattern in made), f"zh.tsv: no source has {english!r}")
    for description, said in sorted(texts.descriptions.items()):
        count.check(not description or description in rows, f"zh.tsv lacks {description!r} of {said}")
    for word, said in sorted(texts.words.items()):
        count.check(word in rows or word in names or NUMBERED.fullmatch(word), f"zh.tsv lacks the word {word!r} of {said}")
    for name, said in sorted(texts.names.items()):
        count.check(name in SYMBOLS or CHINESE.search(names.get(name, "")), f"zh_names.tsv lacks {name!r} of {said}")
    for name, said in sorted(texts.plain.items()):
        count.check(CHINESE.search(names.get("." + name, names.get(name, ""))), f"zh_names.tsv lacks {name!r} or .{name} of {said}")
    for name, senses in sorted(texts.senses.items()):
        bare = {text: sorted(q for q in of if f"{q}.{name}" not in names) for text, of in senses.items()}
        bare = {text: of for text, of in bare.items() if of}
        within = [sorted(of & other) for text, of in senses.items() for again, other in senses.items() if text < again and of & other]
        count.check(name in ONE_MEANING | BROAD or not within, f"zh_names.tsv: {name} of {within[:1]} is of several senses: {sorted(senses)}")
        count.check(name in ONE_MEANING or len({tuple(of) for of in bare.values()}) < 2, f"zh_names.tsv lacks rows QUANTITY.{name}, a name of several senses: {bare}")
    for label, note, chinese in texts.labelled:
        count.check(chinese and chinese.startswith(label + "："), f"{note!r} of {label} is told as {chinese!r}")
    count.check(len(texts.labelled) > 4, f"{len(texts.labelled)} notes of several subjects")
    for row in listed["encodings"]:
        count.check(CHINESE.search(names.get("encoding " + row["name"], "")), f"zh_names.tsv: no gloss of {row['name']}")
    for row in listed["quantities"]:
        count.check(CHINESE.search(names.get(row["name"], "")), f"zh_names.tsv lacks the quantity {row['name']}")
    for accuracy in sorted({row["accuracy"] for row in [*listed["encodings"], *listed["quantities"]]}):
        count.check(accuracy in rows, f"zh.tsv lacks the accuracy {accuracy!r}")
    for source, (said, chinese) in sorted(texts.sources.items()):
        count.check(not PROSE.search(source) or CHINESE.search(chinese.get(source, "")), f"zh.tsv lacks the source {source!r} of {said}")
    axes = {axis for axis in texts.names if CHINESE.search(names.get(axis, "")) and axis in {"frame", "row", "column", "position", "query", "key", "distance", "lag", "pair", "length", "other", "bucket", "subject"}}
    called = (texts.labels | {word for kind in listed.values() for row in kind for word in re.findall("[A-Za-z]+", str(row.get("name", "")))}) - axes
    for sentence, (said, chinese) in sorted(texts.sentences.items()):
        count.check(chinese is not None, f"zh_sentences.tsv lacks {sentence!r} of {said}")
        if chinese is None:
            continue
        left = set(re.findall("[A-Za-z]{2,}", re.sub(r"“[^”]*”|--[a-z-]+(?: [a-z]+)?|\w+(?:[-._][A-Za-z]\w*)+|\S+=\S+", "", chinese))) - called - KEPT - set(said.split())
        count.check(not left or sentence in whole, f"zh_sentences.tsv: {sorted(left)} of {sentence!r} stays English in {chinese!r}")
        count.check(CHINESE.search(chinese) and sorted(NUMBER.findall(sentence)) == sorted(NUMBER.findall(chinese)), f"{chinese!r} is not {sentence!r}")
    claims(count, "reason", sentences, 50)
    whats = rows_of(ROOT / "data/published.zh.tsv", count)
    unused = set(whats.values()) - claims(count, "what", whats, 200)
    count.check(not unused, f"data/published.zh.tsv: no row of published.csv is {sorted(unused)}")
    sentences |= whats
    for english, chinese in sentences.items():
        slots = [int(slot) for slot in re.findall(r"{(\d+)[n,]?}", chinese)]
        count.check(sorted(slots) == list(range(english.count("{}"))), f"zh_sentences.tsv: the slots of {english!r}")
    return count.close()


if __name__ == "__main__":
    sys.exit(main())
