# The page of the notes, in English and in Chinese: claim, command, output, picture, verdict.
import os
import pathlib
import re

WIDEST, USUAL = 110, (6, 2)
TITLES = {"000": "LLM学习笔记-位置编码篇", "001": "Transformer位置编码详解", "002": "位置编码 (Positional Encoding)", "003": "什么是位置编码",
          "004": "位置编码（Position Embedding, PE）"}
EN = {
    "title": "# Five notes on position encoding, put to the numbers",
    "other": "[中文](notes.zh.md)",
    "intro": """Five introductions in Chinese, as students read them, gone through line by line: each claim in the note's own words, the command that it is put
to, what that prints (long outputs are cut, and say so), and a verdict. No verdict is typed: it follows from the numbers, by an expression that
[claims.toml](claims.toml) has for each, and `scripts/notes --check` runs everything on this page again. The commands of each run in an empty folder
from which this repository's `tests` can be seen (from its root: `mkdir try && cd try && ln -s ../tests`), with the tools on `PATH` and, for two, a
`python3` that has NumPy; some leave files there. Queries and keys are taken as they are: where a score is of x and p, W_Q, W_K and W_V are left out, as
if they were 1. They are good notes: most of what they say holds to the last digit.""",
    "verdict": "| verdict | claims | what it means |\n|---|---|---|",
    "holds": "✓ holds", "differs": "≈ differs", "wrong": "✗ not so", "sound": "✓ sound", "stops": "✗ stops", "runs, and is wrong": "✗ runs, and is wrong",
    "a part": "✓ a sound part of a program",
    "means": {"holds": "what the note says is what the numbers say", "differs": "right in what matters, and not as it is put",
              "wrong": "the numbers say otherwise"},
    "notes": "The notes: ", "note": "note", "why": "why", "also": "also", "lines": "lines", "exit": "exit code {}",
    "stop": ".", "dash": " — ", "semicolon": "; ", "comma": ", ", "colon": ": ",
    "drawn": "Drawn by", "figures": "Its figures, from `data/published.csv`, each taken at its word", "printed": "| what | printed | ours | |\n|---|---|---|---|",
    "snippets": "## Their code", "snippet": "What each snippet did when it was run as it stands (`tests/notes/record.py`), and what the verifier says of what it computed.",
    "ran": "as it stands", "end": "## What no number here can say",
    "beyond": """How well a *trained* model carries on beyond its length (“ALiBi ✅ best”, “stable on long sequences”), how fast some processor is, whether a choice
generalises or is easy to build in, what a recursion loses by its steps in a row, how good texts cut into windows or chunks or seen through the
sparse patterns of Longformer and BigBird come out, whether contexts have grown “from 2K to 1M”, which encoding suits medicine or law: these take
models, data, clocks and the news. The counts behind them (`pe-analyze cost`, `exposure`, `context`, `spectrum`) are above; the stars are not ours
to give.""",
}
ZH = EN | {
    "title": "# 五篇位置编码笔记，逐条用数字验证",
    "other": "[English](notes.md)",
    "intro": """五篇中文入门笔记，一行一行地过：每个论断先引原话，再给出检验它的命令、命令的输出（太长的截短，并注明）和结论。结论不是手写的，
而是由 [claims.toml](claims.toml) 里的表达式根据输出算出来的；`scripts/notes --check` 会把本页的一切重跑一遍。每个论断的命令都在一个空目录里运行，
目录里要能看到本仓库的 `tests`（在仓库根目录下：`mkdir try && cd try && ln -s ../tests`），工具需在 `PATH` 里（有两处还要带 NumPy 的 `python3`）；有的命令会在目录里留下文件。
q、k 直接取给定的向量：得分由 x 和 p 算出时，不乘 W_Q、W_K、W_V（相当于都取单位矩阵）。先说总评：这些笔记写得不错，大多数说法连最后一位数字都对得上。""",
    "verdict": "| 结论 | 条数 | 含义 |\n|---|---|---|",
    "holds": "✓ 成立", "differs": "≈ 有出入", "wrong": "✗ 不成立", "sound": "✓ 正确", "stops": "✗ 运行报错", "runs, and is wrong": "✗ 能运行，但结果不对",
    "a part": "✓ 节选，内容正确",
    "means": {"holds": "笔记说的和数字一致", "differs": "大意对，但表述不够准确", "wrong": "数字说的是另一回事"},
    "notes": "五篇笔记：", "note": "笔记", "also": "另见", "lines": "行", "exit": "退出码 {}",
    "stop": "。", "dash": "——", "semicolon": "；", "comma": "，", "colon": "：",
    "drawn": "画图命令", "figures": "其中的数字（来自 `data/published.csv`，逐字较真）", "printed": "| 内容 | 原文 | 我们算的 | |\n|---|---|---|---|",
    "snippets": "## 代码片段", "snippet": "每段代码原样运行的结果（`tests/notes/record.py`），以及工具对其计算结果的判断。",
    "ran": "原样运行", "end": "## 这里的数字回答不了的问题",
    "beyond": """**训练好的**模型超出训练长度之后效果如何（“ALiBi ✅ 最佳”“长序列性能稳定”），在某种处理器上有多快，泛化能力、“兼容性”怎样，
递归式的串行步骤拖慢多少，滑动窗口、分块或 Longformer、BigBird 的稀疏注意力处理长文本效果如何，上下文是否真的“从 2K 到了 1M”，
医学、法律文本该选哪种编码：这些要靠模型、数据、计时和新闻来回答。背后能数的东西（`pe-analyze cost`、`exposure`、`context`、`spectrum`）上面都有；星星就不由我们来打了。""",
}
TEXTS = {"en": EN, "zh": ZH}
# What published.csv says of the notes' numbers, and its words, in Chinese.
FIGURES = dict(line.split("\t") for line in (pathlib.Path(__file__).resolve().parents[1] / "data/published.zh.tsv").read_text(encoding="utf-8").splitlines())
ANSWERS = {"holds": "成立", "fails": "不成立", "yes": "是", "no": "否"}


def cut(line):
    return line if len(line) <= WIDEST else line[:WIDEST - 1] + "…"


def abridged(text, first, last, word):
    """The first and the last lines of an output; what is left out says how much it is."""
    lines = text.splitlines()
    if len(lines) > first + last + 1:
        lines = lines[:first] + [f"⋯ {len(lines) - first - last} {word} ⋯"] + (lines[-last:] if last else [])
    return [cut(line) for line in lines]


def picked(text, pattern, word):
    """The first line of an output and those that match."""
    lines = text.splitlines()
    wanted = [n for n, line in enumerate(lines) if not n or re.search(pattern, line)]
    found, before = [], -1
    for n in [*wanted, len(lines)]:
        if n > before + 1:
            found.append(f"⋯ {n - before - 1} {word} ⋯")
        found += lines[n:n + 1]
        before = n
    return [cut(line) for line in found]


def console(claim, answers, texts):
    lines = []
    own = len(answers) - len([claim["after"]] if "after" in claim else [])
    for number, answer in enumerate(answers):
        first, last = claim.get("show", USUAL) if number < own else (2, 0)
        lines.append(f"$ {answer.command}")
        if "pick" in claim:
            lines += [line for part in (answer.out, answer.err) if part for line in picked(part, claim["pick"], texts["lines"])]
        elif number in claim.get("commands_shown", range(len(answers))):
            lines += abridged(answer.out, first, last, texts["lines"]) + abridged(answer.err, 3, 0, texts["lines"])
        if answer.code:
            lines.append(f"[{texts['exit'].format(answer.code)}]")
    return "```console\n" + "\n".join(lines) + "\n```\n"


def figure_faults(rows):
    """Numbers of the notes that the Chinese page has no words for, or loses digits of."""
    there = {row["what"] for row in rows}
    faults = [f"published.zh.tsv lacks {what!r}" for what in sorted(there - FIGURES.keys())]
    digits = re.compile(r"\d+")
    return faults + [f"published.zh.tsv: {chinese!r} has other numbers than {what!r}" for what, chinese in FIGURES.items()
                     if "thousand" not in what and not set(digits.findall(what)) <= set(digits.findall(chinese))]


def figures(rows, texts):
    if not rows:
        return ""
    marks = {"match": "✓", "differs": "≈", "ambiguous": "≈", "refuted": "✗"}
    def cell(text, words):
        return (words.get(text, text) if texts is ZH else text).replace("|", r"\|")
    lines = [f"| {row['note']}{texts['colon']}{cell(row['what'], FIGURES)} | {cell(row['printed'], ANSWERS)} | {cell(row['ours'], ANSWERS)} | {marks[row['verdict']]} |" for row in rows]
    return f"\n<details><summary>{texts['figures']}</summary>\n\n{texts['printed']}\n" + "\n".join(lines) + "\n\n</details>\n"


def drawer(claim):
    """The command of a claim's picture: its own, or the one that stands above it in the gallery."""
    if "draw" in claim:
        return f"{claim['draw']} --dpi 80 -o {claim['picture']}"
    page = (pathlib.Path(__file__).resolve().parents[1] / "data/gallery/README.md").read_text(encoding="utf-8")
    return re.search(r"`([^`\n]+)`\n\n!\[[^]]*\]\(" + re.escape(os.path.basename(claim["picture"])) + r"\)", page)[1]


def heading(language, claim):
    return (claim["en"] if language == "en" else claim.get("title_zh", claim["quote"])).replace("$", r"\$")


def block(language, texts, number, claim, answers, rows, teller):
    where = f"{texts['note']} {claim['note'][0]}{texts['comma']}{claim['where']}"
    where += f"{texts['semicolon']}{texts['also']} {', '.join(claim['note'][1:])}" if len(claim["note"]) > 1 else ""
    text = f"\n<a id=\"{claim['id']}\"></a>\n\n### {number}. {heading(language, claim)}\n\n"
    text += f"> {claim['quote']}{texts['dash']}{where}\n\n" if language == "en" or "title_zh" in claim else f"> {where}\n\n"
    text += console(claim, answers, texts)
    text += f"\n**{texts[claim['verdict']]}{texts['stop']}** {teller(claim, 'why' if language == 'en' else 'zh')}\n"
    if "picture" in claim:
        text += f"\n![{os.path.basename(claim['picture']).rsplit('.', 1)[0]}]({claim['picture']})\n\n{texts['drawn']}{texts['colon']}`{drawer(claim)}`\n"
    return text + figures(rows, texts)


def snippet_block(language, texts, snippet, answers, teller, ran):
    line = next(line for line in ran if line.startswith(snippet["ran"]))
    text = f"\n<a id=\"{snippet['id']}\"></a>\n\n### {snippet['note']}: `{snippet['name']}`\n\n**{texts[snippet['verdict']]}{texts['stop']}** {teller(snippet, 'why' if language == 'en' else 'zh')}\n"
    text += f"\n{texts['ran']}{texts['colon']}`{line.split(': ', 1)[1]}`\n"
    return text + ("\n" + console({"show": (1, 0)}, answers, texts) if answers else "")


def opening(language, texts, document):
    claims = document["claim"]
    text = f"{texts['title']}\n\n{texts['other']}\n\n{texts['intro']}\n\n{texts['notes']}" + " · ".join(f"{k} *{v}*" for k, v in TITLES.items()) + "\n\n"
    text += texts["verdict"] + "\n"
    for verdict in ("holds", "differs", "wrong"):
        text += f"| {texts[verdict]} | {sum(c['verdict'] == verdict for c in claims)} | {texts['means'][verdict]} |\n"
    for verdict in ("wrong", "differs"):
        text += f"\n{texts[verdict]}{texts['colon']}" + " · ".join(f"[{heading(language, c)}](#{c['id']})" for c in claims if c["verdict"] == verdict) + "\n"
    return text


def blocks(language, document, answers, numbers, teller, ran):
    """The page, block by block, by what each is of."""
    texts = TEXTS[language]
    found = {"the head of the page": opening(language, texts, document)}
    for number, claim in enumerate(document["claim"], 1):
        found[claim["id"]] = block(language, texts, number, claim, answers[claim["id"]], numbers[claim["id"]], teller)
    found["the head of the snippets"] = f"\n{texts['snippets']}\n\n{texts['snippet']}\n"
    for snippet in document["snippet"]:
        found[snippet["id"]] = snippet_block(language, texts, snippet, answers[snippet["id"]], teller, ran)
    return found | {"the end": f"\n{texts['end']}\n\n{texts['beyond']}\n"}
