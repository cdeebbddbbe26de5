# data/gallery beside today's numbers: each picture is drawn again, and what it shows and says is what was recorded when its file was made.
import json
import pathlib

import matplotlib.pyplot as pyplot

import gallery_record
from plot_looks import looks

ROOT = pathlib.Path(__file__).resolve().parents[1]
GALLERY = ROOT / "data/gallery"


def near(a, b):
    """Sums of the same numbers, as far as another machine's last digits go; the first one is of magnitudes."""
    return a == b or len(a) == len(b) == 2 and all(abs(x - y) <= 1e-6 * abs(a[0]) for x, y in zip(a, b))


def differences(now, then):
    """What of a picture is no longer as it was recorded."""
    for key in ("command", "options", "kind", "says"):
        if now[key] != then.get(key):
            yield f"{key}: {now[key]} and not {then.get(key)}"
    fields = then.get("fields", {})
    if now["fields"].keys() != fields.keys():
        yield f"fields: {list(now['fields'])} and not {list(fields)}"
    for name in now["fields"].keys() & fields.keys():
        a, b = now["fields"][name], fields[name]
        if a["shape"] != b["shape"] or not near(a["sums"], b["sums"]):
            yield f"{name}: {a} and not {b}"


def all_of(count, bin, dealt):
    made = json.loads((GALLERY / "made.json").read_text(encoding="utf-8"))
    page = (GALLERY / "README.md").read_text(encoding="utf-8")
    names = []
    for name, title, command, given in gallery_record.pictures():
        names.append(name)
        if not dealt.has(name):
            continue
        figure, now = gallery_record.record(gallery_record.numbers_of(bin, command), command, given)
        looks(count, figure, f"gallery's {name}")
        faults = list(differences(now, made.get(name, {})))
        count.check(not faults, f"data/gallery/{name}.png is not of today (scripts/gallery draws it): {'; '.join(faults)[:600]}")
        count.check((GALLERY / f"{name}.png").is_file() and gallery_record.file_of(GALLERY, name) == made.get(name, {}).get("file"), f"data/gallery/{name}.png is another file than was recorded")
        count.check(f"## {title}\n\n`{command} --format json | pe-plot " in page and f"]({name}.png)" in page, f"data/gallery/README.md lacks {name} or its command")
        if name == "base-bound":
            points = [line.get_xydata().tolist() for line in figure.axes[0].lines if line.get_marker() == "D"]
            count.check(points and [1024, 4300] in points[0] and len(points[0]) >= 5, f"the published bases: {points}")
        pyplot.close("all")
    count.check(sorted(made) == sorted(names) == sorted(path.stem for path in GALLERY.glob("*.png")), "the pictures are those that scripts/gallery lists")
    some = made[names[0]]
    field = next(iter(some["fields"]))
    other = some | {"fields": {field: {"shape": some["fields"][field]["shape"], "sums": [some["fields"][field]["sums"][0] * 1.00001, *some["fields"][field]["sums"][1:]]}}}
    count.check(list(differences(other, some)) and list(differences(some | {"says": []}, some)) and not list(differences(some, some)), "another number or word is told")
