# Arrays of PyTorch and JAX, where they are installed; frameworks.py installs them and names them in PE_NEED, so that none is skipped.
import importlib
import os

import numpy as np
import pytest

import pe


def framework(module, name):
    if module.split(".")[0] in os.environ.get("PE_NEED", "").split():
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"{name} is not installed here")


class DLPackAlone:
    """A framework's array, of which no more than `__dlpack__` is seen."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **how):
        return self._array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_pytorch(cache):
    torch = framework("torch", "PyTorch")
    cos, sin = (torch.from_numpy(array) for array in cache)
    assert pe.check(cos, sin, encoding="rope", dim=32).tier == "exact"
    assert pe.check(cos.clone().requires_grad_(), sin.t().contiguous().t(), encoding="rope", dim=32).tier == "exact"
    assert pe.check(torch.polar(torch.ones_like(cos), torch.atan2(sin, cos)), encoding="rope", dim=32).tier == "drift"
    turned = torch.complex(cos, sin)
    assert pe.compare(turned.conj(), turned.conj().resolve_conj()).equal_bits and not pe.compare(turned, turned.conj())
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        exact = pe.table("rope", dim=32, length=64, dtype={"torch.bfloat16": "bf16", "torch.float16": "f16"}.get(str(dtype), "f64")).torch()
        assert exact["cos"].dtype == dtype and pe.check(exact, encoding="rope", dim=32).tier == "exact"
    wide = torch.zeros(64, 32, dtype=torch.bfloat16)
    wide[:, ::2] = pe.table("rope", dim=32, length=64, dtype="bf16").torch()["cos"]
    assert pe.compare(wide[:, ::2], pe.table("rope", dim=32, length=64, dtype="bf16").torch()["cos"]).equal_bits
    half = pe.table("rope", dim=32, length=64, dtype="bf16").torch()
    assert pe.check(*(DLPackAlone(half[name].t().contiguous().t()) for name in ("cos", "sin")), encoding="rope", dim=32).tier == "exact"
    for bad in (torch.tensor(1.0), torch.zeros(0, 4), torch.zeros(2, 2).to_sparse(), torch.zeros(2, 2, device="meta"),
                torch.zeros(2, 2, dtype=torch.complex128)):
        with pytest.raises(pe.ArrayError) as caught:
            pe.check(bad, encoding="rope")
        assert "\n" not in str(caught.value)


def test_jax(cache):
    jax = framework("jax.numpy", "JAX")
    assert pe.check(*(jax.asarray(array) for array in cache), encoding="rope", dim=32).tier == "exact"
    exact = pe.table("rope", dim=32, length=64, dtype="bf16")
    half = jax.asarray(cache[0]).astype(jax.bfloat16)
    assert pe.compare(half, exact["cos"]).equal_bits and pe.compare(DLPackAlone(half), exact["cos"]).equal_bits
    with pytest.raises(pe.ArrayError, match="no tool reads"):
        pe.check(jax.zeros((4, 4), jax.float8_e4m3fn), encoding="rope")


def test_ml_dtypes():
    ml_dtypes = framework("ml_dtypes", "ml_dtypes")
    exact = pe.table("rope", dim=32, length=64, dtype="bf16")
    assert exact["cos"].dtype == np.dtype(ml_dtypes.bfloat16) and not exact.is_bits
    assert pe.check(exact, encoding="rope", dim=32).tier == "exact"
