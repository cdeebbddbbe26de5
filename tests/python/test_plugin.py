# pytest collects manifests, one test for each entry, and knows what is expected to fail.
import json
import os
import pathlib

import numpy as np
import pytest

import pe

ENTRIES = [
    {"name": "right", "encoding": "rope", "parameters": {"dim": 32}, "file": ["cos.npy", "sin.npy"]},
    {"name": "wrong", "encoding": "rope", "parameters": {"dim": 32, "base": 77}, "file": ["cos.npy", "sin.npy"]},
    {"name": "known bug", "encoding": "rope", "parameters": {"dim": 32, "base": 77}, "file": ["cos.npy", "sin.npy"],
     "expect": {"verdict": "fail", "cause": "wrong-base"}},
    {"name": "mended bug", "encoding": "rope", "parameters": {"dim": 32}, "file": ["cos.npy", "sin.npy"], "expect": {"verdict": "fail"}},
    {"name": "another bug", "encoding": "rope", "parameters": {"dim": 32, "base": 77}, "file": ["cos.npy", "sin.npy"],
     "expect": {"verdict": "fail", "cause": "wrong-scaling"}},
    {"name": "missing", "encoding": "rope", "file": "none.npy"},
    {"name": "laws", "encoding": "rope", "parameters": {"dim": 8}},
]


def manifest(pytester, cache, entries, name="all.pe.json"):
    np.save(pytester.path / "cos.npy", cache[0])
    np.save(pytester.path / "sin.npy", cache[1])
    (pytester.path / name).write_text(json.dumps({"schema_version": 1, "checks": entries}))


def run(pytester, *words):
    plugin = () if "PE_WHEEL" in os.environ else ("-p", "pe.pytest_plugin")  # a wheel's is found by its entry point
    return pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", "-rA", *words)


@pytest.fixture
def source_tree(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(pe.__file__).parents[1]))


def test_each_entry_is_a_test(pytester, cache, source_tree):
    manifest(pytester, cache, ENTRIES)
    result = run(pytester)
    result.assert_outcomes(passed=2, failed=4, xfailed=1)
    text = result.stdout.str()
    assert "all.pe.json::right" in text and "wrong-base" in text and "Traceback" not in text
    assert "it was expected to fail" in text and "cause wrong-scaling was expected" in text and "No such file" in text


def test_one_entry_can_be_chosen(pytester, cache, source_tree):
    manifest(pytester, cache, ENTRIES)
    run(pytester, "all.pe.json::wrong").assert_outcomes(failed=1)
    run(pytester, "-k", "right or laws").assert_outcomes(passed=2, deselected=5)


def test_what_is_no_manifest_is_an_error(pytester, source_tree):
    bad = [("{", "no JSON"), ("[]", "a manifest is"), ('{"schema_version": 2, "checks": [{}]}', "schema_version 1"),
           ('{"schema_version": 1, "checks": []}', "at least one"),
           ('{"schema_version": 1, "checks": [{"name": "a"}, {"name": "a"}]}', "two checks have the name 'a'")]
    for i, (text, _) in enumerate(bad):
        (pytester.path / f"bad{i}.pe.json").write_text(text)
    result = run(pytester)
    result.assert_outcomes(errors=len(bad))
    lines = result.stdout.lines
    for i, (_, words) in enumerate(bad):
        assert any(f"bad{i}.pe.json: " in line and words in line for line in lines), (i, lines)
    assert "Traceback" not in result.stdout.str()


def test_entries_that_are_none_fail(pytester, source_tree):
    (pytester.path / "bad.pe.json").write_text('{"schema_version": 1, "checks": [{}, 3, {"encoding": "rope", "fil": "x"}]}')
    result = run(pytester)
    result.assert_outcomes(failed=3)
    assert "it needs an encoding" in result.stdout.str() and "did you mean file?" in result.stdout.str()
