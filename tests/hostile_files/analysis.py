# Hostile cases of pe-analyze and pe-apply: configs, claims, subjects and outputs.
import os

from cases import BASE, STREAMED, TIMEOUT, case, text

HEADER = "paper,place,what,printed,command,value,ours,verdict,reason\n"
SHORT = 6  # seconds for what is refused before the work, on a busy machine


def claims(folder, **cells):
    """A table of one claim, sound but for these cells."""
    sound = {"paper": "a", "place": "b", "what": "c", "printed": "1", "command": "pe-gen rope --dim 8 --fields inv_freq", "value": "max(inv_freq)", "ours": "1",
             "verdict": "match", "reason": ""}
    row = ",".join('"' + cell.replace('"', '""') + '"' for cell in {**sound, **cells}.values())
    return ["pe-analyze", "published", "--claims", text(folder / "claims.csv", HEADER + row + "\n"), "-o", str(folder / "judged.csv")]


@case("pe-analyze of a config that is a FIFO, which alone says what it is of", says=f"could not tell in {TIMEOUT} s", seconds=8)
def _(folder):
    os.mkfifo(folder / "config.fifo")
    return ["pe-analyze", "spectrum", "--config", str(folder / "config.fifo"), "--timeout", TIMEOUT]


@case("pe-verify of a config that is a FIFO, which alone says what it is of", says=f"could not tell in {TIMEOUT} s", seconds=8)
def _(folder):
    os.mkfifo(folder / "check.fifo")
    return ["check", "--config", str(folder / "check.fifo"), "--timeout", TIMEOUT]


@case("claims of /dev/zero", says="more than")
def _(_folder):
    return ["pe-analyze", "published", "--claims", "/dev/zero"]


@case("claims of a FIFO", says=f"could not tell in {TIMEOUT} s", seconds=8)
def _(folder):
    os.mkfifo(folder / "claims.fifo")
    return ["pe-analyze", "published", "--claims", str(folder / "claims.fifo"), "--timeout", TIMEOUT]


@case("a claim whose command reads a FIFO", says=f"could not tell in {TIMEOUT} s", seconds=8)
def _(folder):
    os.mkfifo(folder / "command.fifo")
    return [*claims(folder, command=f"pe-analyze spectrum --config {folder / 'command.fifo'} --timeout 0"), "--timeout", TIMEOUT]


@case("a claim whose value nests 200 000 deep", code=1)
def _(folder):
    return claims(folder, value="(" * 200_000 + "1")


@case("a claim whose value has a million signs", code=1)
def _(folder):
    return claims(folder, value="-" * 1_000_000 + "1")


@case("a claim of a paper with three million letters, searched", code=2, says="no claim")
def _(folder):
    return [*claims(folder, paper="p" * 3_000_000), "--only", "(p|a)*x"]


@case("a claim that prints infinity is no match of anything", code=1)
def _(folder):
    return claims(folder, printed="1/0")


@case("a claim with an infinite tolerance is no match of anything", code=1)
def _(folder):
    return claims(folder, printed="5 ± inf")


@case("3000 subjects side by side", says=f"could not tell in {TIMEOUT} s", seconds=8, limit=BASE + 200)
def _(_folder):
    return ["pe-analyze", "similarity", "sinusoidal", "--timeout", TIMEOUT, *(word for _ in range(3000) for word in ("--versus", "sinusoidal"))]


@case("2^53 positions of a table that has 512", code=0)
def _(folder):
    return ["pe-analyze", "decay", "learned", "--length", "9007199254740991", "--timeout", "8", "-o", str(folder / "curve.csv")]


@case("pe-apply of fields that do not fit the file", seconds=SHORT, says="one array and there are 8 fields", limit=STREAMED)
def _(folder):
    return ["pe-apply", "rope", "--random", "8,32,8192,128", "-o", str(folder / "x.npy")]


for tool, words in (("pe-apply", ["rope", "--random", "8,32,8192,128", "-o"]), ("pe-analyze", ["similarity", "sinusoidal", "--length", "9000", "-o"]),
                    ("pe-verify", ["check", "sinusoidal", "--length", "20000", "--report"])):
    @case(f"{tool} into a folder that is not there", seconds=SHORT, says="no file can be made")
    def _(folder, tool=tool, words=words):
        return [tool, *words, str(folder / "nowhere" / "x.json")]


@case("the proof and the result in one file, by two names", seconds=SHORT, says="own file")
def _(folder):
    (folder / "inner").mkdir()
    return ["pe-analyze", "base-bound", "rope", "--length", "16", "--certificate", str(folder / "inner" / ".." / "one.json"), "-o", str(folder / "one.json")]
