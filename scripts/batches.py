#!/usr/bin/env python3
# Deals source files into batches that compile as one: batches.py --out FOLDER [--include FOLDER]… [--lines N] FILE… writes
# FOLDER/batch_N.cpp and prints their names. Files of a batch know nothing of each other: none uses a name that another keeps to
# itself, and where a pattern cannot tell, they stay apart.
import argparse
import pathlib
import re
import sys

NOISE = re.compile(r'//[^\n]*|R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
WORD = re.compile(r"[A-Za-z_]\w*")
# Members and names of the standard library are told apart by what stands before them.
MEMBER = re.compile(r"(?:(?<!\.)\.|->|\bstd::)\s*[A-Za-z_]\w*")
INCLUDE = re.compile(r'^#include ("([^"]+\.hpp)"|<[^>]+>)\s*$', re.MULTILINE)
CONDITION = re.compile(r"^#if.*?^#endif", re.MULTILINE | re.DOTALL)  # a header of one kind of machine stays where it is
CALL = re.compile(r"(?:(\w+)[&*>]*\s+|[&*>]\s*)?\b([A-Za-z_]\w*)\(")
MACRO = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union)\s+(\w+)")
CONSTANT = re.compile(r"^(?:extern |static |inline )?const")
BESIDE = re.compile(r",\s*\*?(\w+)\s*(?=[={\[;,])")  # constexpr Index rows = 4, columns = 8;
OPENS = re.compile(r"^using namespace ([\w:]+);", re.MULTILINE)
ALIAS = re.compile(r"^using (\w+) = .*;$", re.MULTILINE)
NOT_DECLARATIONS = re.compile(r"^(?:namespace|template|using namespace|using [\w:]+;|using enum|static_assert|public|private|[}#)\s]|$)")
KEYWORDS = {"struct", "double", "void", "auto", "float", "int", "bool", "return", "throw", "else", "new", "delete", "case", "co_return"}


def declared(line):
    """The names that a line which begins a declaration introduces, each with whether it is a function's."""
    if NOT_DECLARATIONS.match(line):
        return []
    if found := TYPE.match(line):
        return [(found[1], False)]
    head = re.split(r"[({=;]|\[(?!\[)", re.sub(r"\[\[.*?\]\]", "", line), maxsplit=1)
    words = WORD.findall(head[0])
    if len(words) < 2 or words[-1] in KEYWORDS:  # a macro's call, a function's type
        return []
    function = line.partition(head[0])[2].startswith("(")
    return [(words[-1], function), *((name, False) for name in BESIDE.findall(line) if not function)]


def own_names(text):
    """What no other file can name: all in an unnamed namespace, and constants anywhere."""
    unnamed = False
    for line in text.splitlines():
        if line == "namespace {":
            unnamed = True
        elif line.startswith("}  "):
            unnamed = False
        elif unnamed or CONSTANT.match(line):
            yield from declared(line)


class Headers:
    """What the project's headers declare, each with all that it includes."""

    def __init__(self, folders):
        self.folders, self.known = folders, {}

    def seen(self, beside, text):
        paths = [folder / found[2] for found in INCLUDE.finditer(text) if found[2] for folder in [beside, *self.folders]]
        return set().union(*map(self.of, filter(pathlib.Path.exists, paths)))

    def of(self, path):
        if path not in self.known:
            self.known[path] = set()  # where headers include one another in a ring
            text = path.read_text()
            names = {name for line in NOISE.sub(" ", text).splitlines() for name, _ in declared(line)}
            self.known[path] = names | self.seen(path.parent, text)
        return self.known[path]


class Source:
    def __init__(self, path, headers):
        self.path, self.text = path, path.read_text()
        self.lines = self.text.count("\n")
        bare = NOISE.sub(" ", self.text)
        own, plain = list(own_names(bare)), MEMBER.sub(" ", bare)
        self.words = set(WORD.findall(plain))
        self.aliases = dict((found[1], found[0]) for found in ALIAS.finditer(bare))
        self.functions = {name for name, function in own if function}
        self.things = {name for name, function in own if not function} | set(MACRO.findall(bare))
        calls = CALL.findall(plain)
        self.calls = {name for _, name in calls}
        # Called and, as far as a pattern can tell, declared in no header of the project: a function of the system.
        declared_here = {name for before, name in calls if before and before not in KEYWORDS}
        used_otherwise = set(WORD.findall(re.sub(r"\b[A-Za-z_]\w*\(", " ", plain)))
        self.seen = headers.seen(path.parent, self.text)
        self.opens = set(OPENS.findall(bare))
        self.foreign = self.calls - declared_here - used_otherwise - self.seen

    def clashes(self, other):
        """Whether a name of the one would mean something else, or something, to the other."""
        return self.opens != other.opens or self.spoils(other) or other.spoils(self)

    def spoils(self, other):
        new = other.seen - self.seen
        agreed = {name for name, alias in self.aliases.items() if other.aliases.get(name) == alias}
        return bool((self.things - agreed) & other.words or self.functions & (other.calls | other.things)
                    or (self.things | self.functions) & new or self.foreign & new)


def deal(sources, most, before):
    """A file stays in the batch where it was, so that little is compiled again; another joins the first with room and no clash."""
    batches = [[] for _ in range(1 + max(before.values(), default=-1))]
    lines = [0] * len(batches)

    def joins(source, number, room):
        if lines[number] and lines[number] + source.lines > room or any(map(source.clashes, batches[number])):
            return False
        batches[number].append(source)
        lines[number] += source.lines
        return True

    new = [source for source in sources if str(source.path) not in before or not joins(source, before[str(source.path)], 2 * most)]
    for source in new:
        if not any(joins(source, number, most) for number in range(len(batches))):
            batches.append([source])
            lines.append(source.lines)
    return batches


def dealt(folder):
    """The number of the batch that each file was in."""
    return {path: int(batch.stem.partition("_")[2]) for batch in folder.glob("batch_*.cpp")
            for path in re.findall(r'^#include "([^"]+\.cpp)"$', batch.read_text(), re.MULTILINE)}


def text_of(batch):
    """The headers of all come first, so that no file's own names stand before a header that another needs."""
    headers = dict.fromkeys(found[1] for source in batch for found in INCLUDE.finditer(CONDITION.sub("", source.text)))
    return "".join(f"#include {header}\n" for header in headers) + "".join(f'#include "{source.path}"\n' for source in batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--include", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--lines", type=int, default=2200)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    headers = Headers(args.include)
    batches = deal([Source(path, headers) for path in args.files], args.lines, dealt(args.out))
    for number, batch in enumerate(batches):
        path, text = args.out / f"batch_{number}.cpp", text_of(batch)
        if not batch:
            path.unlink(missing_ok=True)
            continue
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
