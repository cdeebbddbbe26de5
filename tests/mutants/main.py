#!/usr/bin/env python3
# Breaks one comparison, bound, sign or choice of the verifier's judgement at a time, and counts those breaks that no test notices.
"""All mutants are compiled into one copy of the tree, each behind a switch (PE_MUTANT=N), so that they cost one build. What each part of
the tests, and each case of the corpus, reaches is recorded first; a mutant is then tried by the parts that reach it, the quick ones first,
and by the cases that do, until one fails. Of cases that hundreds of mutants reach, as many as --cases says are tried.
The folder keeps what is known: the same command goes on where it was stopped. Needs Debian's python3-clang-14."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("numpy", "h5py", "mpmath", "clang")
import cases  # noqa: E402
import sites  # noqa: E402

ROOMS = ("lib/pe/diagnosis/", "lib/pe/verify/", "lib/pe/properties/")
TARGETS = ("pe_tests", "pe-gen", "pe-apply", "pe-analyze", "pe-verify")
QUICK = 8  # seconds of a part that is tried before the corpus
SWITCH = """// Which mutant is on, and which were reached: PE_MUTANT and the file that PE_MUTANTS_REACHED names, a byte each.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <cstdlib>
#include <type_traits>
namespace pe_mutants {
struct State {
  int active = 0;
  unsigned char* reached = nullptr;
  State() {
    if (const char* number = std::getenv("PE_MUTANT")) active = std::atoi(number);
    const char* path = std::getenv("PE_MUTANTS_REACHED");
    if (const int file = path ? ::open(path, O_RDWR) : -1; file >= 0)
      if (void* at = ::mmap(nullptr, 1 << 16, PROT_WRITE, MAP_SHARED, file, 0); at != MAP_FAILED)
        reached = static_cast<unsigned char*>(at);
  }
};
inline const State& state() {
  static const State one;
  return one;
}
constexpr bool on(int mutant) {
  if (std::is_constant_evaluated()) return false;
  if (state().reached) state().reached[mutant] = 1;
  return state().active == mutant;
}
}  // namespace pe_mutants
"""


def put(path, content):
    """Leaves a file alone that is so already: it is not compiled once more."""
    if not path.is_file() or path.read_bytes() != content:
        path.write_bytes(content)


class Work:
    """The folder: the copy of the tree, its build, and what is known of each mutant."""

    def __init__(self, folder, options):
        self.folder, self.tree, self.options, self.corpus = folder, (folder / "tree").resolve(), options, None
        self.build, self.state = self.tree / "build" / "dev", folder / "mutants.json"
        self.known = json.loads(self.state.read_text()) if self.state.is_file() else {}

    def keep(self):
        fresh = self.state.with_suffix(".new")
        fresh.write_text(json.dumps(self.known, indent=1))
        fresh.replace(self.state)

    # ---- the copy and its mutants

    def copy(self):
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_file() or target.read_bytes() != (ROOT / name).read_bytes():
                shutil.copy2(ROOT / name, target)

    def configure(self):
        subprocess.run(["cmake", *shlex.split(self.options.cmake), "-B", str(self.build), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], cwd=self.tree,
                       check=True, stdout=subprocess.DEVNULL)

    def draw(self):
        """As many files as mutants are wanted, or fewer, by their size; then a site of each, and a change of the site."""
        generator = random.Random(self.options.seed)
        arguments = sites.arguments_of(self.build)
        files = sorted(f for f in arguments if any(str(self.tree / room) in f for room in self.options.rooms or ROOMS))
        sizes = [pathlib.Path(f).stat().st_size for f in files]
        if self.options.files:  # without replacement, the large ones rather
            files = sorted(files, key=lambda f: generator.random() ** (1 / pathlib.Path(f).stat().st_size))[-self.options.files:]
            sizes = [pathlib.Path(f).stat().st_size for f in files]
        drawn, read = [], {}
        for file in generator.choices(files, sizes, k=4 * self.options.count):
            if len(drawn) == self.options.count:
                break
            if file not in read:
                read[file] = sites.sites(file, arguments[file])
            taken = [d for d in drawn if d["file"] == file]
            free = [s for s in read[file] if all(s.last <= d["first"] or s.first >= d["last"] for d in taken)]
            if free:
                site = generator.choice(free)
                drawn.append({**site.record(), "change": generator.choice(site.changes), "fate": "untried"})
        self.known["mutants"] = drawn
        self.keep()

    def mutate(self):
        """Writes every file with its mutants in it; a file that does not compile so is left as it was, and its mutants drop out."""
        put(self.tree / "lib" / "pe" / "base" / "mutant.hpp", SWITCH.encode())
        by_file = {}
        for number, mutant in enumerate(self.known["mutants"], 1):
            by_file.setdefault(mutant["file"], []).append((number, mutant))
        for file, mutants in by_file.items():
            source = (ROOT / pathlib.Path(file).relative_to(self.tree)).read_bytes()
            for number, mutant in sorted(mutants, key=lambda m: -m[1]["first"]):
                text = f"(pe_mutants::on({number}) ? ({mutant['change']}) : ({mutant['text']}))".encode()
                source = source[:mutant["first"]] + text + source[mutant["last"]:]
            put(pathlib.Path(file), b'#include "pe/base/mutant.hpp"\n' + source)
        for _ in range(4):
            done = subprocess.run(["cmake", "--build", str(self.build), "--parallel", str(self.options.jobs), "--target", *TARGETS, "--", "-k", "0"],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                return
            spoilt = [f for f in by_file if f"{f}:" in done.stdout and "error" in done.stdout]
            if not spoilt:
                sys.exit(done.stdout[-4000:])
            for file in spoilt:
                shutil.copy(ROOT / pathlib.Path(file).relative_to(self.tree), file)
                for _, mutant in by_file.pop(file):
                    mutant["fate"] = "does not compile"
            self.keep()
        sys.exit("the mutants do not compile")

    # ---- the parts of the tests

    def parts(self):
        unit = str(self.build / "tests" / "pe_tests")
        listed = subprocess.run([unit, "-lts", "--no-colors=true"], capture_output=True, text=True).stdout.splitlines()
        suites = [line for line in listed if line and not line.startswith(("[", "="))]
        python = lambda *words: [sys.executable, *words, "--bin", "build/dev/cmd"]  # noqa: E731
        quick = {f"unit {suite}": [unit, f"-ts={suite}"] for suite in suites if suite != "hdf5 inside"}
        quick["unit of no suite"] = [unit, "-tse=?*"]
        return {**quick, "laws": python("tests/laws/truth.py"), "shards": python("tests/shards.py"), "reports": python("tests/reports.py"),
                "transcripts": python("tests/tools/transcripts.py"), "own": python("tests/own_output.py"),
                "dumps": [*python("tests/manifests.py"), "data/parity/dumps/manifest.json", "data/parity/family_dumps/manifest.json", "tests/notes/manifest.json"],
                "identify": python("tests/corpus/corpus.py", "--identify", "--deal", "200"), "hostile": python("tests/hostile.py")}

    def run(self, command, mutant, limit, reached=None):
        environment = {**os.environ, "PE_MUTANT": str(mutant), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        if reached:
            environment["PE_MUTANTS_REACHED"] = str(reached)
        start = time.monotonic()
        with subprocess.Popen(command, cwd=self.tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.communicate()
                return False, limit
        return process.returncode == 0, time.monotonic() - start

    def reach(self):
        """Part → the mutants that it reaches and how long it takes, with none of them on."""
        known, marks = self.known.setdefault("parts", {}), self.folder / "reached"
        for name, command in self.parts().items():
            if name in known:
                continue
            marks.write_bytes(bytes(1 << 16))
            good, seconds = self.run(command, 0, 1800, marks)
            if not good:
                sys.exit(f"{name} fails without a mutant: {self.tree} is not what it was copied from")
            known[name] = {"seconds": seconds, "reached": [i for i, mark in enumerate(marks.read_bytes()) if mark]}
            self.keep()
        self.corpus = cases.Cases(self.folder / "corpus")
        reaching = self.known.setdefault("cases", {})
        left = [name for name in self.corpus.ones if name not in reaching]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for told in pool.map(self.reached_by, [left[i::self.options.jobs] for i in range(self.options.jobs)], range(self.options.jobs)):
                reaching.update(told)
        self.keep()

    def reached_by(self, names, worker):
        """Name → the mutants that a case of the corpus reaches; none where it is answered wrongly without one."""
        marks, told = self.folder / f"reached-{worker}", {}
        for name in names:
            marks.write_bytes(bytes(1 << 16))
            start = time.monotonic()
            good = self.corpus.are_right([name], lambda command: self.run(command, 0, 300, marks), f"reach-{worker}")
            seconds = time.monotonic() - start
            if not good:
                print(f"answered wrongly without a mutant, and left out: {name}", flush=True)
            told[name] = {"seconds": seconds, "reached": [i for i, mark in enumerate(marks.read_bytes()) if mark and good]}
        return told

    def try_all(self):
        until = time.monotonic() + 60 * self.options.minutes
        wanted = ("untried", "unnoticed") if self.options.again else ("untried",)
        left = [(n, m) for n, m in enumerate(self.known["mutants"], 1) if m["fate"] in wanted]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for number, mutant, fate in pool.map(lambda one: (*one, self.fate(one[0], until)), left):
                if fate:
                    mutant["fate"] = fate
                    self.keep()
                    print(f"{number:4d} {fate}: {self.told(mutant)}", flush=True)

    def fate(self, number, until):
        """What becomes of one mutant; None where there was no time left."""
        commands, order = self.parts(), sorted(self.known["parts"].items(), key=lambda p: p[1]["seconds"])
        reaching = [(name, part) for name, part in order if number in part["reached"]]
        names = self.cases_of(number)
        quick = [one for one in reaching if one[1]["seconds"] < QUICK]
        for name, part in [*quick, *(("corpus", portion) for portion in cases.in_portions(names)), *reaching[len(quick):]]:
            if time.monotonic() > until:
                return None
            if name == "corpus":
                limit = 60 + 5 * sum(self.known["cases"][case]["seconds"] for case in part)
                if not self.corpus.are_right(part, lambda command: self.run(command, number, limit), f"of-{number}"):
                    return f"noticed by corpus ({part[0]} …)"
            elif not self.run(commands[name], number, 120 + 5 * part["seconds"])[0]:
                return f"noticed by {name}"
        return "unnoticed" if reaching or names else "unreached"

    def cases_of(self, number):
        """The cases that reach a mutant, those first that few mutants are reached by; some of them, where they are many."""
        told = self.known["cases"]
        found = sorted((name for name, one in told.items() if number in one["reached"]), key=lambda name: (len(told[name]["reached"]), name))
        step = max(1, len(found) // self.options.cases)
        return [*found[::step], *(found[-1:] if step > 1 else [])]

    def told(self, mutant):
        where = pathlib.Path(mutant["file"]).relative_to(self.tree)
        return f"{where}:{mutant['line']}: {' '.join(mutant['text'].split())}  →  {' '.join(mutant['change'].split())}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "out" / "mutants", help="the copy of the tree and what is known")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="mutants")
    parser.add_argument("--rooms", nargs="+", metavar="FOLDER", help=f"where, in place of {' '.join(ROOMS)}")
    parser.add_argument("--files", type=int, metavar="N", help="in so many files at most, which is the quicker build")
    parser.add_argument("--cases", type=int, default=400, metavar="N", help="of the corpus that one mutant is tried by")
    parser.add_argument("--cmake", default="--preset release", metavar="WORDS", help="how the copy is configured")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another draw")
    parser.add_argument("--minutes", type=float, default=600, metavar="M", help="stop after so long; the same command goes on later")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilers, and mutants, at once")
    parser.add_argument("--again", action="store_true", help="try those once more that no test noticed")
    options = parser.parse_args()
    work = Work(options.folder.resolve(), options)
    if "mutants" not in work.known:
        work.copy()
        work.configure()
        work.draw()
    if not work.known.get("built"):
        work.mutate()
        work.known["built"] = True
        work.keep()
    work.reach()
    work.try_all()
    fates = [m["fate"] for m in work.known["mutants"] if m["fate"] != "does not compile"]
    for mutant in work.known["mutants"]:
        if mutant["fate"] in ("unnoticed", "unreached"):
            print(f"{mutant['fate']}: {work.told(mutant)}")
    noticed = sum(f.startswith("noticed") for f in fates)
    untried = fates.count("untried")
    print(f"{len(fates)} mutants, {untried} untried: {noticed} noticed, {len(fates) - noticed - untried} not")
    return int(noticed + untried < len(fates))


if __name__ == "__main__":
    sys.exit(main())
