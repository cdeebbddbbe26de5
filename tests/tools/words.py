#!/usr/bin/env python3
# The table of words in .github/CONTRIBUTING.md against the names of the types: one word for one thing.
"""Fails where a word of the table names no type and ends no type's name, and where the name of a type on these floors is no word and
ends with none."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOORS = "kinds encodings scalings dialects configs subject diagnosis verify".split()
TYPE = re.compile(r"^(?:struct|class|enum class) ([A-Z]\w*)(?: final)?(?: [:{].*)?$", re.M)


def types():
    """Name to header, of the floors whose words users meet."""
    found = {}
    headers = [p for floor in FLOORS for p in sorted((ROOT / "lib/pe" / floor).rglob("*.hpp"))]
    for path in [*headers, ROOT / "lib/pe/properties/property.hpp"]:
        for name in TYPE.findall(path.read_text()):
            found[name] = path.relative_to(ROOT)
    return found


def main():
    text = (ROOT / ".github/CONTRIBUTING.md").read_text()
    words = re.findall(r"^\| `(\w+)` \|", text[text.index("## Words"):], re.M)
    declared = types()
    troubles = [f"the word {word} is there twice" for word in sorted({w for w in words if words.count(w) > 1})]
    troubles += [f"{word} is in the table, and no type has it" for word in words if not any(name.endswith(word) for name in declared)]
    troubles += [f"{where}: {name} is no word of the table, and ends with none" for name, where in sorted(declared.items())
                 if not any(name.endswith(word) for word in words)]
    print("\n".join(troubles) or f"{len(words)} words, {len(declared)} types")
    return 1 if troubles or len(declared) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
