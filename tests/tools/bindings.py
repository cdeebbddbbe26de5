# Where a lambda, or a macro of the tests that is one, reads a structured binding around it: C++20 lets it, and clang 14 does not.
import re

BINDING = re.compile(r"\bauto\s*&{0,2}\s*\[([\w\s,]+)\]\s*(?=[:=({])")
LAMBDA = re.compile(r"(?<![\w\])])\[([&=\w\s,.*:()<>-]*)\]\s*(?=[({<])")
MACRO = re.compile(r"\b(?:CAPTURE|INFO)(?=\()")
CLOSING = {"(": ")", "{": "}", "[": "]"}


def end_of(text, start):
    """Behind what closes the bracket at `start`."""
    open_, depth = text[start], 0
    for i in range(start, len(text)):
        depth += (text[i] == open_) - (text[i] == CLOSING[open_])
        if depth == 0:
            return i + 1
    return len(text)


def end_of_statement(text, start):
    """Behind the statement at `start`: a block, or up to its semicolon, with what an if or a for leads."""
    start += len(text[start:]) - len(text[start:].lstrip())
    if text[start] == "{":
        return end_of(text, start)
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth < 0 or (depth == 0 and (text[i] == ";" or (text[i] == "}" and re.match(r"(?:for|if|while)\b", text[start:])))):
            return i + 1
    return len(text)


def scope_of(text, found):
    """Where the names of a binding are known: the statement that a for or an if leads, else up to the end of the block."""
    depth = 0
    for i in range(found.start() - 1, -1, -1):
        depth += (text[i] in ")}") - (text[i] in "({")
        if depth < 0:
            if text[i] == "(" and re.search(r"\b(?:for|if|while|switch)\s*(?:constexpr\s*)?$", text[:i]):
                return found.end(), end_of_statement(text, end_of(text, i))
            return found.end(), end_of(text, i)
    return found.end(), len(text)


def inner(text, start, stop):
    """(captures, parameters, first, last) of each lambda between two places."""
    for found in LAMBDA.finditer(text, start, stop):
        at, parameters = found.end(), ""
        if text[at] == "<":
            at = text.find(">", at) + 1
        if text[at] == "(":
            behind = end_of(text, at)
            parameters, at = text[at:behind], behind
        body = re.compile(r"(?:\s|mutable|constexpr|noexcept|->\s*[\w:<>,*&\s]+?)*(?=\{)").match(text, at)
        if body and body.end() < stop:
            yield found[1], parameters, body.end(), end_of(text, body.end())
    for found in MACRO.finditer(text, start, stop):
        yield "&", "", found.end(), end_of(text, found.end())


def declares(name, captures, parameters, body):
    """Whether a lambda has that name for itself."""
    return (re.search(rf"\b{name}\s*(?:=|\{{)", captures) or re.search(rf"[\w&*>]\s+[&*]*{name}\s*[,)=]|&{name}\s*[,)]", parameters)
            or re.search(rf"\b(?:auto|[\w:]+(?:<[^<>;]*>)?)(?:\s*[&*]+\s*|\s+)(?<!return )(?<!else ){name}\s*[=({{;:]", body))


def captured(text):
    """(place, name) of every such reading, in a text without comments and strings."""
    for found in BINDING.finditer(text):
        start, stop = scope_of(text, found)
        for name in re.findall(r"\w+", found[1]):
            behind = start  # the end of the last lambda that has the name for itself, and of those inside it
            for captures, parameters, first, last in inner(text, start, stop):
                if first < behind:
                    continue
                read = re.search(rf"(?<![\w.:])(?<!->){name}\b(?!\s*::)", text[first:last])
                if declares(name, captures, parameters, text[first:last]):
                    behind = last
                elif read:
                    yield first + read.start(), name
