# What pe-plot is asked: its options, what people call them elsewhere, and its answers to what it does not understand.
import argparse
import difflib
import os
import pathlib
import re
import sys

from plot import choose, versions
from plot.field import Fault

SUFFIXES = [".png", ".svg", ".pdf"]

# What other programs call an option, or why there is none.
HABITS = {
    "--out": "--output", "--save": "--output", "--file": "the file's name alone", "--type": "--kind", "--plot": "--kind", "--fields": "--field",
    "--input": "the file's name alone", "--in": "the file's name alone", "--name": "--title", "--column": "--columns", "--heads": "--columns, or --at head=3", "--head": "--at head=3", "--select": "--at", "--where": "--at",
    "--size": "--dpi, which makes a picture larger", "--figsize": "--dpi, which makes a picture larger", "--resolution": "--dpi",
    "--height": "--width: a picture on the terminal keeps its shape", "--format": "the suffix of --output",
    **{f"--{word}": f"--kind {kind}" for kind, words in {"heatmap": "heatmap heat map image matrix", "lines": "line curve curves", "bars": "bar histogram",
                                                         "rotors": "rotor circle polar", "stairs": "step steps"}.items() for word in words.split()},
    "--y": "--field", "--values": "--field", "--list": "--help, which names the kinds", "--slice": "--at", "--pair": "--at pair=3", "--position": "--at position=3",
    "--no-overwrite": "--no-clobber", "--keep": "--no-clobber", "--noclobber": "--no-clobber",
}
NONE = {
    "--colormap": "signed numbers are blue and red, others one ramp", "--cmap": "signed numbers are blue and red, others one ramp",
    **dict.fromkeys(("--logx", "--logy", "--loglog", "--semilogx", "--semilogy", "--xscale", "--yscale", "--log-scale"), "an axis is logarithmic where its numbers are"),
    **dict.fromkeys(("--completion", "--completions", "--install-completion"), "cmake --install puts completions for bash, zsh and fish where shells look for them"),
    **dict.fromkeys(("--x", "--axis", "--by"), "the first axis of the file runs along; --at AXIS=PLACE holds another still"),
    "--show": "without -o the picture is drawn onto the terminal", "--log": "an axis is logarithmic where its numbers are",
    **dict.fromkeys(("--xlim", "--ylim", "--xrange", "--yrange"), "an axis goes as far as its numbers: --length or --positions of the command that made them says how far"),
    "--lang": "a title's words are its own, in any script: --title", "--language": "a title's words are its own, in any script: --title",
    "--animate": "pe-gen … -o page.html makes a page that moves", "--label": "inputs are named by their files",
    **dict.fromkeys(("--theme", "--style", "--dark", "--light", "--font", "--fontsize", "--grid", "--legend", "--alpha"), "all pictures look alike: --output FILE.svg can be edited"),
    **dict.fromkeys(("--xlabel", "--ylabel", "--labels", "--units"), "axes are called what the file calls them: --title alone is yours"),
    **dict.fromkeys(("--dim", "--length", "--base", "--model", "--positions", "--scaling"), "pe-plot draws what others write: pe-gen rope … | pe-plot"),
    **dict.fromkeys(("--transpose", "--rotate", "--swap"), "rows are the first axis, and run downwards"),
    "--force": "files are overwritten anyway, unless --no-clobber", "--overwrite": "files are overwritten anyway, unless --no-clobber",
}
DASHES = "‐‑‒–—―−"  # of text programs
# What stands for an option where people put it first; a file of that name is a file.
FIRST = {"help": "--help", "-help": "--help", "-?": "--help", "version": "--version", "-version": "--version"}


class Parser(argparse.ArgumentParser):
    """Complains as the other tools do."""

    def parse_args(self, words):
        words = [FIRST[words[0]], *words[1:]] if words and words[0] in FIRST and not os.path.exists(words[0]) else words
        self.words = words
        for word in words[:words.index("--")] if "--" in words else words:
            if word and word[0] in DASHES and not os.path.exists(word):
                raise Fault(f"'{word}' begins with a dash that is no minus sign: did you mean {'--' if len(word.lstrip(DASHES + '-')) > 1 else '-'}{word.lstrip(DASHES + '-')}? (see pe-plot --help)")
            if re.fullmatch(r"-[a-zA-Z][a-z-]+(=.*)?", word) and any(own.startswith("-" + word.split("=")[0]) for own in self.own()):
                raise Fault(f"{self.unknown(word, '-' + word)} (see pe-plot --help)")  # -output is not -o with the value utput
        return super().parse_args(words, argparse.Namespace(given=set()))

    def own(self):
        return [option for action in self._actions for option in action.option_strings if option.startswith("--")]

    def near(self, name):
        """The option that is one letter in three away: the dashes of all are alike, and tell nothing."""
        return ["--" + own for own in difflib.get_close_matches(name.lstrip("-"), [own.lstrip("-") for own in self.own()], 1, 0.67)]

    def unknown(self, word, meant=""):
        name = (meant or word).split("=")[0].replace("_", "-").lower()
        if name in NONE:
            return f"unknown option '{word}': {NONE[name]}"
        near = [HABITS[name]] if name in HABITS else self.near(name) or [option for option in self.own() if option.startswith(name)][:1]
        return f"unknown option '{word}'" + (f": did you mean {near[0]}?" if near else "")

    def stray(self, word):
        """A word behind options that took their values: of a list, or a file apart from the others."""
        at = self.words.index(word)
        if not os.path.exists(word) and at > 1 and self.words[at - 2] in ("--field", "--columns"):
            return f"'{word}' without an option: did you mean {self.words[at - 2]} {self.words[at - 1].rstrip(',')},{word}?"
        if not os.path.exists(word) and at > 1 and self.words[at - 2] == "--at":
            return f"'{word}' without an option: did you mean --at {self.words[at - 1].rstrip('=:')}={word}?"
        return f"'{word}' stands behind options: files stand together, before them"

    def error(self, message):
        option, _, what = message.removeprefix("argument ").partition(": ")
        option = option.split("/")[-1]
        if message.startswith("unrecognized arguments: "):
            words = message.split(": ", 1)[1].split()
            dashed = [word for word in words if word.startswith("-")]
            message = self.unknown(dashed[0]) if dashed else self.stray(next(word for word in self.words if word.startswith(words[0])))
        elif what.startswith("expected"):
            message = f"{option} needs a value"
        elif what.startswith("ignored explicit argument"):
            message = f"{option} takes no value, got {what.removeprefix('ignored explicit argument ')}"
        elif what.startswith("invalid whole value"):
            message = f"{option} must be a whole number, got {what.split(': ', 1)[1]}"
        raise Fault(f"{message} (see pe-plot --help)")


def whole(text):
    """A whole number as the other tools read it: 100, 1e2."""
    number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


class Once(argparse.Action):
    """An option of one value: of two the first would be dropped in silence."""

    def __call__(self, parser, namespace, values, option_string=None):
        if self.dest in namespace.given:
            raise Fault(f"{self.option_strings[-1]} is given twice: {getattr(namespace, self.dest)}, {values} (see pe-plot --help)")
        namespace.given.add(self.dest)
        setattr(namespace, self.dest, values)


class Version(argparse.Action):
    def __init__(self, **given):
        super().__init__(nargs=0, default=argparse.SUPPRESS, **given)

    def __call__(self, parser, namespace, values, option_string=None):
        print(versions.spelled())
        parser.exit()


def option_parser():
    parser = Parser(prog="pe-plot", description="Draws what pe-gen, pe-apply and pe-analyze write.", epilog="""examples:
  pe-gen sinusoidal --length 100 --dim 512 | pe-plot -o sinusoidal.png
  pe-analyze spectrum rope --versus 'rope --scaling ntk --factor 8' | pe-plot --field ratio -o ratio.png
  pe-gen rope --length 64 | pe-plot --kind rotors -o rotors.svg
  pe-plot ours.npz theirs.npz --field cos -o both.png
  pe-gen alibi | pe-plot              # onto the terminal
  pe-gen rope --model gpt-oss-20b --format json | pe-plot -o titled.png   # JSON brings title and source; CSV is numbers alone

exit status:
  0 drawn; 2 bad usage, bad input or a failed write""",
                    formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("inputs", nargs="*", default=["-"], metavar="FILE", help="CSV, HDF5, NPY, NPZ, safetensors or JSON, known by what it "
                        "begins with; several are drawn together; - (the default) is stdin")
    parser.add_argument("-o", "--output", type=pathlib.Path, action=Once, help="the picture: .png, .svg or .pdf (without it: onto the terminal)")
    parser.add_argument("--kind", action=Once, help=f"{', '.join(choose.KINDS)} (default: what the fields ask for)")
    parser.add_argument("--field", action=Once, metavar="A,B", help="what to draw, where there are several")
    parser.add_argument("--at", action="append", default=[], metavar="AXIS=PLACE", help="only there, such as head=3 or batch=0; repeatable")
    parser.add_argument("--columns", action=Once, metavar="4:8", help="only these columns (heads, for three axes): a half-open range, or 0,3,5")
    parser.add_argument("--title", action=Once, help="instead of the one found in the input")
    parser.add_argument("--dpi", action=Once, type=whole, default=150, help="dots per inch of a .png (default 150)")
    parser.add_argument("--width", action=Once, type=whole, help="columns of a picture on the terminal (default: its own); in a file or a pipe it has no "
                        "colours, unless FORCE_COLOR is set, and nowhere where NO_COLOR is")
    parser.add_argument("--no-clobber", action="store_true", help="refuse to write over a file that is there")
    parser.add_argument("-V", "--version", action=Version, help="the version")
    return parser


def kept(path):
    """What is said where --no-clobber keeps a file."""
    return Fault(f"'{path}' is there, and --no-clobber keeps it: give another -o")


def absent(name):
    """What is said of a name that no file has."""
    if name in ("completion", "completions"):
        return "cmake --install puts completions for bash, zsh and fish where shells look for them"
    if name in ("list", "kinds", "formats", "fields"):
        return "pe-plot --help names the kinds of pictures, pe-gen list all that can be drawn"
    if windows := elsewhere(name):
        return f"No such file or directory: {windows}"
    return "No such file or directory" + (f" (of an encoding: pe-gen {name} | pe-plot)" if re.fullmatch("[a-z][a-z0-9-]*", name) else "")


def folder(name):
    if os.path.isfile(os.path.join(name, "config.json")):
        return f"it is a folder with a model's config.json: pe-gen --config {name} | pe-plot draws what it means"
    return "it is a folder: name a file in it"


def elsewhere(path):
    """What is meant by a path with a drive or backslashes; "": it means what it says."""
    if re.match(r"[A-Za-z]:([/\\]|[^/]*\\)", path):
        return f"it is a path of Windows, which WSL has under /mnt/{path[0].lower()}"
    if re.match(r"[C-Z]:[A-Za-z][^/]*$", path):
        return "it is a path of Windows whose backslashes a shell took, as it does outside of quotes"
    if path.startswith("\\\\"):
        return "it is a path of Windows, to another machine's files"
    turned = path.replace("\\", "/")
    return f"did you mean '{turned}'?" if turned != path else ""


def check(options):
    tools = ("pe-gen", "pe-analyze", "pe-apply")
    if options.inputs[0] in tools:
        raise Fault(f"'{options.inputs[0]}' stands where a file belongs: pipe it, {' '.join(options.inputs)} | pe-plot")
    for name in options.inputs:
        file, _, array = name.rpartition(":")
        if pathlib.Path(name).suffix.lower() in SUFFIXES and len(options.inputs) > 1 and not options.output:
            raise Fault(f"{name} is no file to draw: did you mean -o {name}?")
        if "://" in name:
            raise Fault(f"cannot read {name}: it is an address, and nothing here reads the network: fetch the file first")
        if not os.path.exists(name) and os.path.isfile(file):
            raise Fault(f"cannot read {name}: did you mean {file} --field {array}?")
        if name != "-" and not os.path.exists(name):
            raise Fault(f"cannot read {name}: {absent(name)}")
        if os.path.isdir(name):
            raise Fault(f"cannot read {name}: {folder(name)}")
    if options.output == pathlib.Path(""):
        raise Fault(f"-o names no file: the suffix must be one of {' '.join(SUFFIXES)}")
    if options.output and not options.output.exists() and (meant := elsewhere(str(options.output))):
        raise Fault(f"cannot write {options.output}: {meant}")
    if options.output == pathlib.Path("-"):
        raise Fault(f"-o -: a picture goes to a file, whose suffix is one of {' '.join(SUFFIXES)}")
    if options.output and options.output.suffix.lower() not in SUFFIXES:
        raise Fault(f"-o {options.output}: the suffix must be one of {' '.join(SUFFIXES)}")
    if options.output and not options.output.parent.is_dir():
        raise Fault(f"cannot write {options.output}: there is no folder {options.output.parent}")
    if options.output and options.no_clobber and os.path.lexists(options.output):
        raise kept(options.output)
    if options.kind not in [None, *choose.KINDS]:
        near = [kind for kind in choose.KINDS if options.kind and kind.startswith(options.kind[:4])] or difflib.get_close_matches(options.kind, choose.KINDS, 1)
        raise Fault(f"--kind must be one of {', '.join(choose.KINDS)}, got {options.kind}" + (f": did you mean {near[0]}?" if near else ""))
    if not 10 <= options.dpi <= 2400:
        raise Fault(f"--dpi must be 10 to 2400, got {options.dpi}")
    if options.width is not None and not 20 <= options.width <= 1000:
        raise Fault(f"--width must be 20 to 1000, got {options.width}")
    if not options.output and (not sys.stdout or not options.width and not sys.stdout.isatty()):
        raise Fault("stdout is no terminal: name a picture with -o out.png")
    if "-" in options.inputs and (not sys.stdin or sys.stdin.isatty()):
        raise Fault("no input: pipe something into it, or name a file (pe-plot --help shows both)")
