"""Places of a C++ file where one comparison, bound, sign or choice can be broken, by libclang's own reading of it."""
import dataclasses
import json
import pathlib
import shlex

SWAPPED = {"&&": "||", "||": "&&", "==": "!=", "!=": "=="}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
BORDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*"}
OTHER_END = {"max": "min", "min": "max"}


@dataclasses.dataclass
class Site:
    """Bytes first … last of a file, and what stands there instead while the mutant is on."""
    file: str
    first: int
    last: int
    line: int
    text: str
    changes: list

    def record(self):
        return dataclasses.asdict(self)


def is_floating(kind):
    from clang.cindex import TypeKind
    return kind in (TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE)


def is_number(kind):
    from clang.cindex import TypeKind
    return is_floating(kind) or TypeKind.BOOL.value < kind.value <= TypeKind.INT128.value


def changes_of(left, operator, right, kinds):
    """What `left operator right` may be broken into: a bound is moved by 16, for less is a matter of taste."""
    floating, numbers = any(map(is_floating, kinds)), all(map(is_number, kinds))
    if operator in SWAPPED:
        return [f"{left} {SWAPPED[operator]} {right}"]
    if operator in NEGATED:
        found = [f"{left} {NEGATED[operator]} {right}"]
        if floating and right in ("0", "0.0"):
            return found  # sixteen times nothing is nothing
        if floating:
            return [*found, f"{left} {operator} 16 * ({right})", f"{left} {operator} ({right}) / 16"]
        return [*found, f"{left} {BORDER[operator]} {right}"]
    return [f"{left} {SIGNS[operator]} {right}"] if operator in SIGNS and numbers else []


def of_cursor(cursor, source):
    """(first byte, byte after the last, changes) of a node of the syntax tree; None where there is nothing to break."""
    from clang.cindex import CursorKind
    first, last = cursor.extent.start.offset, cursor.extent.end.offset
    said = lambda node: source[node.extent.start.offset:node.extent.end.offset].decode()  # noqa: E731
    children = list(cursor.get_children())
    if cursor.kind == CursorKind.BINARY_OPERATOR and len(children) == 2:
        left, right = children
        between = source[left.extent.end.offset:right.extent.start.offset].decode().strip()
        kinds = [child.type.get_canonical().kind for child in children]
        return first, last, changes_of(said(left), between, said(right), kinds)
    if cursor.kind == CursorKind.UNARY_OPERATOR and len(children) == 1 and source[first:first + 1] in (b"!", b"-") and \
            source[first + 1:first + 2] != source[first:first + 1]:
        plain = f"({said(children[0])})"
        # What "!" stands before need not be a bool: an optional would take the other branch, a bool, for its value.
        return first, last, [f"static_cast<bool>{plain}" if source[first:first + 1] == b"!" else plain]
    if cursor.kind == CursorKind.CALL_EXPR and cursor.spelling in OTHER_END and len(children) >= 3:
        text = source[first:last].decode()
        if text.startswith(f"std::{cursor.spelling}("):
            return first, last, [text.replace(cursor.spelling, OTHER_END[cursor.spelling], 1)]
    return None


def is_plain(text):
    """No lambda, no statement, no preprocessor: an expression that may stand twice."""
    return not any(mark in text for mark in "{};#") and "//" not in text and text.count("\n") < 4


def sites(path, arguments):
    """Every site of a file that compiles with these arguments; those within another's text come after it."""
    from clang.cindex import CursorKind, Index, TranslationUnitLoadError
    source = pathlib.Path(path).read_bytes()
    try:
        unit = Index.create().parse(str(path), args=arguments)
    except TranslationUnitLoadError:
        return []
    found = []

    def walk(node):
        for child in node.get_children():
            where = child.location.file
            if node.kind == CursorKind.TRANSLATION_UNIT and (where is None or where.name != str(path)):
                continue
            if child.kind == CursorKind.STATIC_ASSERT:
                continue
            site = of_cursor(child, source)
            if site and site[2]:
                first, last, changes = site
                text = source[first:last].decode()
                if text and is_plain(text) and child.extent.start.file and child.extent.start.file.name == str(path):
                    found.append(Site(str(path), first, last, child.extent.start.line, text, changes))
            walk(child)

    walk(unit.cursor)
    return found


def arguments_of(build):
    """File → what clang needs of the command that compiles it, without the precompiled header."""
    kept = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words, arguments = shlex.split(entry["command"]), ["-x", "c++"]
        for i, word in enumerate(words):
            if word in ("-isystem", "-I"):
                arguments += [word, words[i + 1]]
            elif word.startswith(("-I", "-D", "-std=", "-m")):
                arguments.append(word)
        kept[str(pathlib.Path(entry["directory"], entry["file"]).resolve())] = arguments
    return kept
