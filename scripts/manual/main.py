#!/usr/bin/env python3
# Writes the manual pages and the completions from what the built tools say of themselves.
import argparse
import datetime
import pathlib
import shutil
import sys

import completion
import pages
import tree as trees
from plot_parser import plot_parser

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import source_date


def date():
    return datetime.datetime.fromtimestamp(source_date.epoch(), datetime.timezone.utc).date().isoformat()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the folder of the built tools")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", action="store_true", help="of pe-mpi alone, which a build may not have")
    options = parser.parse_args()
    for folder in ("man", *completion.SHELLS):
        shutil.rmtree(options.out / folder, ignore_errors=True)
    made = (options.version, date())
    if options.mpi:
        pages.mpi_page(trees.ask(pathlib.Path(options.bin) / "pe-mpi", "--option-tree"), made).write(options.out / "man")
        completion.of_tools(HERE.parent / "shell", options.out, ["pe-mpi"])
        (options.out / "made").touch()
        return 0
    plot = plot_parser(HERE.parent / "pe-plot")
    schema = (ROOT / "data/manifest.schema.json").read_text()
    tree = trees.Tree(options.bin)
    for page in pages.all_pages(tree, schema, plot, made):
        page.write(options.out / "man")
    completion.of_tools(HERE.parent / "shell", options.out, trees.TOOLS)
    completion.of_plot(plot, tree.rows["formats"], options.out)
    (options.out / "made").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
