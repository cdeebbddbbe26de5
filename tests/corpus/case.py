# A case of the corpus: what is asked of the verifier, the arrays it is given, and which answers are right.
import dataclasses
import itertools
import typing
import zlib

import numpy as np

import containers
import tables

HALF_ULP = {"f64": 2.0 ** -53, "f32": 2.0 ** -24, "f16": 2.0 ** -11, "bf16": 2.0 ** -8}
CLEAR = 8  # a mistake shows where some value is off by so many bounds


@dataclasses.dataclass
class Built:
    named: list                # (name, array)
    dtype: str
    excess: float              # worst distance from the truth over the float32-class bound of these values
    length: int = 0
    before: list = None
    check: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Case:
    name: str
    check: dict                                        # entries of the manifest
    build: typing.Callable[[], Built]
    causes: tuple = ()                                 # sets of causes, each a right answer; none: a clean dump
    tiers: tuple = ("exact", "drift")                  # right answers for a clean dump
    container: str = "npy"
    alike: bool = False                                # clean, though its numbers are others: an equivalence
    note: str = ""                                     # of a known miss: why the data cannot tell
    corrupt: bool = False                              # cells were damaged: `causes` or no cause at all, never a formula's
    either: bool = False                               # nothing tells: to pass is as right as the causes are
    by_name: bool = False                              # the names of its arrays are what is wrong
    told: typing.Optional[str] = None                  # words that identify must have for it; "": it must have none

    @property
    def made(self):
        return " + ".join(sorted(self.causes[0])) if self.causes else "clean"


def accepted(*answers):
    return tuple(frozenset(a.split(" + ")) for a in answers)


def seeded(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def drawn(name):
    """Random numbers of a case that other seeds draw otherwise."""
    return np.random.default_rng([Cycle.seed, zlib.crc32(name.encode())])


class Cycle:
    """Walks through choices, so that every list of the corpus meets every other."""

    seed = 0  # other numbers give other meetings
    deal = 0  # of one run: where it changes, every walk starts again

    @staticmethod
    def start(seed):
        Cycle.seed, Cycle.deal = seed, Cycle.deal + 1

    def __init__(self, *choices):
        self.choices, self.of, self.dealt = choices, None, None

    def next(self, suits=lambda c: True):
        if self.dealt != Cycle.deal:
            self.dealt = Cycle.deal
            order = np.random.default_rng([Cycle.seed, zlib.crc32(repr(self.choices).encode())]).permutation(len(self.choices))
            self.of = itertools.cycle(self.choices[i] for i in (order if Cycle.seed else sorted(order)))
        for _ in range(1000):
            c = next(self.of)
            if suits(c):
                return c
        raise LookupError("no choice suits")


CONTAINERS = Cycle("npy", "npz", "safetensors", "npy", "h5", "bin", "safetensors", "gguf", "npz", "csv")


def container_for(named, dtype, wish):
    """The container wished for, or the next that can hold these arrays."""
    order = containers.KINDS[containers.KINDS.index(wish):] + containers.KINDS
    return next(k for k in order if containers.fits(k, named, dtype))


def turn_bound(angle, amplitude, dtype, pairs, power_of_two):
    """K·2^−24·(1 + angle) of float32 steps, and the rounding to the file's elements. K as measured over engines: 4 where
    the rotary width is a power of two, 10 elsewhere, 4 + pair number for powers multiplied on."""
    k = np.maximum(4.0 if power_of_two else 10.0, 4.0 + np.arange(pairs))
    return amplitude * (k * 2.0 ** -24 * (1 + np.abs(angle)) + HALF_ULP[dtype])


def worst(got, want, bound):
    """Worst |got − want| / bound; infinite where shapes differ or something is not finite in one alone."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if got.shape != want.shape:
        return np.inf
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(all="ignore"):
        ratio = np.where(same, 0.0, np.abs(got - want) / bound)
    return np.inf if np.isnan(ratio).any() else float(ratio.max(initial=0))


def rounded(x, dtype):
    """Values as the file will hold them, in float64."""
    with np.errstate(over="ignore"):
        return np.asarray(x if dtype == "f64" else tables.ROUND[dtype](x), np.float64)
