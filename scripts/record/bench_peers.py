#!/usr/bin/env python3
# How many times as long NumPy and PyTorch take for the cos and sin tables that the library writes, and how fast files are made.
"""Peers and ours run in turn, so that the machine's moods hit both; every figure is the median of ratios. NumPy and PyTorch are
Debian's (python3-numpy, python3-torch; PyTorch is left out where it is missing). Everything goes to memory or files that were not there before."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import interpreter  # noqa: E402

interpreter.need("numpy")
import numpy as np  # noqa: E402


def numpy_f64(rows, dim):
    """Vectorised, float64, rounded to float32 at the end, halves duplicated."""
    inv_freq = 10000.0 ** (-np.arange(0, dim, 2) / dim)
    angle = np.arange(rows)[:, None] * inv_freq
    angle = np.concatenate([angle, angle], axis=1)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def torch_way(threads):
    import torch
    torch.set_num_threads(threads)

    def make(rows, dim):
        """transformers' Llama: float32 throughout."""
        inv_freq = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
        angle = torch.outer(torch.arange(rows, dtype=torch.float32), inv_freq)
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos(), angle.sin()
    return make


def compare_peers(bench, repetitions):
    print("how many times as long a peer takes: cos and sin, f32, halves duplicated, fresh memory, set-up included")
    ways = [("NumPy f64 then f32", numpy_f64, 1)]
    try:
        ways += [(f"PyTorch f32, {n} thread{'s' * (n > 1)}", torch_way, n) for n in (1, 2)]
        import torch  # noqa: F401
    except ImportError:
        print("  (no PyTorch here: apt-get install python3-torch)")
        ways = ways[:1]
    for rows, dim in ((131072, 128), (8192, 4096), (1048576, 128)):
        for name, way, threads in ways:
            make = way(threads) if way is torch_way else way
            if np.abs(np.asarray(make(1000, dim)[0]) - numpy_f64(1000, dim)[0]).max() > 1e-3:
                raise SystemExit(f"{name} does not make the table it should")
            ratios = []
            for _ in range(repetitions if rows < 1 << 20 else 3):
                start = time.perf_counter()
                tables = make(rows, dim)
                peer = 1e3 * (time.perf_counter() - start)
                del tables
                ours = float(subprocess.run([bench, "fresh", str(rows), str(dim), str(threads)], capture_output=True, check=True).stdout)
                ratios.append((peer / ours, ours))
            ratio, ours = statistics.median(r for r, _ in ratios), statistics.median(o for _, o in ratios)
            print(f"  [{rows} x {dim}] {name:<24} {ratio:6.1f}   ours with {threads} thread{'s' * (threads > 1)}: {ours:.1f} ms")


def plain_write(path, size):
    """Writes as many bytes with plain write() of 1 MiB blocks: the ceiling of a file."""
    block = os.urandom(1 << 20)
    start = time.perf_counter()
    with open(path, "wb", buffering=0) as file:
        left = size
        while left:
            left -= file.write(block[:min(left, len(block))])
    return time.perf_counter() - start


def compare_files(tools, repetitions):
    print("pe-gen to a file, [1048576 x 128] f32 (CSV: 131072 rows), whole process: times faster than plain write() of the same bytes")
    with tempfile.TemporaryDirectory(dir=os.environ.get("PE_BENCH_DIR")) as folder:
        memory = 0
        for suffix, rows in ((".bin", 1 << 20), (".npy", 1 << 20), (".safetensors", 1 << 20), (".h5", 1 << 20), (".csv", 1 << 17)):
            ratios, speeds = [], []
            for _ in range(repetitions):
                path, other = os.path.join(folder, "t" + suffix), os.path.join(folder, "plain")
                start = time.perf_counter()
                child = subprocess.Popen([os.path.join(tools, "pe-gen"), "sinusoidal", "--dim", "128", "--length", str(rows), "--no-sync", "-o", path])
                _, status, usage = os.wait4(child.pid, 0)
                ours = time.perf_counter() - start
                child.returncode = os.waitstatus_to_exitcode(status)
                if child.returncode != 0:
                    raise SystemExit(f"pe-gen failed on {path}")
                memory = max(memory, usage.ru_maxrss)
                size = os.path.getsize(path)
                ratios.append(plain_write(other, size) / ours)
                speeds.append(size / ours / 1e9)
                os.unlink(path), os.unlink(other)
            print(f"  {suffix:<13} {statistics.median(ratios):5.2f}   {statistics.median(speeds):5.2f} GB/s")
        print(f"  largest memory of any run: {memory / 1024:.0f} MiB")
        path = os.path.join(folder, "small.bin")
        small = [str(pathlib.Path(tools) / "pe-gen"), "sinusoidal", "--dim", "512", "--length", "512", "--no-sync", "-o", path]
        ratios = []
        for _ in range(31):
            start = time.perf_counter()
            subprocess.run(small, check=True)
            middle = time.perf_counter()
            subprocess.run([small[0], "--version"], check=True, stdout=subprocess.DEVNULL)
            ratios.append((middle - start) / (time.perf_counter() - middle))
        print(f"  512 x 512 to a file takes {statistics.median(ratios):.2f} times as long as printing the version")


def main():
    parser = argparse.ArgumentParser(description="Times NumPy, PyTorch and plain write() against the library.")
    parser.add_argument("--build", default=ROOT / "build/release", help="build folder; needs the target waves_bench")
    parser.add_argument("--repetitions", type=int, default=7)
    arguments = parser.parse_args()
    bench = pathlib.Path(arguments.build) / "tests/bench/waves_bench"
    if not bench.exists():
        print(f"bench_peers.py: no {bench}: cmake --build {arguments.build} --target waves_bench", file=sys.stderr)
        return 2
    compare_peers(str(bench), arguments.repetitions)
    compare_files(os.path.join(arguments.build, "cmd"), arguments.repetitions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
