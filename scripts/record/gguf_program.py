"""llama.cpp as a library: the smallest file that it loads of an architecture, and the rotations that its graph asks for."""
import collections
import ctypes
import importlib
import os
import re
import struct
import sys
import types

import numpy as np

LAYERS, WIDTH, HEADS, CONTEXT = 12, 128, 4, 4096
PLACES = [1, 777, 8191]
CODES = {"u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"), "bool": (7, "B"), "str": (8, ""), "u64": (10, "Q")}
# What a key that llama.cpp asks for is given, by what its name ends or has in it.
GUESSES = [("epsilon", "f32", 1e-5), ("expert_count$", "u32", 4), ("expert_used_count", "u32", 2), ("sliding_window$", "u32", 8), ("feed_forward_length", "u32", 64),
           ("_lora_rank", "u32", 32), ("vocab_size", "u32", 32), ("sections", "i32", [8, 4, 4, 0]), ("pattern", "bool", [int(layer % 4 != 3) for layer in range(LAYERS)]),
           ("freq_base", "f32", 1e4), ("expert_group", "u32", 1), ("leading_dense|_start|nextn|mtp", "u32", 0), ("scale|softcap|clamp|factor|alpha|multiplier|limit", "f32", 1.0),
           ("key_length|value_length", "u32", 32)]


class Tensor(ctypes.Structure):
    """ggml_tensor."""


Tensor._fields_ = [("type", ctypes.c_int), ("buffer", ctypes.c_void_p), ("ne", ctypes.c_int64 * 4), ("nb", ctypes.c_size_t * 4), ("op", ctypes.c_int),
                   ("op_params", ctypes.c_int32 * 16), ("flags", ctypes.c_int32), ("src", ctypes.POINTER(Tensor) * 10), ("view_src", ctypes.POINTER(Tensor)),
                   ("view_offs", ctypes.c_size_t), ("data", ctypes.c_void_p), ("name", ctypes.c_char * 64), ("extra", ctypes.c_void_p), ("padding", ctypes.c_char * 8)]


class Room(ctypes.Structure):
    """ggml_init_params."""
    _fields_ = [("size", ctypes.c_size_t), ("buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def raw(kind, value):
    return text(value) if kind == "str" else struct.pack("<" + CODES[kind][1], value)


def field(kind, value):
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, CODES[kind][0], len(value)) + b"".join(raw(kind, item) for item in value)
    return struct.pack("<I", CODES[kind][0]) + raw(kind, value)


def write(path, keys, tensors):
    """A GGUF file: {key: (kind, value)}, {name: float32 array}."""
    parts, at = [struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))], 0
    parts += [text(key) + field(*value) for key, value in keys.items()]
    for name, array in tensors.items():
        shape = array.shape[::-1]
        parts.append(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at))
        at += -(-array.nbytes // 32) * 32
    head = b"".join(parts)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + b"".join(array.tobytes() + b"\0" * (-array.nbytes % 32) for array in tensors.values()))


def guess(key):
    return next(((kind, value) for name, kind, value in GUESSES if re.search(name, key)), ("u32", 4))


def bits_of(row):
    return [int(number) for number in np.ascontiguousarray(row, np.float32).view(np.uint32)]


class Stuck(Exception):
    pass


class Llama:
    """The library, through the ctypes of llama-cpp-python."""

    def __init__(self, package, libraries, scratch):
        os.environ["LLAMA_CPP_LIB_PATH"] = str(libraries)
        for name in ("ggml-base", "ggml-cpu", "ggml"):
            ctypes.CDLL(f"{libraries}/lib{name}.so", mode=ctypes.RTLD_GLOBAL)
        owner = types.ModuleType("llama_cpp")
        owner.__path__ = [str(package)]
        sys.modules["llama_cpp"], sys.modules["llama_cpp._ggml"] = owner, types.ModuleType("llama_cpp._ggml")
        self.api, self.scratch, self.said = importlib.import_module("llama_cpp.llama_cpp"), scratch, []
        self.log = self.api.llama_log_callback(lambda _level, message, _data: self.said.append(message.decode("utf-8", "replace")))
        self.api.llama_log_set(self.log, None)
        self.api.llama_backend_init()
        self.base, self.cpu = ctypes.CDLL(f"{libraries}/libggml-base.so"), ctypes.CDLL(f"{libraries}/libggml-cpu.so")
        pointer, number, real = ctypes.c_void_p, ctypes.c_int, ctypes.c_float
        for name, given in (("ggml_init", [Room]), ("ggml_new_tensor_4d", [pointer, number] + [ctypes.c_int64] * 4), ("ggml_new_tensor_1d", [pointer, number, ctypes.c_int64]),
                            ("ggml_get_data", [pointer]), ("ggml_rope_ext", [pointer] * 4 + [number] * 3 + [real] * 6), ("ggml_new_graph", [pointer])):
            function = getattr(self.base, name)
            function.restype, function.argtypes = pointer, given
        self.base.ggml_op_name.restype = self.base.ggml_commit.restype = ctypes.c_char_p
        self.base.ggml_build_forward_expand.argtypes, self.base.ggml_free.argtypes = [pointer, pointer], [pointer]
        self.cpu.ggml_graph_compute_with_ctx.argtypes = [pointer, pointer, number]
        self.cpu.ggml_cpu_init()

    def load(self, keys, tensors):
        write(self.scratch, keys, tensors)
        self.said.clear()
        parameters = self.api.llama_model_default_params()
        parameters.use_mmap, parameters.n_gpu_layers = False, 0
        return self.api.llama_model_load_from_file(str(self.scratch).encode(), parameters)

    def settle(self, name, keys, tensors):
        """The least file of an architecture with these keys and tensors, found by what the loader asks for: keys, tensors, model."""
        keys = {"general.architecture": ("str", name), "tokenizer.ggml.model": ("str", "no_vocab"), f"{name}.vocab_size": ("u32", 32), f"{name}.context_length": ("u32", CONTEXT),
                f"{name}.embedding_length": ("u32", WIDTH), f"{name}.block_count": ("u32", LAYERS), f"{name}.attention.head_count": ("u32", HEADS),
                f"{name}.feed_forward_length": ("u32", 64), **keys}
        tensors, shapes, draw, last = dict(tensors), {}, np.random.default_rng(1), ""
        while True:
            if model := self.load(keys, tensors):
                return keys, tensors, model
            said = "".join(self.said)
            wrong = re.search(r"error loading model[^:]*: (.*)", said)
            wrong = wrong.group(1).strip() if wrong else said[-200:]
            if wrong == last:
                raise Stuck(wrong)
            last = wrong
            self.mend(wrong, keys, tensors, shapes, draw)

    @staticmethod
    def mend(wrong, keys, tensors, shapes, draw):
        alike = lambda tensor: re.sub(r"blk\.\d+", "blk", tensor)
        made = lambda shape: (draw.standard_normal(shape) * 0.05).astype(np.float32)
        if found := re.search(r"key not found in model: (\S+)", wrong):
            keys[found.group(1)] = guess(found.group(1))
        elif found := re.search(r"key (\S+) has wrong type \S+ but expected type (str|f32|bool|u32|i32|u64)", wrong):
            key, kind = found.groups()
            value = keys[key][1][0] if isinstance(keys[key][1], list) else keys[key][1]
            keys[key] = (kind, "x" if kind == "str" else float(value) if kind == "f32" else int(value))
        elif found := re.search(r"key (\S+) has wrong array length; expected (\d+)", wrong):
            keys[found.group(1)] = (keys[found.group(1)][0], (keys[found.group(1)][1] * 100)[:int(found.group(2))])
        elif found := re.search(r"tensor '(.*?)' has wrong shape; expected +(.*), got", wrong):
            shape = [int(size) for size in found.group(2).split(",")]
            while len(shape) > 1 and shape[-1] == 1:
                shape.pop()
            shapes[alike(found.group(1))] = shape[::-1]
            divisors = found.group(1).startswith("rope_")
            tensors[found.group(1)] = np.linspace(1, 8, shape[0]).astype(np.float32) if divisors else made(shape[::-1])
        elif found := re.search(r"tensor '(.*?)'(?: not found|$)", wrong):
            tensors[found.group(1)] = made(shapes.get(alike(found.group(1)), [1]))
        else:
            raise Stuck(wrong)

    def asked(self, model):
        """{layer: (what the graph asks to turn, or None where the layer attends without)}, rows of tables that it reads, the largest bias."""
        turns, attends, tables, biases, waiting = collections.defaultdict(list), set(), set(), set(), []

        def see(pointer, ask, _data):
            if not ask:
                return True
            tensor = ctypes.cast(pointer, ctypes.POINTER(Tensor)).contents
            operation, name = self.base.ggml_op_name(tensor.op).decode(), tensor.name.decode()
            number = re.search(r"-(\d+)", name)
            layer = int(number.group(1)) if number else None
            if operation == "ROPE":
                (turns[layer] if number else waiting).append(self.rotation(tensor))
            elif operation == "SOFT_MAX":
                attends.add(layer)
                turns[layer] += waiting  # turns without a name are the next attention's
                waiting.clear()
                biases.add(struct.unpack("<2f", struct.pack("<2i", *tensor.op_params[:2]))[1])
            elif operation == "GET_ROWS":
                tables.add(tensor.src[0].contents.name.decode())
            return False

        parameters = self.api.llama_context_default_params()
        parameters.n_ctx, parameters.n_batch, parameters.n_ubatch, parameters.n_threads, parameters.n_threads_batch, parameters.flash_attn_type = 256, 8, 8, 1, 1, 0
        parameters.cb_eval = callback = self.api.ggml_backend_sched_eval_callback(see)
        context = self.api.llama_init_from_model(model, parameters)
        if not context:
            raise Stuck("no context: " + "".join(self.said)[-200:])
        tokens = (ctypes.c_int32 * 4)(1, 2, 3, 4)
        encodes = self.api.llama_model_has_encoder(model)
        failed = (self.api.llama_encode if encodes else self.api.llama_decode)(context, self.api.llama_batch_get_one(tokens, 4))
        self.api.llama_free(context)
        del callback
        if failed:
            raise Stuck(f"decoding gave {failed}")
        return {layer: asked for layer, asked in turns.items() if asked}, attends, tables, max(biases, default=0)

    @staticmethod
    def rotation(tensor):
        numbers = list(tensor.op_params)
        base, scale, mix, attention, fast, slow = struct.unpack("<6f", struct.pack("<6i", *numbers[5:11]))
        factors = tensor.src[2].contents if tensor.src[2] else None
        return {"dims": numbers[1], "mode": numbers[2], "original": numbers[4], "base": base, "scale": scale, "mix": mix, "attention": attention, "fast": fast, "slow": slow,
                "sections": numbers[11:15], "width": tensor.src[0].contents.ne[0], "list": factors.name.decode() if factors else "",
                "factors": np.ctypeslib.as_array(ctypes.cast(factors.data, ctypes.POINTER(ctypes.c_float)), (factors.ne[0],)).copy() if factors else None}

    def turned(self, asked):
        """Cosines and sines of the pairs at PLACES, by ggml's own operation on a processor."""
        dims, adjacent, count = asked["dims"], asked["mode"] == 0, len(PLACES)
        room = self.base.ggml_init(Room(1 << 26, None, False))

        def put(tensor, array):
            ctypes.memmove(self.base.ggml_get_data(tensor), array.ctypes.data, array.nbytes)
            return tensor
        unit = np.zeros((count, dims), np.float32)
        unit[:, (slice(0, dims, 2) if adjacent else slice(0, dims // 2))] = 1
        vectors = put(self.base.ggml_new_tensor_4d(room, 0, dims, 1, count, 1), unit)
        places = put(self.base.ggml_new_tensor_1d(room, 26, count), np.array(PLACES, np.int32))
        factors = None
        if asked["factors"] is not None:
            factors = put(self.base.ggml_new_tensor_1d(room, 0, len(asked["factors"])), asked["factors"])
        out = self.base.ggml_rope_ext(room, vectors, places, factors, dims, 0 if adjacent else 2, asked["original"], asked["base"], asked["scale"], asked["mix"],
                                      asked["attention"], asked["fast"], asked["slow"])
        graph = self.base.ggml_new_graph(room)
        self.base.ggml_build_forward_expand(graph, out)
        if self.cpu.ggml_graph_compute_with_ctx(room, graph, 1):
            raise Stuck("ggml_rope_ext")
        made = np.ctypeslib.as_array(ctypes.cast(self.base.ggml_get_data(out), ctypes.POINTER(ctypes.c_float)), (count, dims)).copy()
        self.base.ggml_free(room)
        return (made[:, 0::2], made[:, 1::2]) if adjacent else (made[:, :dims // 2], made[:, dims // 2:])
