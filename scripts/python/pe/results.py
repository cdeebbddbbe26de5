"""What the tools answer: verdicts, identifications, comparisons, arrays and columns."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, Optional

from pe._arrays import Array


class Cause(NamedTuple):
    """Something that is wrong with an array, proved by making the array again with it."""

    name: str  #: as `pe-verify list causes` has it: "wrong-base"
    sentence: str  #: "base 500000, where 10000 (default) is meant"


class Cell(NamedTuple):
    """One value of an array."""

    place: str  #: "position 59, pair 2, cos"
    expected: float
    got: float


@dataclass(frozen=True)
class Verdict:
    """What `pe.check` found; true where it passes. `str()` of it is the report for people."""

    ok: bool  #: whether the check passes: the tier is accepted, or every law that was judged holds
    word: str  #: of an array its tier; of laws "holds" or "fails"
    tier: Optional[str]  #: "exact", "drift", "storage" or "wrong"; None of laws
    sentence: str  #: the finding in one line
    causes: tuple[Cause, ...]  #: what is wrong, the smallest causes that explain it; () where nothing is, or none does
    worst: Optional[Cell]  #: where the array lies farthest from the truth
    text: str = field(repr=False)  #: the report, several lines
    json: Mapping[str, Any] = field(repr=False)  #: the check as `pe-verify check --report FILE.json` has it
    command: str = field(repr=False)  #: what asks the same of a file in a shell

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Identification:
    """What `pe.identify` found; true where it is an encoding. `str()` of it is the report for people."""

    ok: bool
    encoding: Optional[str]  #: None where it is of no encoding known
    summary: str
    parameters: Mapping[str, str]
    scaling: str
    layout: str
    tier: Optional[str]
    causes: tuple[Cause, ...]
    models: tuple[str, ...]  #: of the catalogue, that have this encoding
    make: str  #: the command that makes the array again
    text: str = field(repr=False)
    json: Mapping[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Comparison:
    """What `pe.compare` found; true where both are equal. `str()` of it is the report for people."""

    ok: bool
    equal_bits: bool  #: every value of every pair, bit for bit (NaNs equal each other)
    worst_ulps: int
    worst_absolute: float
    text: str = field(repr=False)
    json: Mapping[str, Any] = field(repr=False)  #: as `pe-verify compare --report FILE.json` has it

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text


class Arrays(Mapping[str, Array]):
    """Arrays by name, and where they come from.

    bfloat16 is ml_dtypes' where that can be imported, else its bits in unsigned 16-bit integers: `bfloat16` names which
    arrays are meant, `is_bits` says whether they are bits.
    """

    def __init__(self, arrays: dict[str, Array], metadata: dict[str, str], bfloat16: frozenset[str], said: str) -> None:
        self._arrays = arrays
        self.metadata = metadata  #: the command, the encoding, every parameter with its origin
        self.bfloat16 = bfloat16
        self.said = said  #: what the tool said beside it: warnings, what was written

    @property
    def is_bits(self) -> bool:
        """Whether the arrays that `bfloat16` names are bits in unsigned integers."""
        return any(self._arrays[name].dtype.kind == "u" for name in self.bfloat16)

    def torch(self) -> dict[str, Any]:
        """The same as tensors of PyTorch on the same memory, bfloat16 among them."""
        torch = import_module("torch")
        tensors: dict[str, Any] = {}
        for name, values in self._arrays.items():
            if name in self.bfloat16:
                tensors[name] = torch.from_numpy(values.view("int16")).view(torch.bfloat16)
            else:
                tensors[name] = torch.from_numpy(values)
        return tensors

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            raise KeyError(f"no array {name!r}; there are {', '.join(self._arrays)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        def kind(name: str) -> str:
            values = self._arrays[name]
            dtype = "bfloat16 bits in uint16" if name in self.bfloat16 and values.dtype.kind == "u" else str(values.dtype)
            return f"{name}: {dtype} {list(values.shape)}"

        return f"Arrays({', '.join(kind(name) for name in self._arrays)})"


class Columns(Mapping[str, Array]):
    """Columns by name, all of one length: numbers, or texts."""

    def __init__(self, columns: dict[str, Array], said: str) -> None:
        self._columns = columns
        self.said = said  #: what the curve shows, in a sentence or two

    def __getitem__(self, name: str) -> Array:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()), ()))
        return f"Columns({', '.join(self._columns)}; {rows} rows)"
