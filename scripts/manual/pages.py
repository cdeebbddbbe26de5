# The manual pages: one of each tool, of each encoding; those of files are file_pages.py's. `made` is the version and the date.
import json

import tree as trees
from file_pages import formats_page, manifest_page
from parts import ALL, put_options, put_rows
from roff import Page, bold, footer_parts, italic, put_footer


def page_of_encoding(name):
    return f"pe-{name}"


def put_parameters(page, parameters):
    for row in parameters:
        names = ["--" + row["name"]] + ["--" + row[k] for k in ("alias", "negation") if k in row]
        bounds = [f"at least {row['lowest']}" if "lowest" in row else "", f"at most {row['highest']}" if "highest" in row else "",
                  f"one of {', '.join(row['choices'])}" if "choices" in row else "", f"default: {row['default']}" if "default" in row else "",
                  f"keys of a config: {', '.join(row['config'])}" if "config" in row else ""]
        notes = "; ".join(filter(None, bounds))
        page.item(", ".join(map(bold, names)), row["help"] + (f" ({notes})" if notes else ""))


def is_plain(tree, command):
    return not tree.is_encoding(command) and not any(map(tree.is_encoding, command["commands"]))


def put_plain_command(page, tool, command):
    options = trees.beyond(command, [])
    words = " ".join(o["names"][0] for o in options if o["positional"])
    page.subsection(f"{tool} {command['name']} {words}".strip())
    page.paragraph(command["summary"] + ".")
    put_options(page, options)
    for heading, lines in footer_parts(command["footer"]):
        if heading == "EXAMPLES":
            page.verbatim(lines)


def placed(option):
    """A word of a command's line; nothing of an option."""
    if not option["positional"]:
        return ""
    word = italic(option["names"][0]) + (" ..." if option["several"] else "")
    return f" {word}" if option["required"] else f" [{word}]"


def put_synopsis(page, tree, tool):
    page.section_of("Synopsis")
    over = tree.over_encodings(tool)
    lines = []
    if not over:
        lines += [f"{bold(tool)} {who} [{italic('OPTION')} ...]" for who in (italic("ENCODING"), f"{bold('--model')} {italic('NAME')}")]
    elif tool == "pe-verify":
        lines += [f"{bold(tool)} {bold('check')} {italic('ENCODING')} [{italic('OPTION')} ...]", f"{bold(tool)} {italic('LAW')} {italic('ENCODING')} [{italic('OPTION')} ...]"]
    else:
        lines.append(f"{bold(tool)} {italic('QUANTITY')} {italic('ENCODING')} [{italic('OPTION')} ...]")
        lines += [f"{bold(tool)} {bold(c['name'])} [{italic('OPTION')} ...]" for c in over if trees.beyond(c, [])]
    for command in tree.commands(tool):
        if is_plain(tree, command):
            lines.append(f"{bold(tool)} {bold(command['name'])}{''.join(map(placed, command['options']))} [{italic('OPTION')} ...]")
    page.paragraph("\n.br\n".join(lines), True)


def leaves(tree, tool):
    """Every subcommand that an encoding ends."""
    return [c for c in tree.commands(tool) if tree.is_encoding(c)] + [e for c in tree.over_encodings(tool) for e in c["commands"]]


def whose(above, name, text):
    """Of an option that has another meaning elsewhere: the commands that have this one."""
    here, others = above[name, text], [those for (key, _), those in above.items() if key == name and those is not above[name, text]]
    if not others:
        return ""
    return f", with {' and '.join(sorted(here))}" if len(here) <= 3 else f", but for {' and '.join(sorted(set.union(*others)))}"


def put_own_options(page, tree, tool, shared):
    """Options of some encodings alone that are no parameters: those stand on the pages of encodings and with quantities."""
    rows = {row["name"]: row["parameters"] for row in tree.rows["encodings"]}
    parameters = {name: {"--" + p[k] for p in those for k in ("name", "alias", "negation") if k in p} for name, those in rows.items()}
    own, above = {}, {}
    for over, command in [("", c) for c in tree.commands(tool) if tree.is_encoding(c)] + [(o["name"], e) for o in tree.over_encodings(tool) for e in o["commands"]]:
        for option in trees.beyond(command, shared):
            if option["group"] == "Of the quantity" or parameters.get(command["name"], set()) & set(option["names"]):
                continue
            said = trees.key(option), option["help"]
            own.setdefault(said, option)
            above.setdefault(said, set()).add(over)
    if own:
        page.subsection("Of some encodings or commands")
        put_options(page, [option | {"help": option["help"] + whose(above, *said)} for said, option in own.items()])


def put_catalogues(page, tree, tool):
    if tool == "pe-gen":
        page.section_of("Scalings")
        put_rows(page, tree.rows["scalings"])
        page.section_of("Dialects")
        put_rows(page, tree.rows["dialects"])
        page.section_of("Models")
        for row in tree.rows["models"]:
            page.item(bold(row["name"]), row["summary"] or row["kind"])
    if tool == "pe-verify":
        page.section_of("Laws")
        put_rows(page, tree.rows["properties"])
        page.section_of("Causes")
        put_rows(page, tree.rows["causes"])
    if tool == "pe-analyze":
        page.section_of("Quantities")
        for row in tree.rows["quantities"]:
            page.subsection(row["name"])
            page.paragraph(row["summary"] + ".")
            page.paragraph(row["definition"])
            page.paragraph(f"Source: {row['source']}")
            put_parameters(page, row["parameters"])
            page.verbatim([f"pe-analyze {row['name']} {row['example']}".strip()])
            page.paragraph(row["accuracy"])


def mpi_page(told, made):
    """Of pe-mpi, whose commands are those of other tools."""
    root = json.loads(told)
    page = Page("pe-mpi", 1, *made, root["summary"].rstrip(".").removeprefix("pe-mpi").strip())
    page.section_of("Synopsis")
    page.paragraph("\n.br\n".join(f"mpirun \\-n {italic('N')} {bold('pe-mpi')} {bold(command['name'])} {italic(command['arguments'])}"
                                 for command in root["commands"]), True)
    page.section_of("Description")
    page.paragraph(root["summary"])
    about, *_ = root["footer"].split("\n\n")
    page.paragraph(about)
    page.section_of("Commands")
    put_rows(page, root["commands"])
    page.section_of("Options")
    put_options(page, root["options"])
    put_footer(page, root["footer"].partition("\n\n")[2])
    page.see(ALL)
    return page


def tool_page(tree, tool, made):
    root = tree.tools[tool]
    summary = root["summary"].rstrip(".")
    page = Page(tool, 1, *made, summary.removeprefix(tool).strip())
    put_synopsis(page, tree, tool)
    page.section_of("Description")
    page.paragraph(root["summary"])
    files = "--report, where there is one" if tool == "pe-verify" else "--output"
    page.paragraph(f"Results go to standard output or to the file of {files}, everything else to standard error. Parameters of an encoding are described "
                   "on its own page, such as pe-rope(7). The name of the encoding may be left out where --model or --config says it.")
    encodings = [c for c in tree.commands(tool) if tree.is_encoding(c)]
    if encodings:
        page.section_of("Encodings")
        put_rows(page, encodings)
    shared = trees.common(leaves(tree, tool))
    page.section_of("Options")
    put_options(page, shared)
    put_own_options(page, tree, tool, shared)
    page.section_of("Commands")
    for command in tree.commands(tool):
        if is_plain(tree, command):
            put_plain_command(page, tool, command)
    put_catalogues(page, tree, tool)
    put_footer(page, root["footer"])
    page.see(ALL + [(page_of_encoding(name), 7) for name in tree.encodings])
    return page


def with_what(field, encoding):
    """What an encoding's field needs to be there."""
    needed = field.get("with", {}).get(encoding)
    return f" (with {needed})" if needed else ""


def encoding_page(tree, row, made):
    name = row["name"]
    page = Page(page_of_encoding(name), 7, *made, row["summary"])
    page.section_of("Synopsis")
    uses = [f"{bold(tool)} {bold(name)}" for tool in ("pe-gen", "pe-apply")] + [f"{bold('pe-verify')} {bold('check')} {bold(name)}",
                                                                           f"{bold('pe-analyze')} {italic('QUANTITY')} {bold(name)}"]
    page.paragraph("\n.br\n".join(f"{use} [{italic('OPTION')} ...]" for use in uses), True)
    page.section_of("Description")
    page.paragraph(f"{row['summary'][:1].upper()}{row['summary'][1:]}. Its kind: {row['kind']}.")
    page.paragraph(f"Source: {row['source']}")
    if row["parameters"]:
        page.section_of("Parameters")
        put_parameters(page, row["parameters"])
    page.section_of("Fields")
    put_rows(page, [{**f, "summary": f["summary"] + with_what(f, name)} for f in tree.rows["fields"] if name in f["encodings"]])
    laws = [law for law in tree.rows["properties"] if law["name"] in row["promises"]]
    if laws:
        page.section_of("Laws that it promises")
        put_rows(page, laws)
    quantities = [c["name"] for c in tree.over_encodings("pe-analyze") if any(e["name"] == name for e in c["commands"])]
    if quantities:
        page.section_of("Quantities that are measured of it")
        page.paragraph(", ".join(quantities))
    page.section_of("Accuracy")
    page.paragraph(row["accuracy"])
    page.section_of("Examples")
    page.verbatim([f"pe-gen {row['example']}", f"pe-verify check {name}"])
    page.see(ALL)
    return page


def plot_page(parser, made):
    page = Page("pe-plot", 1, *made, parser.description[:1].lower() + parser.description[1:].rstrip("."))
    page.section_of("Synopsis")
    page.paragraph(f"{bold('pe-plot')} [{italic('OPTION')} ...] [{italic('FILE')} ...]", True)
    page.section_of("Description")
    page.paragraph(parser.description)
    page.section_of("Options")
    for action in parser._actions:
        if action.dest != "help":
            names = ", ".join(map(bold, action.option_strings)) or italic(action.metavar)
            value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
            page.item(names + (" " + italic(value) if value and action.option_strings else ""), action.help % vars(action))
    footer = "\n".join(line.upper().rstrip(":") if line.endswith(":") and not line.startswith(" ") else line for line in parser.epilog.splitlines())
    put_footer(page, footer)
    page.see(ALL)
    return page


def all_pages(tree, schema, parser, made):
    yield from (tool_page(tree, tool, made) for tool in trees.TOOLS)
    yield from (encoding_page(tree, row, made) for row in tree.rows["encodings"])
    yield manifest_page(tree, schema, made)
    yield formats_page(tree, made)
    if parser:
        yield plot_page(parser, made)
