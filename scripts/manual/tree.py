# What the tools say of their own options and catalogues, and what of it is common.
import json
import pathlib
import subprocess

TOOLS = ["pe-gen", "pe-apply", "pe-verify", "pe-analyze"]


def ask(binary, *words):
    return subprocess.run([binary, *words], check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=120).stdout


class Tree:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.tools = {tool: json.loads(ask(folder / tool, "--option-tree")) for tool in TOOLS}
        self.rows = json.loads(ask(folder / TOOLS[0], "list", "--json"))
        self.encodings = [row["name"] for row in self.rows["encodings"]]

    def commands(self, tool):
        return self.tools[tool]["commands"]

    def is_encoding(self, command):
        return command["name"] in self.encodings

    def over_encodings(self, tool):
        """The subcommands that take an encoding behind them."""
        return [c for c in self.commands(tool) if any(map(self.is_encoding, c["commands"]))]


def key(option):
    return option["names"][-1]


def common(commands):
    """The options that all these have, as the first has them, but --help."""
    shared = set.intersection(*({key(o) for o in c["options"]} for c in commands)) - {"--help"}
    return [o for o in commands[0]["options"] if key(o) in shared]


def beyond(command, known):
    """The options of one that are not among the known ones."""
    names = {key(o) for o in known} | {"--help"}
    return [o for o in command["options"] if key(o) not in names]
