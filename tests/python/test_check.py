# Verdicts, identifications and comparisons of NumPy's arrays; what Python says of an array is what the tool says of its file.
import ctypes
import gc
import json
import os
import shlex
import subprocess
import sys

import numpy as np
import pytest

import pe
import pe._tools


def test_a_right_cache_passes_and_a_wrong_one_names_its_cause(cache):
    good = pe.check(*cache, encoding="rope", dim=32)
    assert good and good.ok and good.tier == good.word == "exact" and good.causes == ()
    bad = pe.check(*cache, encoding="rope", dim=32, base=500000)
    assert not bad and bad.word == "wrong" and [cause.name for cause in bad.causes] == ["wrong-base"]
    assert "10000" in bad.causes[0].sentence and bad.worst.expected != bad.worst.got
    assert "wrong-base" in str(bad) and "/proc/" not in str(bad) + json.dumps(bad.json) + bad.command


def test_the_verdict_is_the_tool_s_own(cache, tmp_path):
    verdict = pe.check(*cache, encoding="rope", dim=32, base=500000)
    np.savez(tmp_path / "arrays.npz", cos=cache[0], sin=cache[1])
    words = shlex.split(verdict.command.replace("arrays.safetensors", str(tmp_path / "arrays.npz")))
    done = subprocess.run([pe._tools.find("pe-verify"), *words[1:], "--report", "-"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    theirs = json.loads(done.stdout)["checks"][0]
    for key in ("tier", "causes", "worst", "worst_cell", "bound", "cells", "layout", "curve"):
        assert theirs[key] == verdict.json[key], key


def test_accept_decides_what_passes(cache):
    rounded = [array.astype(np.float16).astype(np.float32) for array in cache]
    for accept, ok in (("exact", False), ("drift", False), ("storage", True)):
        verdict = pe.check(*rounded, encoding="rope", dim=32, accept=accept)
        assert (verdict.tier, verdict.ok) == ("storage", ok)


def test_types_are_named_as_numpy_names_them(cache):
    for dtype in (np.float32, np.dtype("float32"), "f32"):
        assert pe.check(*cache, encoding="rope", dim=32, dtype=dtype).tier == "exact"


def test_strides_orders_and_bytes_do_not_matter(cache):
    cos, sin = cache
    wide = np.zeros((64, 32), np.float32)
    wide[:, ::2] = cos
    forms = [np.asfortranarray(cos), cos.astype(">f4"), wide[:, ::2], cos[::-1][::-1], np.broadcast_to(cos, (64, 16)),
             memoryview(cos), cos.tolist()]
    for form in forms:
        kept = np.float32 if isinstance(form, list) else None
        verdict = pe.check(np.asarray(form, kept) if kept else form, sin, encoding="rope", dim=32)
        assert verdict.tier == "exact", type(form)
    turned = pe.compare(np.asfortranarray(cos).astype(">f4"), cos)
    assert turned and turned.equal_bits


def test_half_and_double_precision_and_bits_of_bfloat16(cache):
    angle = np.outer(np.arange(64.0), 10000.0 ** (-np.arange(16) / 16))
    assert pe.check(np.cos(angle), np.sin(angle), encoding="rope", dim=32).json["what"].startswith("cosines and sines, f64")
    half = pe.check(*(a.astype(np.float16) for a in (np.cos(angle), np.sin(angle))), encoding="rope", dim=32)
    assert half.tier == "exact"
    exact = pe.table("rope", dim=32, length=64, dtype="bf16")
    bits = [exact[name].view(np.uint16) for name in ("cos", "sin")]
    assert pe.check(*bits, encoding="rope", dim=32, dtype="bf16").tier == "exact"
    assert exact.bfloat16 == {"cos", "sin"}


def test_complex_numbers_are_turns(cache):
    turns = (cache[0] + 1j * cache[1]).astype(np.complex64)
    assert pe.check(turns, encoding="rope", dim=32).tier == "exact"
    assert pe.check(turns.conj(), encoding="rope", dim=32).tier == "wrong"


class Offers:
    """An array of somebody's, by one protocol alone."""

    def __init__(self, array, protocol):
        self._array = array
        if protocol == "interface":
            self.__array_interface__ = array.__array_interface__

    @staticmethod
    def of(array, protocol):
        made = type("Array", (Offers,), {})
        if protocol == "array":
            made.__array__ = lambda self, dtype=None, copy=None: self._array
        if protocol == "dlpack":
            made.__dlpack__ = lambda self, **how: self._array.__dlpack__(**how)
            made.__dlpack_device__ = lambda self: self._array.__dlpack_device__()
        return made(array, protocol)


@pytest.mark.parametrize("protocol", ["array", "interface", "dlpack"])
def test_arrays_come_by_every_protocol(cache, protocol):
    forms = [Offers.of(array, protocol) for array in cache]
    assert pe.check(*forms, encoding="rope", dim=32).tier == "exact"


def bfloat16_capsule(values, **changed):
    """DLPack's of unsigned 16-bit integers, whose type says bfloat16: what a framework's own is, of which NumPy is none."""
    capsule = values.__dlpack__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    place = pointer_of(capsule, b"dltensor")
    for name, value in {"code": 4, **changed}.items():
        at, kind = {"device": (8, ctypes.c_int32), "code": (20, ctypes.c_uint8), "bits": (21, ctypes.c_uint8), "lanes": (22, ctypes.c_uint16)}[name]
        kind.from_address(place + at).value = value
    return capsule


def exporter(values, **changed):
    return type("Exporter", (), {"__dlpack__": lambda self, **how: bfloat16_capsule(values, **changed), "__dlpack_device__": lambda self: (1, 0)})()


def test_bfloat16_comes_by_dlpack_alone():
    exact = pe.table("rope", dim=32, length=64, dtype="bf16")
    bits = [exact[name].view(np.uint16) for name in ("cos", "sin")]
    dense = [np.array(array) for array in bits]
    wide = [np.repeat(array, 2, axis=1)[:, ::2] for array in bits]
    turned = [np.array(array.T).T for array in bits]
    for form in (dense, wide, turned, [array[::-1][::-1] for array in dense]):
        found = pe.check(*(exporter(array) for array in form), encoding="rope", dim=32)
        assert found.tier == "exact" and found.json["what"].startswith("cosines and sines, bf16"), str(found)
    assert pe.compare(exporter(dense[0][10:20, 3:]), exact["cos"][10:20, 3:]).equal_bits
    assert not pe.check(exporter(dense[1]), exporter(dense[0]), encoding="rope", dim=32)


def test_what_lies_elsewhere_or_is_of_another_type_is_refused_by_dlpack():
    bits = np.zeros((4, 4), np.uint16)
    for changed in ({"device": 2}, {"lanes": 2}, {"code": 9, "bits": 8}, {"code": 3}):
        with pytest.raises(pe.ArrayError, match="Exporter, is no array: ") as caught:
            pe.check(exporter(bits, **changed), encoding="rope")
        assert "\n" not in str(caught.value)
    with pytest.raises(pe.ArrayError, match="no element"):
        pe.check(exporter(bits[:0]), encoding="rope")
    with pytest.raises(pe.ArrayError, match="Stubborn, is no array: "):
        pe.check(type("Stubborn", (), {"__dlpack__": lambda self, **how: object(), "__dlpack_device__": lambda self: (1, 0)})(), encoding="rope")


def test_what_dlpack_hands_over_lives_as_long_as_it_is_used():
    from pe._arrays import take

    bits = np.arange(64, dtype=np.uint16).reshape(8, 8)
    count = sys.getrefcount(bits)
    taken = take(exporter(bits), "array")
    assert sys.getrefcount(bits) > count and taken.type == "BF16" and np.shares_memory(taken.values, bits)
    assert not taken.values.flags.writeable
    del taken
    gc.collect()  # the exporter's class, which refers to itself
    assert sys.getrefcount(bits) == count


def test_a_config_is_a_path_a_mapping_or_an_object(cache, tmp_path):
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "rope_theta": 10000.0}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    held = type("Config", (), {"to_dict": lambda self: config})()
    for form in (config, path, str(path), held):
        assert pe.check(*cache, config=form).tier == "exact"
    assert not pe.check(*cache, config={**config, "rope_theta": 5000.0})


def test_vectors_before_and_after():
    q = np.random.default_rng(1).normal(size=(1, 2, 16, 8)).astype(np.float32)
    applied = pe.apply("rope", q=q)
    assert list(applied) == ["q_out"] and applied["q_out"].shape == q.shape
    verdict = pe.check(applied["q_out"], before=q, encoding="rope", dim=8, axes="bhsd", pairing="halves")
    assert verdict.tier in ("exact", "drift"), str(verdict)
    assert not pe.check(q, before=q, encoding="rope", dim=8, axes="bhsd")


def test_laws_without_an_array():
    laws = pe.check(encoding="sinusoidal")
    assert laws and laws.word == "holds" and laws.tier is None and laws.worst is None
    assert pe.check(encoding="index").word == "holds" and {row["law"] for row in laws.json["verdicts"]} >= {"finite", "bounded"}


def test_identify(cache):
    found = pe.identify(*cache)
    assert found and found.encoding == "rope" and found.parameters["base"] == 10000 and found.make.startswith("pe-gen rope")
    nothing = pe.identify(np.random.default_rng(0).normal(size=(16, 8)))
    assert not nothing and nothing.encoding is None and nothing.summary


def test_compare(cache):
    cos, sin = cache
    assert pe.compare(cos, cos.copy()).equal_bits
    one = cos.copy()
    one[3, 2] = np.nextafter(one[3, 2], np.float32(2))
    apart = pe.compare(cos, one)
    assert not apart and apart.worst_ulps == 1 and apart.json["pairs"][0]["first"]["at"] == [3, 2]
    assert pe.compare(cos, one, ulps=1)
    both = pe.compare({"cos": cos, "sin": sin}, {"cos": cos, "extra": sin})
    assert not both and both.json["only_in_a"] and both.json["only_in_b"]


def test_trained_weights_are_arrays():
    weights = np.random.default_rng(2).normal(size=(16, 8)).astype(np.float32)
    assert np.array_equal(pe.table("learned", input=weights)["pe"], weights)
    assert pe.check(weights, encoding="learned", input=weights).tier == "exact"
    assert not pe.check(weights[::-1], encoding="learned", input=weights)
    x = np.ones((1, 16, 8), np.float32)
    assert np.array_equal(pe.apply("learned", input=weights, x=x)["x_out"], x + weights)


def test_table_and_columns(cache):
    table = pe.table("rope", dim=32, length=64)
    assert list(table) == ["cos", "sin"] and table["cos"].dtype == np.float32
    assert np.array_equal(table["cos"], cache[0]) and np.array_equal(table["sin"], cache[1])
    assert table.metadata["encoding"] == "rope" and table.metadata["parameter.dim"] == "32"
    assert pe.table(model="llama-3.1-8b", length=4)["cos"].shape == (4, 64)
    assert pe.table("alibi", heads=8, fields="slope")["slope"].tolist() == [2.0 ** -(i + 1) for i in range(8)]
    assert pe.table("rope", dim=8, positions=range(2, 8, 2))["cos"].shape == (3, 4)
    table["cos"][0, 0] = 5  # it is the caller's own
    curve = pe.analyze("decay", "rope", length=16, versus=["alibi --heads 2"])
    assert set(curve["subject"]) == {"rope", "alibi --heads 2"} and curve["distance"].dtype == np.int64 and curve["score"].dtype == np.float64
    angle = np.outer(np.arange(16.0), 10000.0 ** (-np.arange(64) / 64))
    mine = 2 * np.cos(angle).sum(1) / np.sqrt(128)  # Σ cos over the pairs of a query and a key of ones, of √d
    assert np.allclose(curve["score"][curve["subject"] == "rope"], mine, rtol=1e-9)
    spectrum = pe.analyze("spectrum", "rope", dim=8)
    assert np.allclose(spectrum["wavelength"], 2 * np.pi * 10000.0 ** (np.arange(4) / 4), rtol=1e-9)


def test_assert_encoding(cache):
    assert pe.testing.assert_encoding(*cache, encoding="rope", dim=32).ok
    with pytest.raises(AssertionError, match=r"wrong-base(?s:.*)asked .*pe-verify check rope"):
        pe.testing.assert_encoding(*cache, encoding="rope", dim=32, base=7000)


def test_nothing_is_left_behind(cache):
    pe.check(*cache, encoding="rope", dim=32)
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(3):
        pe.check(*cache, encoding="rope", dim=32, config=None)
        with pytest.raises(pe.UsageError):
            pe.check(*cache, encoding="rope", dim=31)
    assert set(os.listdir("/proc/self/fd")) == before
