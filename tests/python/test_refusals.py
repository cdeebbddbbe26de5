# What makes no sense is refused in one line that says what to do, as an exception that can be told from others.
import os

import numpy as np
import pytest

import pe

COS = np.ones((4, 4), np.float32)
STRUCTURE = np.zeros(3, dtype=[("a", "f4"), ("b", "f4")])


@pytest.mark.parametrize("array, words", [
    (np.float32(1), "single value"), (np.array(1.0), "single value"), (np.zeros((0, 4)), r"no element.*\[0, 4\]"),
    (np.array([None, 1]), "Python objects"), (np.array(["a"]), "no tool reads"), (np.zeros(2, np.complex128), "complex128"),
    (np.zeros(2, np.longdouble), "no tool reads"), (STRUCTURE, "no tool reads"), (np.zeros(2, "M8[s]"), "no tool reads"),
    (np.ma.masked_array(COS), "masked"), ([[1, 2], [3]], "no array"), (object(), "single value|Python objects"),
    ([COS, COS], "list of arrays.*of its own"), ("cos.npy", "is a text.*numpy.load")])
def test_arrays(array, words):
    for call in (lambda: pe.check(array, encoding="rope"), lambda: pe.identify(array), lambda: pe.compare(COS, array)):
        with pytest.raises(pe.ArrayError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_an_array_whose_own_code_fails():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("on\nfire")

    with pytest.raises(pe.ArrayError, match="Broken, is no array: on fire"):
        pe.check(Broken(), encoding="rope")


@pytest.mark.parametrize("call, words", [
    (lambda: pe.check(COS), "needs an encoding"),
    (lambda: pe.check(COS, encoding="ropee"), "did you mean rope"),
    (lambda: pe.check(COS, model="nope"), "unknown model 'nope'"),
    (lambda: pe.check(COS, encoding="rope", bas=3), "did you mean base"),
    (lambda: pe.check(COS, encoding="rope", base=object()), "base must be a number"),
    (lambda: pe.check(COS, encoding="rope", accept="wrong"), "accept"),
    (lambda: pe.check(encoding="rope", accept="exact"), "accept"),
    (lambda: pe.check(COS, encoding="rope", length="many"), "length must be a whole number"),
    (lambda: pe.check({}, encoding="rope"), "mapping"),
    (lambda: pe.check({0: COS}, encoding="rope"), "name of an array must be a string"),
    (lambda: pe.check(COS, encoding=["rope"]), "^encoding must be a string, got list"),
    (lambda: pe.check(COS, encoding="rope", accept=1), "^accept must be a string, got int"),
    (lambda: pe.check(COS, encoding="rope", dtype="f31"), "^unknown dtype 'f31'"),
    (lambda: pe.check(COS, encoding="rope", length=-1), "^length must be a whole number of at least 1"),
    (lambda: pe.check(COS, encoding="rope", timeout=float("inf")), "timeout must be a number of seconds, got inf"),
    (lambda: pe.check(COS, encoding="rope\udcff"), "nothing that JSON can say"),
    (lambda: pe.check(COS, config=type("Config", (), {"to_dict": lambda self: 1 / 0})()), r"to_dict\(\) failed: ZeroDivisionError"),
    (lambda: pe.check(encoding="rope", before=COS), "afterwards"),
    (lambda: pe.check(COS, config=3), "config must be"),
    (lambda: pe.compare(np.zeros(3), np.zeros(4)), "cannot be compared"),
    (lambda: pe.identify(), "needs an array"),
    (lambda: pe.table("rope", dim=7), "--dim must be even"),
    (lambda: pe.table("rope", dim="8\0"), "NUL"),
    (lambda: pe.table("rope", dim=64, length=10**12), "takes .* MB at least"),
    (lambda: pe.table("rope", dim=64, length=4, dtype=np.int8), "int8"),
    (lambda: pe.table(3), "must be a string"),
    (lambda: pe.table("rope", output="x.npz"), "leave it out"),
    (lambda: pe.analyze("decay", "rope", help=True), "leave it out"),
    (lambda: pe.check({"__metadata__": COS}, encoding="rope"), "cannot have the name"),
    (lambda: pe.analyze("nope"), "unknown quantity"),
    (lambda: pe.analyze(3), "quantity must be a string"),
    (lambda: pe.analyze("decay", "rope", versus=[3]), "versus must be a string such as"),
    (lambda: pe.apply("rope", q=COS[0]), "axes")])
def test_usage(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value) and "/proc/" not in str(caught.value)


def test_time_that_runs_out_is_neither_pass_nor_failure():
    with pytest.raises(pe.CannotTell, match="could not tell in") as caught:
        pe.check(encoding="sinusoidal", timeout=1e-9)
    assert caught.value.kind == "time"


def test_missing_files_are_no_usage(tmp_path):
    with pytest.raises(pe.CannotTell, match="No such file") as caught:
        pe.check(COS, config=str(tmp_path / "config.json"))
    assert caught.value.kind == "file"


def test_missing_tools(monkeypatch, tmp_path):
    monkeypatch.setenv("PE_TOOLS", str(tmp_path))
    with pytest.raises(pe.ToolMissing, match="PE_TOOLS names the folder"):
        pe.check(COS, encoding="rope")
    with pytest.raises(FileNotFoundError):
        pe.table("rope")
    (tmp_path / "pe-verify").write_text("#!/bin/sh\necho 'pe-verify: not today' >&2\nexit 2\n")
    os.chmod(tmp_path / "pe-verify", 0o755)
    with pytest.raises(pe.ToolDied, match="not today"):
        pe.check(COS, encoding="rope")
    for talk in ("", "echo what?"):  # a tool that writes nothing, or no arrays
        (tmp_path / "pe-gen").write_text(f"#!/bin/sh\n{talk}\nexit 0\n")
        os.chmod(tmp_path / "pe-gen", 0o755)
        with pytest.raises(pe.ToolDied, match="ended well"):
            pe.table("rope", dim=8, length=2)
    for talk in ("echo garbage", "exec cat"):
        (tmp_path / "pe-verify").write_text(f"#!/bin/sh\n{talk}\n")
        with pytest.raises(pe.ToolDied, match="ended twice"):
            pe.check(COS, encoding="rope")
    monkeypatch.delenv("PE_TOOLS")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    if "PE_WHEEL" not in os.environ:
        with pytest.raises(pe.ToolMissing, match="neither in this package nor on PATH"):
            pe.check(COS, encoding="rope")
