"""The corpus case by case: which mutants each one reaches, and whether some of them are still answered rightly."""
import argparse
import json
import pathlib
import sys

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "corpus"
sys.path.insert(0, str(CORPUS))
AT_ONCE = 24  # of a manifest: few are lost where the first answers are wrong


class Cases:
    """The dumps of seed 0 in a folder, written once."""

    def __init__(self, folder):
        import corpus
        import dumps
        import outcome
        self.folder, self.judged, self.is_worse, self.known = folder, outcome.judged, outcome.is_worse, corpus.read_open()
        folder.mkdir(parents=True, exist_ok=True)
        ones = corpus.chosen(folder, 0, argparse.Namespace(identify=False, only="", deal=None, anonymous=False))
        self.ones = {one.name: one for one in ones}
        told = folder / "checks.json"
        if not told.is_file():
            checks = {one.name: dumps.write(folder, number, one) for number, one in enumerate(ones)}
            told.write_text(json.dumps(checks))
        self.checks = json.loads(told.read_text())

    def are_right(self, names, run, tag):
        """Whether all of these are answered as they ought to be; `run` carries out a command and says nothing of its exit code."""
        manifest, report = self.folder / f"{tag}.json", self.folder / f"{tag}.report.json"
        manifest.write_text(json.dumps({"schema_version": 1, "checks": [self.checks[name] for name in names]}))
        report.unlink(missing_ok=True)
        run(["build/dev/cmd/pe-verify", "run", str(manifest), "--report", str(report), "--jobs", "1"])
        if not report.is_file():
            return False
        answers = {check["name"]: check for check in json.loads(report.read_text())["checks"]}
        return all(self.is_right(self.ones[name], answers.get(self.checks[name]["name"])) for name in names)

    def is_right(self, one, answer):
        kind = self.judged(one, answer)
        return kind == "right" or (one.name in self.known and not self.is_worse(kind, self.known[one.name]))


def in_portions(names):
    for first in range(0, len(names), AT_ONCE):
        yield names[first:first + AT_ONCE]
