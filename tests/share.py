"""One of N shares of a test's cases, by their names: `--share I/N`. scripts/test deals another share each day; N of them are all cases, each once."""
import argparse
import functools
import re
import zlib


class Share:
    def __init__(self, text="1/1"):
        found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
        if not found or int(found[1]) > int(found[2]):
            raise argparse.ArgumentTypeError(f"a share is I/N, such as 1/3, not {text!r}")
        self.number, self.of = int(found[1]), int(found[2])

    @property
    def whole(self):
        return self.of == 1

    def has(self, name):
        return zlib.crc32(name.encode()) % self.of == self.number - 1


def add_option(parser):
    parser.add_argument("--share", type=Share, default=Share(), metavar="I/N", help="share I of N of the cases, by their names")


def chosen(only, share, name):
    return bool(re.search(only, name)) and share.has(name)


def chooser(options):
    """Whether a case is asked for, by its name."""
    return functools.partial(chosen, options.only, options.share)
