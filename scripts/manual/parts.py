# What several pages have: lists of options and of rows, and the names of all pages that each refers to.
import tree as trees
from roff import bold, italic

ALL = [(tool, 1) for tool in [*trees.TOOLS, "pe-plot"]] + [("pe-manifest", 5), ("pe-formats", 5)]


def put_option(page, option):
    names = ", ".join(bold(name) for name in option["names"])
    if option["positional"]:
        names = italic(option["names"][0])
    tag = names + (" " + italic(option["type"]) if option["type"] and not option["positional"] else "")
    default = f"default: {option['default']}" if option["default"] and "(default" not in option["help"] else ""
    required = "required" if option["required"] else ""
    notes = "; ".join(filter(None, [default, required]))
    page.item(tag, option["help"] + (f" ({notes})" if notes else ""))


def put_options(page, options):
    for option in options:
        put_option(page, option)


def put_rows(page, rows):
    for row in rows:
        page.item(bold(row["name"]), row["summary"])
