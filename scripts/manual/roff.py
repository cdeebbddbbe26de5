# Text as man(7) macros: what groff and mandoc both take without a warning.
import re

def text(words):
    """Words of running text on one line."""
    line = " ".join(str(words).split())
    line = line.replace("\\", r"\e").replace("-", r"\-")
    return "\\&" + line if line[:1] in ".'" else line


def bold(words):
    return rf"\fB{text(words)}\fR"


def italic(words):
    return rf"\fI{text(words)}\fR"


class Page:
    """One manual page; a paragraph, a list or a heading at a time."""

    def __init__(self, name, section, version, date, title):
        self.name, self.section = name, section
        self.lines = ['.\\" Made by scripts/manual from what the tools say of themselves.', f'.TH {name.upper()} {section} "{date}" "pe {version}" "Position encodings"',
                      ".ad l",  # a line that holds one long word cannot be adjusted
                      ".SH NAME", f"{text(name)} \\- {text(title)}"]
        self.fresh = True

    def section_of(self, heading):
        self.lines.append(f".SH {text(heading.upper())}")
        self.fresh = True

    def subsection(self, heading):
        self.lines.append(f".SS {text(heading)}")
        self.fresh = True

    def paragraph(self, words, is_roff=False):
        if not self.fresh:
            self.lines.append(".PP")
        self.lines.append(words if is_roff else text(words))
        self.fresh = False

    def item(self, tag, words):
        """`tag` is roff already; what it says is text, or several of them."""
        several = [words] if isinstance(words, str) else [w for w in words if w]
        self.lines += [".TP", tag, *(text(several[0]).splitlines() or ["\\&"])] if several else [".TP", tag, "\\&"]
        for further in several[1:]:
            self.lines += [".IP", text(further)]
        self.fresh = False

    def verbatim(self, block):
        self.lines += [] if self.fresh else [".PP"]
        self.lines += [".nf", ".RS 2"]
        for line in block:
            shown = line.replace("\\", r"\e").replace("-", r"\-")
            self.lines.append("\\&" + shown if shown[:1] in ".'" and shown else shown or "\\&")
        self.lines += [".RE", ".fi"]
        self.fresh = False

    def see(self, names):
        self.section_of("See also")
        refs = [rf"\fB{text(name)}\fR({section})" for name, section in sorted(set(names), key=lambda n: (n[1], n[0])) if name != self.name]
        self.lines.append(",\n".join(refs))

    def write(self, folder):
        path = folder / f"man{self.section}" / f"{self.name}.{self.section}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


HEADING = re.compile(r"^[A-Z][A-Z ]+$")


def footer_parts(footer):
    """(heading, its lines without their indent) of a footer as --help shows it."""
    parts = []
    for line in footer.splitlines():
        if HEADING.match(line):
            parts.append((line, []))
        elif parts:
            parts[-1][1].append(line[2:] if line.startswith("  ") else line)
    return [(heading, strip(lines)) for heading, lines in parts]


def strip(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def put_footer(page, footer, skip=()):
    """The parts of a footer as sections: prose flows, what is laid out stays as it is."""
    for heading, lines in footer_parts(footer):
        if heading in skip or not lines:
            continue
        page.section_of(heading)
        if heading in ("EXAMPLES", "FIELDS"):
            page.verbatim(lines)
        elif heading == "ENVIRONMENT":
            for line in lines:
                page.item(bold(line.split()[0]), line.split(maxsplit=1)[1])
        else:
            page.paragraph(" ".join(line.strip() for line in lines))
