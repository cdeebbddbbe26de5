"""Anybody's arrays as NumPy's, and the names that the tools have for their types."""
from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pe.errors import ArrayError

Array = npt.NDArray[Any]

#: Of safetensors: what is written, by NumPy's kind and size.
_TYPES = {"f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8", "u4": "U32",
          "u2": "U16", "u1": "U8", "b1": "BOOL", "c8": "C64"}


class Taken(NamedTuple):
    """An array of any strides and byte order; bfloat16 as its bits, in unsigned 16-bit integers."""

    values: Array
    type: str  # as safetensors names it


def _is_torch(value: Any) -> bool:
    return any(base.__module__.split(".")[0] == "torch" and base.__name__ == "Tensor" for base in type(value).__mro__)


def _of_torch(value: Any, name: str) -> tuple[Array, bool]:
    tensor = value.detach()
    if str(tensor.layout) != "torch.strided" or tensor.is_quantized or tensor.is_meta:
        raise ArrayError(f"{name} is a tensor of PyTorch without plain values ({tensor.layout}, {tensor.dtype}, {tensor.device}): "
                         "give a dense one")
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if str(tensor.dtype) == "torch.bfloat16":
        torch = import_module("torch")  # it is loaded: the tensor is its own
        return tensor.view(torch.int16).numpy().view(np.uint16), True
    try:
        values: Array = tensor.numpy()
    except (TypeError, RuntimeError) as error:
        raise ArrayError(f"{name} has the type {tensor.dtype}, which no tool reads: give float64, float32, float16, bfloat16 "
                         "or whole numbers") from error
    return values, False


class _Tensor(ctypes.Structure):
    """DLPack's DLTensor, with which what its capsules hold begins."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_number", ctypes.c_int32), ("axes", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class _Kept:
    """Somebody's memory as `__array_interface__` describes it, and the capsule that it lives as long as."""

    def __init__(self, capsule: Any, interface: dict[str, Any]) -> None:
        self.capsule = capsule
        self.__array_interface__ = interface


_BFLOAT = 4  # kDLBfloat
_HOST = {1, 3, 11, 13}  # kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged: what a program reads as its own memory


def _bfloat16_by_dlpack(value: Any) -> Array | None:
    """The bits of what `__dlpack__` hands over in bfloat16, which NumPy does not take; None of any other type and place."""
    capsule = value.__dlpack__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer_of(capsule, b"dltensor"))
    if (tensor.code, tensor.bits, tensor.lanes) != (_BFLOAT, 16, 1) or tensor.device not in _HOST:
        return None
    shape = tuple(tensor.shape[:tensor.axes])
    strides = tuple(2 * stride for stride in tensor.strides[:tensor.axes]) if tensor.strides else None
    place = ((tensor.data or 0) + tensor.offset, True)
    return np.asarray(_Kept(capsule, {"version": 3, "typestr": "<u2", "shape": shape, "strides": strides, "data": place}))


def _of_dlpack(value: Any) -> tuple[Array, bool]:
    try:
        return np.from_dlpack(value), False
    except Exception:  # NumPy's own differ by its version
        bits = _bfloat16_by_dlpack(value)
        if bits is None:
            raise
        return bits, True


def _of_anything(value: Any, name: str) -> tuple[Array, bool]:
    if isinstance(value, np.ma.MaskedArray):
        raise ArrayError(f"{name} is a masked array, whose mask no tool reads: give .filled(…) of it")
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        raise ArrayError(f"{name} is a text, not an array: load the file that it names (numpy.load), or ask pe-verify of it")
    if isinstance(value, (list, tuple)) and any(getattr(item, "ndim", 0) > 1 for item in value):
        raise ArrayError(f"{name} is a {type(value).__name__} of arrays: give each as an argument of its own, or numpy.stack(…) of them")
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__") and not hasattr(value, "__array_interface__"):
            return _of_dlpack(value)
        return np.asarray(value), False
    except Exception as error:  # whatever somebody's __array__ raises
        words = " ".join(str(error).split())
        raise ArrayError(f"{name}, of the type {type(value).__name__}, is no array: {words[:200]}") from error


def take(value: Any, name: str) -> Taken:
    """NumPy's array of `value`, without a copy where there is one already.

    `value` has any shape but that of a scalar and at least one element: of NumPy, PyTorch or JAX, or anything with `__array__`,
    `__array_interface__`, `__dlpack__` (bfloat16 among them), or nested lists of numbers. Raises ArrayError naming `name`.
    """
    if _is_torch(value):
        values, is_bfloat16 = _of_torch(value, name)
    else:
        values, is_bfloat16 = _of_anything(value, name)
    if values.dtype.name == "bfloat16":  # ml_dtypes', which JAX has, too
        values, is_bfloat16 = values.view(np.uint16), True
    if values.ndim == 0:
        raise ArrayError(f"{name} is a single value, not an array ({type(value).__name__})")
    if values.size == 0:
        raise ArrayError(f"{name} has no element: its shape is {list(values.shape)}")
    kind = values.dtype.kind + str(values.dtype.itemsize)
    if values.dtype.hasobject:
        raise ArrayError(f"{name} is an array of Python objects, not of numbers: give it a type, as with .astype('float32')")
    if values.dtype.names is not None or kind not in _TYPES:
        raise ArrayError(f"{name} has the type {values.dtype}, which no tool reads: give float64, float32, float16, bfloat16 "
                         "or whole numbers")
    return Taken(values, "BF16" if is_bfloat16 else _TYPES[kind])


def bfloat16_of(bits: Array) -> Array:
    """The bits as numbers, where ml_dtypes can be imported; else the bits themselves."""
    try:
        numbers: Array = bits.view(import_module("ml_dtypes").bfloat16)
    except ImportError:
        return bits
    return numbers
