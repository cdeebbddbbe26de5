# What a file names and does not include: compiled behind others in one batch it finds that all the same, and alone it does not.
import functools
import re

import source

DEFINED = re.compile(r"^(?:template <[^\n]*>\n)?(?:struct|class|enum class) (\w+)(?= final\b| :|\s*\{)", re.MULTILINE)
NESTED = re.compile(r"^ +(?:enum class|struct|class|enum|using) (\w+)", re.MULTILINE)
ANY = re.compile(r"\b(?:enum class|struct|class|enum|union|using|typename|concept|namespace) (\w+)")
WORD = re.compile(r"(?<![\w.>:])(?:pe::)?(?:\w+::)*([A-Z]\w+)\b")
CAUSE = re.compile(r"\bCause::[a-z]\w*")
CAUSES = "pe/diagnosis/causes.hpp"  # the enumerators, which cause.hpp leaves open
LIB = source.ROOT / "lib"


@functools.lru_cache(None)
def closure(name):
    """A header of the library by its name, and all that it includes."""
    path, reached = LIB / name, {name}
    if not path.exists():
        return frozenset(reached)
    for _, other in source.includes(path):
        if other not in reached:
            reached |= closure(other)
    return frozenset(reached)


@functools.lru_cache(None)
def homes():
    """Type → the one header that defines it; of names that something else has, too, none."""
    found, nested = {}, set()
    for path in source.files(".hpp", folders=["lib"]):
        for name in DEFINED.findall(path.read_text()):
            found.setdefault(name, set()).add(path.relative_to(LIB).as_posix())
        nested.update(NESTED.findall(path.read_text()))
    return {name: paths.pop() for name, paths in found.items() if len(paths) == 1 and name not in nested}


@functools.lru_cache(None)
def declared(name):
    path = LIB / name
    return frozenset(ANY.findall(path.read_text())) if path.exists() else frozenset()


def unreached(path, text):
    """(place in the text, what to include) of a type, or a cause, whose header is not among those that the file reaches."""
    reached = frozenset().union(*(closure(name) for _, name in source.includes(path)))
    own = frozenset(ANY.findall(text)).union(*(declared(name) for name in reached))
    seen = set()
    for found in WORD.finditer(text):
        name = found[1]
        home = homes().get(name)
        if home and name not in own and name not in seen:
            seen.add(name)
            yield found.start(1), f"{name} is {home}'s: include that"
    if found := CAUSE.search(text):
        if CAUSES not in reached:
            yield found.start(), f"{found[0]} is {CAUSES}'s: include that"
