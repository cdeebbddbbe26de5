# The manual pages of section 5: manifests, from their schema, and formats, from their rows.
import json

from parts import ALL, put_options
from roff import Page, bold, put_footer


def put_schema(page, schema, definitions, path):
    """The keys of an object of the schema, and those of the objects in it."""
    below = []
    for name, value in schema["properties"].items():
        if "$ref" in value:
            value = {**definitions[value["$ref"].rsplit("/", 1)[1]], **value}
        kinds = value.get("type", "one or several" if "oneOf" in value else "")
        choices = value.get("enum", [value["const"]] if "const" in value else [])
        says = [value.get("description", "")]
        notes = [" or ".join([kinds] if isinstance(kinds, str) else kinds), f"one of {', '.join(map(str, choices))}" if choices else "",
                 f"default: {value['default']}" if "default" in value else "", "required" if name in schema.get("required", []) else ""]
        page.item(bold(name), ". ".join(filter(None, [*says, "; ".join(filter(None, notes))])) + ".")
        inner = value.get("items", value)
        inner = definitions[inner["$ref"].rsplit("/", 1)[1]] if "$ref" in inner else inner
        if "properties" in inner:
            below.append((f"{path}{name}", inner))
    for heading, inner in below:
        page.section_of(f"Keys of {heading}")
        put_schema(page, inner, definitions, f"{heading}.")


def manifest_page(tree, schema, made):
    schema = json.loads(schema)
    page = Page("pe-manifest", 5, *made, "the checks that pe-verify run makes, as JSON")
    page.section_of("Description")
    page.paragraph(schema["description"])
    page.paragraph("pe-verify run --schema prints the JSON Schema that this page is made from. A key that stands in no list is refused.")
    page.section_of("Keys")
    put_schema(page, schema, schema["$defs"], "")
    run = next(c for c in tree.commands("pe-verify") if c["name"] == "run")
    put_footer(page, run["footer"])
    page.see(ALL)
    return page


def formats_page(tree, made):
    page = Page("pe-formats", 5, *made, "files that the pe tools read and write")
    page.section_of("Description")
    page.paragraph("A file is written in the format that its suffix names, or --format does, and is known by what it begins with when it is read. FILE:TENSOR names one array "
                   "of several.")
    page.section_of("Formats")
    for row in tree.rows["formats"]:
        ways = {"both": "Read and written", "read": "Read", "written": "Written"}[row["kind"]]
        page.item(bold(row["name"]), [f"{ways}; suffix {' or '.join(row['suffixes'])}.", row["summary"][:1].upper() + row["summary"][1:] + "."])
    gen = next(c for c in tree.commands("pe-gen") if c["name"] == "rope")
    page.section_of("Options")
    wanted = {"--output", "--format", "--tidy", "--no-sync", "--dtype"}
    put_options(page, [o for o in gen["options"] if wanted & set(o["names"])])
    page.see(ALL)
    return page
