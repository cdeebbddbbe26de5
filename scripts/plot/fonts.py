# A font for every letter that a picture writes, whatever its script.
import dataclasses
import functools
import re

import numpy

from plot.field import Fault

USUAL = "DejaVu Sans"  # comes with matplotlib
# Known by their looks beside DejaVu Sans; of a collection matplotlib knows the first face alone, which has the glyphs of all.
LIKED = ["Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Noto Sans SC", "Droid Sans Fallback",
         "AR PL UMing CN", "Noto Serif CJK SC", "Noto Serif CJK JP"]


@functools.lru_cache(maxsize=None)
def letters_of(path):
    """The code points that a font file has glyphs for; none where it cannot be read."""
    from matplotlib.ft2font import FT2Font
    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def known_fonts():
    """(family, file) of every upright font of usual weight, those liked first: matplotlib's own list, then, since it
    is remembered from before a font was installed, what the system has today."""
    from matplotlib import font_manager

    def upright():
        rows = [font for font in font_manager.fontManager.ttflist
                if font.style == "normal" and font.variant == "normal" and str(font.weight) in ("400", "normal", "regular", "500")]
        return sorted(((font.name, font.fname) for font in rows), key=lambda font: (LIKED.index(font[0]) if font[0] in LIKED else len(LIKED), font))

    known = upright()
    yield from known
    files = {font.fname for font in font_manager.fontManager.ttflist}
    for path in font_manager.findSystemFonts():
        if path not in files:
            try:
                font_manager.fontManager.addfont(path)
            except (OSError, RuntimeError, ValueError):
                continue
    yield from (font for font in upright() if font not in known)


def fonts_for(texts):
    """The families that write these texts, in the order in which they are asked for a glyph. Fault where none here can."""
    from matplotlib import font_manager
    families = [USUAL]
    missing = {letter for text in texts for letter in text if letter.isprintable() and not letter.isspace()}
    missing -= {chr(code) for code in letters_of(font_manager.findfont(USUAL))}
    if not missing:
        return families
    for family, path in known_fonts():
        had = {letter for letter in missing if ord(letter) in letters_of(path)}
        if had:
            families.append(family)
            missing -= had
        if not missing:
            return families
    letters = "".join(sorted(missing))
    package = "fonts-noto-cjk or fonts-wqy-zenhei" if any("\u2e80" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7ff" or "\uff00" <= letter <= "\uffef" for letter in letters) else "a font that has them"
    raise Fault(f"no font here has {', '.join(letters[:8])}{' …' if len(letters) > 8 else ''}: install {package}, or say it in other letters")


def written(field):
    """A field of words, each letter that no font here has as …: words are data, and not refused."""
    words = dict.fromkeys(field.values.ravel())
    try:
        fonts_for(words)
        return field
    except Fault:
        there = {chr(code) for _, path in known_fonts() for code in letters_of(path)}
        short = {word: re.sub("…+", "…", "".join(letter if letter in there or letter.isspace() else "…" for letter in word)) for word in words}
        return dataclasses.replace(field, values=numpy.array([short[word] for word in field.values.ravel()], object).reshape(field.values.shape))
