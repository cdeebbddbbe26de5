#!/usr/bin/env python3
# Fails when an include points up or sideways between floors, when the library talks, when a file hides its purpose, when something keeps
# a reference to what may be a temporary, where clang would not compile, or where a call is named that Linux alone has.
import re
import sys

import bindings
import reached
import source

# What each floor may include beside itself. Floors in one brace of STYLE.md do not know each other.
GROUND = {"base", "model", "waves"}
KINDS = GROUND | {"kinds"}
MIDDLE = KINDS | {"io"}  # files are read and written above the kinds, never by them
FLOORS = {
    "platform": set(),
    "base": set(),
    "model": {"base"},
    "waves": {"base", "model"},
    "io": {"base", "model", "platform", "waves"},  # which instruction sets there are
    "kinds": GROUND,
    "scalings": MIDDLE,
    "encodings": MIDDLE | {"scalings"},
    "apply": KINDS,
    "properties": MIDDLE | {"apply"},  # some laws are about what attention makes of an effect
    "dialects": MIDDLE,
    "configs": MIDDLE | {"scalings", "encodings"},
}
FLOORS["subject"] = MIDDLE | {"encodings", "dialects", "configs"}
FLOORS["diagnosis"] = set(FLOORS)  # it makes subjects again, with other parameters
FLOORS["verify"] = set(FLOORS)
FLOORS["analyze"] = set(FLOORS)  # curves are of any subject, of somebody's dump, and of the laws
FLOORS["page"] = set(FLOORS)  # a page explains an encoding by its quantities
FLOORS["front"] = set(FLOORS)  # what users of the library call: lib/pe/pe.hpp and what carries it out
FLOORS["cmd"] = set(FLOORS) - {"front"}
FLOORS["examples"] = {"front"}

# Diagnosis in rooms. Its own files are its types; those that lead from a dump to a room stand above the rooms.
ROOMS = {
    "types": set(),
    "mask": {"types"},
    "rotations": {"types"},
    "rows": {"types"},
    "buckets": {"types"},
    "biases": {"types", "mask", "buckets"},
}
ROOMS["door"] = set(ROOMS)
ROOMS["observe"] = set(ROOMS)
ROOMS["identify"] = set(ROOMS) - {"observe"}
DOOR = {"diagnose", "written", "companions", "companion_fields", "field_names", "flat_turns", "expectation", "padding_token", "projected", "score_layouts", "roled_axes", "sequences_last", "sinusoids", "token_rows", "turn_matrices", "twins", "untrained"}

TALK = re.compile(r"std::c(?:out|err|log)\b|<iostream>|\bfmt::print(?:ln)?\s*\(|"
                  r"(?<![\w.>])(?:v?f?printf|f?puts|f?putc|putchar|perror|(?:secure_)?getenv|exit|quick_exit|abort)\s*\(")
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-f])\'(?:\\[^\'\n]+|\\\'|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)


def floor_of(path):
    parts = path.relative_to(source.ROOT).parts
    if parts == ("lib", "pe", "pe.hpp"):
        return "front"
    if parts[:2] == ("lib", "examples"):
        return "examples"
    return parts[2] if parts[:2] == ("lib", "pe") and len(parts) > 3 else parts[0]


def room_of(name):
    """The room of lib/pe/diagnosis that a file is in, from its path below."""
    room, _, rest = name.partition("/")
    return room if rest else "door" if room.split(".")[0] in DOOR else "types"


def includes(path):
    """Includes that this floor may not have, and those that do not exist."""
    here = floor_of(path)
    if here == "tests":
        return
    if here not in FLOORS:
        yield 1, f"{here} is no floor: give it a row in tests/tools/floors.py"
        return
    for number, name in source.includes(path):
        if not name.startswith("pe/"):
            continue
        there = floor_of(source.ROOT / "lib" / name)
        if not (source.ROOT / "lib" / name).exists():
            yield number, f"{name} does not exist"
        elif there != here and there not in FLOORS[here]:
            yield number, f"{here} may not include {name}"
        elif here == there == "diagnosis":
            mine, other = (room_of(str(n).split("pe/diagnosis/")[1]) for n in (path.as_posix(), name))
            if mine not in ROOMS:
                yield number, f"{mine} is no room of diagnosis: give it a row in tests/tools/floors.py"
            elif other != mine and other not in ROOMS[mine]:
                yield number, f"{mine} may not include {name}"


def code(text):
    """The text without comments and string contents, line numbers kept."""
    return NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def talk(path):
    """A library that prints, exits or reads the environment."""
    if floor_of(path) in ("cmd", "examples", "tests"):
        return
    for number, line in enumerate(code(path.read_text()).splitlines(), 1):
        if found := TALK.search(line):
            yield number, f"the library does not say {found[0].strip('( ')}: return it, throw it, or leave it to cmd"


def purpose(path):
    """A first line that says what the file is for, and a guard in each header."""
    lines = path.read_text().splitlines() or [""]
    if not re.match(r"// \S", lines[0]):
        yield 1, "the first line must be a // comment that says what the file is for"
    if path.suffix == ".hpp" and "#pragma once" not in lines:
        yield 1, "a header needs #pragma once"


# What gives back a std::ranges::subrange, or a view: clang 14 cannot compile either with the standard library of GCC 12.
SUBRANGES = re.compile(r"\branges::(?:unique|remove|remove_if|partition|stable_partition|rotate|equal_range|search|search_n|find_end|subrange)\b|\bviews::")


def portable(path):
    for number, line in enumerate(code(path.read_text()).splitlines(), 1):
        if found := SUBRANGES.search(line):
            yield number, f"clang 14 does not compile {found[0]}: take the algorithm of iterators"
    text = code(path.read_text())
    for at, name in bindings.captured(text):
        yield text.count("\n", 0, at) + 1, f"clang 14 lets no lambda, nor CAPTURE and INFO, read the structured binding {name}: name it otherwise first"


# What Linux alone has, and fork(), whose children would outlive their parent: lib/pe/platform says what is meant, and has an answer for
# other systems.
LINUX = re.compile(r"(?<![\w.>])(?<!\w::)(?:memfd_\w+|pipe2|v?fork|clone3?|(?:posix_)?fallocate|prctl|renameat2|sysinfo|syscall|close_range|seccomp|epoll_\w+|"
                   r"(?:event|signal|pid)fd\w*|timerfd_\w+|inotify_\w+|fanotify_\w+|landlock_\w+|splice|tee|vmsplice|sendfile|copy_file_range|"
                   r"sync_file_range|syncfs|accept4|dup3|getrandom|mremap|gettid|statx|unshare|setns|sched_[gs]etaffinity|sched_getcpu|"
                   r"p?readv2|p?writev2|malloc_trim|mallinfo2?|prlimit|process_vm_\w+|userfaultfd|io_uring_\w+|getauxval)\s*\(|"
                   r"\b(?:O_TMPFILE|O_PATH|O_DIRECT|MFD_\w+|MAP_(?:HUGETLB|POPULATE|SHARED_VALIDATE)|MADV_(?:HUGEPAGE|POPULATE_\w+)|RENAME_\w+|SECCOMP_\w+|"
                   r"PR_[SG]ET_\w+|F_SETPIPE_SZ|F_ADD_SEALS|SOCK_CLOEXEC|__NR_\w+|SYS_\w+|__linux__)\b|"
                   r"<linux/|<sys/(?:prctl|sysinfo|syscall|epoll|eventfd|signalfd|timerfd|inotify|sendfile)\.h>")
PROC = re.compile(r'"/(?:proc|sys)\b')  # in a string


def alone(path):
    """A call, or a file of the kernel, that Linux alone has."""
    if floor_of(path) in ("platform", "tests"):
        return
    text = path.read_text()
    for number, (line, whole) in enumerate(zip(code(text).splitlines(), text.splitlines()), 1):
        if found := LINUX.search(line) or PROC.search(whole):
            yield number, f"{found[0].rstrip('( ')} is named in lib/pe/platform alone: ask there, in words that other systems can answer"


def alone_in_a_batch(path):
    """A source of the library that names what it does not include."""
    if path.suffix != ".cpp" or floor_of(path) in ("cmd", "examples", "tests"):
        return
    text = code(path.read_text())
    for at, what in reached.unreached(path, text):
        yield text.count("\n", 0, at) + 1, what


FUNCTION = re.compile(r"\b(\w+)\(((?:[^()]|\([^()]*\))*)\)(?: const)?(?: try)?\s*(?=:[^:]|\{)")

ROWS = "Encoding|Dialect|Scaling|Property|Parameter"  # rows of the catalogues, which outlive everything


def kept(path):
    """A function that keeps a reference to an argument which may be a temporary."""
    if floor_of(path) == "tests":
        return
    text = code(path.read_text())
    own, folder = ("".join(code(p.read_text()) for p in {path, *path.parent.glob(f"{name}.hpp")}) for name in (path.stem, "*"))
    for found in FUNCTION.finditer(text):
        function, parameters = found.groups()
        indent = re.search(r"^ *", text[text.rfind("\n", 0, found.start()) + 1:])[0]
        body = text[found.end():text.find(f"\n{indent}}}", found.end())]
        for name in re.findall(rf"const (?!(?:{ROWS})&)[\w:<>, ]+& ?(\w+)", parameters):
            keeps = (re.search(rf"\b({name}_)\(&?{name}\)", body) and re.search(rf"[&*] ?{name}_(?: = nullptr)?[;,]", own)
                     or re.search(rf"(?:= |[{{])&{name}[,;}}]", body) or re.search(rf"(?:= |return )\[&{name}\b", body))
            if keeps and not re.search(rf"\b{function}\([^;]*&&[^;]*= delete", folder):
                yield text.count("\n", 0, found.start()) + 1, f"{function} keeps a reference to {name}: take Kept<…>, or delete the overload that takes a temporary"


NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) \{")
TYPE = re.compile(r"^(?:struct|class|enum class|union) (\w+)(?: final)?(?: :[^;]*)?(?: \{.*)?$")


def types(path):
    """(line number, full name) of every type that other files can see: two of one name have one destructor, whichever the linker takes."""
    stack = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if found := NAMESPACE.match(line):
            stack.append(found[1] or "(anonymous)")
        elif line.startswith("}  // namespace"):
            stack.pop()
        elif (found := TYPE.match(line)) and stack and "(anonymous)" not in stack:
            yield number, "::".join(stack + [found[1]])


def named_twice(paths):
    seen = {}
    for path in paths:
        for number, name in types(path):
            first = seen.setdefault(name, (path, number))
            if first != (path, number):
                yield path, number, f"{name} is also a type of {first[0].relative_to(source.ROOT)}: give one of them another name"


def main():
    passed = failed = 0
    twice = {}
    for path, number, text in named_twice(p for p in source.files(".hpp", ".cpp") if floor_of(p) != "tests"):
        twice.setdefault(path, []).append((number, text))
    for path in source.files(".hpp", ".cpp"):
        faults = [fault for check in (includes, talk, purpose, portable, alone, kept, alone_in_a_batch) for fault in check(path)] + twice.get(path, [])
        for number, text in faults:
            print(f"{path.relative_to(source.ROOT)}:{number}: {text}")
        passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
