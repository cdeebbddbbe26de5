#!/usr/bin/env python3
# Holds pe-analyze published to data/published.csv: every claim is recomputed as it was judged, and no tampered claim is.
"""published.py --bin FOLDER

Counts the claims that hold and those that do not. Then tampers with those that are quick to recompute, each in three ways: another printed number
(or, where a claim is not met, ours in its place), another number of ours, and another verdict. The tool must exit 1 and refuse every one of them.
"""
import argparse
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parents[1] / "data/published.csv"
QUICK = ("pe-gen ", "pe-analyze spectrum ")


def another(text):
    """A number or a word that the text does not stand for."""
    try:
        return repr(float(text) * 1.25 + 1)
    except ValueError:
        return "1000003" if "/" in text or "±" in text else f"not {text}"


def tampered_printed(row):
    return {"printed": another(row["printed"]) if row["verdict"] == "match" else row["ours"]}


def tampered_ours(row):
    return {"ours": another(row["ours"])}


def tampered_verdict(row):
    return {"verdict": "refuted" if row["verdict"] == "match" else "match", "reason": "tampered"}


def judged(tool, claims=None):
    """Exit status, and what is said of each claim."""
    more = ["--claims", str(claims)] if claims else []
    done = subprocess.run([tool, "published", *more], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"published {more}: exit {done.returncode}: {done.stderr}")
    return done.returncode, list(csv.DictReader(io.StringIO(done.stdout)))


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    tool = str(parser.parse_args().bin / "pe-analyze")
    faults = []
    status, answers = judged(tool)
    rows = list(csv.DictReader(open(TABLE, newline="")))
    held = sum(answer["holds"] == "yes" for answer in answers)
    faults += [f"{answer['paper']}, {answer['place']}, {answer['what']}: {answer['holds']}" for answer in answers if answer["holds"] != "yes"]
    if status != (1 if faults else 0) or len(answers) != len(rows) or len(rows) < 120:
        faults.append(f"exit {status}, {len(answers)} claims of {len(rows)} in {TABLE.name}, {len(faults)} that do not hold")
    twice = [key for key in {(row["paper"], row["place"], row["what"]) for row in rows}
             if sum((row["paper"], row["place"], row["what"]) == key for row in rows) > 1]
    faults += [f"told twice: {key}" for key in twice]
    quick = [row for row in rows if row["command"].startswith(QUICK) and row["verdict"] != "ambiguous"]
    for tamper in (tampered_printed, tampered_ours, tampered_verdict):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "claims.csv"
            write(path, [row | tamper(row) for row in quick])
            status, answers = judged(tool, path)
        passed = [row for row, answer in zip(quick, answers) if answer["holds"] == "yes"]
        faults += [f"{tamper.__name__}: holds all the same: {row['paper']}, {row['what']}" for row in passed]
        if status != 1 or len(answers) != len(quick) or not quick:
            faults.append(f"{tamper.__name__}: exit {status}, {len(answers)} claims of {len(quick)}")
        held += len(quick) - len(passed)
    print("\n".join(faults))
    print(f"{held} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
