# What runs on machines of others, as far as it can be told here: the action's lines are run as its runner does, files that are named exist.
import os
import re
import shlex
import subprocess

import yaml

from install import ROOT

ACTION = ROOT / ".github/actions/pe-verify"


def action():
    return yaml.safe_load((ACTION / "action.yml").read_text())


def the_action_is_one(place):
    found = action()
    assert found["runs"]["using"] == "composite" and found["name"] and found["description"]
    assert all(put["description"] for put in [*found["inputs"].values(), *found["outputs"].values()])
    assert all(put["required"] != ("default" in put) for put in found["inputs"].values())
    steps = found["runs"]["steps"]
    assert all(step["shell"] == "bash" and step["run"] and step["name"] for step in steps)
    used = re.findall(r"\$\{\{ *(.*?) *\}\}", (ACTION / "action.yml").read_text())
    known = {f"inputs.{name}" for name in found["inputs"]} | {"github.action_path"} | {f"steps.{s['id']}.outputs.{o}" for s in steps for o in found["outputs"]}
    assert used and set(used) <= known, set(used) - known
    assert set(re.findall(r"inputs\.(\w+)", " ".join(used))) == set(found["inputs"])
    assert not any("${{" in step["run"] for step in steps)  # what a caller writes is data, not a line of the shell


def run_action(place, inputs):
    """The steps one after another, as the runner has them: (exit code, what was said, outputs)."""
    found = action()
    given = {**{name: put.get("default", "") for name, put in found["inputs"].items()}, **inputs}
    files = {name: place.scratch / name for name in ("GITHUB_PATH", "GITHUB_OUTPUT")}
    for path in files.values():
        path.write_text("")
    said = ""
    for step in found["runs"]["steps"]:
        texts = {f"inputs.{name}": str(value) for name, value in given.items()} | {"github.action_path": str(ACTION)}
        environment = {key: re.sub(r"\$\{\{ *(.*?) *\}\}", lambda m: texts[m[1]], value) for key, value in step["env"].items()}
        path = ":".join([*reversed(files["GITHUB_PATH"].read_text().split("\n")[:-1]), "/usr/bin", "/bin"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], capture_output=True, text=True, timeout=120,
                              cwd=place.scratch, env={**environment, **{k: str(v) for k, v in files.items()}, "PATH": path, "HOME": os.environ.get("HOME", "/")})
        said += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, said, files["GITHUB_OUTPUT"].read_text()
    return 0, said, files["GITHUB_OUTPUT"].read_text()


def the_action_judges(place):
    manifest = place.scratch / "some manifest.json"
    check = '{"schema_version": 1, "checks": [{"name": "a", "encoding": "%s", "length": 8}]}'
    manifest.write_text(check % "sinusoidal")
    code, said, outputs = run_action(place, {"manifest": manifest, "tools": place.bin})
    assert code == 0 and outputs == "report=pe-verify.xml\n" and "passed" in said, said
    assert "<testsuite" in (place.scratch / "pe-verify.xml").read_text()
    manifest.write_text(check % "index")  # which is not bounded, but does not promise it
    assert run_action(place, {"manifest": manifest, "tools": place.bin})[0] == 0
    manifest.write_text((check % "sinusoidal").replace('"length": 8', '"length": 8, "expect": {"verdict": "fail"}'))
    code, said, _ = run_action(place, {"manifest": manifest, "tools": place.bin})
    assert code == 1 and "::error" in said, said
    assert run_action(place, {"manifest": "nothing.json", "tools": place.bin})[0] == 2
    code, said, _ = run_action(place, {"manifest": manifest, "tools": place.scratch})
    assert code == 2 and "holds no pe-verify" in said, said


def the_image_names_what_exists(place):
    text = (ROOT / "scripts/Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    words = [word for word, _ in lines]
    assert words.count("FROM") == 2 and set(words) <= {"FROM", "COPY", "RUN", "WORKDIR", "CMD"}, words
    for word, rest in lines:
        if word == "RUN":
            subprocess.run(["bash", "-n", "-c", rest], check=True)
            for path in re.findall(r"/src/(\S+)", rest):
                assert os.access(ROOT / path, os.X_OK), path
    built = next(shlex.split(rest) for word, rest in lines if word == "RUN" and "/src/" in rest)
    assert built[1:] == ["deb", "--out", "/packages"]  # which part is made there, and where it is taken from
    assert ["--from=build", "/packages/pe-tools_*.deb", "/packages/"] in [shlex.split(rest) for word, rest in lines if word == "COPY"]


def the_citation_is_of_this_version(place):
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert found["cff-version"] == "1.2.0" and found["message"] and found["title"] and found["type"] == "software"
    assert found["authors"] and all(set(author) <= {"name", "family-names", "given-names", "orcid"} for author in found["authors"])
    assert set(found) <= {"cff-version", "message", "type", "title", "abstract", "authors", "version", "license", "keywords", "date-released"}
    assert str(found["version"]) == re.search(r"^project\(pe VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    assert found["license"] == "MIT" and (ROOT / "LICENSE").read_text().startswith("MIT License")


CHECKS = [the_action_is_one, the_action_judges, the_image_names_what_exists, the_citation_is_of_this_version]
