# Operations counted by numbers that count them, in each paper's arithmetic written out; trained numbers counted by hand.
from judge import ENCODINGS, Case
from mpmath import inf, mpf

L, HEADS, CHANNELS, LAYERS = 16, 2, 8, 3
WIDTH = HEADS * CHANNELS
MODEL = f"--length {L} --heads {HEADS} --channels {CHANNELS} --layers {LAYERS}"


class Number:
    """Every operation with one adds to the count."""
    count = 0

    def done(self, *_):
        Number.count += 1
        return Number()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __pow__ = log = relu = done


def counted(work):
    Number.count = 0
    work()
    return Number.count


def vector(n):
    return [Number() for _ in range(n)]


def dot(a, b):
    total = Number()
    for x, y in zip(a, b):
        total = total + x * y
    return total


def table():
    [x + p for x, p in zip(vector(WIDTH), vector(WIDTH))]


def turn(heads, pairs=CHANNELS // 2):
    for _ in range(heads):
        for x, y, c, s in zip(*(vector(pairs) for _ in range(4))):
            x * c - y * s, x * s + y * c


def for_keys(body):
    def work():
        for _ in range(HEADS):
            for _ in range(L):
                body()
    return work


score = Number()


def fire(hidden=32):
    for _ in range(L):
        x = (1 + Number() * Number()).log() / Number()
        units = [(Number() * x + Number()).relu() for _ in range(hidden)]
        for _ in range(HEADS):
            score + (dot(vector(hidden), units) + Number())


def shaw(buckets):
    buckets = min(buckets, L)  # that one query and its keys meet
    for _ in range(HEADS):
        met = [dot(vector(CHANNELS), vector(CHANNELS)) for _ in range(buckets)]
        for j in range(L):
            score + met[j % buckets]
        mass = vector(buckets)
        for j in range(L):
            mass[j % buckets] = mass[j % buckets] + Number()
        out = vector(CHANNELS)
        for weight in mass:
            out = [o + weight * v for o, v in zip(out, vector(CHANNELS))]


def transformer_xl():
    for _ in range(HEADS):
        [x + u for x, u in zip(vector(CHANNELS), vector(CHANNELS))]
        query = [x + v for x, v in zip(vector(CHANNELS), vector(CHANNELS))]
        for _ in range(L):
            score + dot(query, vector(CHANNELS))
    [dot(vector(WIDTH), vector(WIDTH)) for _ in range(WIDTH)]  # one distance projected for each token


def decomposed(sides):
    for _ in range(HEADS):
        for _ in range(sides):
            dot(vector(CHANNELS), vector(CHANNELS))
        for _ in range(L):
            score + Number() + Number()


def deberta(buckets, terms):
    buckets = min(buckets, L)
    for _ in range(terms):
        for _ in range(HEADS):
            met = [dot(vector(CHANNELS), vector(CHANNELS)) for _ in range(buckets)]
            for j in range(L):
                score + met[j % buckets]


def deberta_projection(buckets, terms):  # of a whole sequence, whose queries meet more
    for _ in range(terms * min(buckets, 2 * L - 1) * WIDTH):
        dot(vector(WIDTH), vector(WIDTH))


def tupe_once():
    for _ in range(2):
        [dot(vector(WIDTH), vector(WIDTH)) for _ in range(WIDTH)]
    for _ in range(HEADS):
        for _ in range(L):
            dot(vector(CHANNELS), vector(CHANNELS)) + Number()


def costs(once=0, layer=0, width=WIDTH, length=L, **others):
    share = (mpf(once) / LAYERS + layer) / (4 * width * length)
    return lambda row: {"flops_once": once, "flops_layer": layer, "of_attention": share, "width": width, "length": length, **others}


TABLE = counted(table)
CASES = [
    Case(f"cost sinusoidal {MODEL}", costs(TABLE, parameters=0, stored=L * WIDTH, bytes_once=2 * WIDTH, rows=inf), count=1),
    Case(f"cost learned --rows 12 {MODEL}", costs(TABLE, parameters=12 * WIDTH, length=12, rows=12, beyond="no value: positions beyond the rows are refused")),
    Case(f"cost floater --dynamics mlp --hidden 5 {MODEL}", costs(TABLE, parameters=5 * (1 + WIDTH) + 5 + WIDTH * (1 + 5) + WIDTH + WIDTH)),
    Case(f"cost floater {MODEL}", costs(TABLE, parameters=0, rows=inf), count=1),
    Case(f"cost rope {MODEL}", costs(0, counted(lambda: turn(2 * HEADS)), parameters=0, stored=L * CHANNELS, bytes_layer=2 * CHANNELS)),
    Case(f"cost rope --kv-heads 1 --partial-rotary-factor 0.5 {MODEL}", costs(0, counted(lambda: turn(HEADS + 1, CHANNELS // 4)), bytes_layer=CHANNELS)),
    Case(f"cost xpos {MODEL} --number-bytes 4", costs(0, counted(lambda: turn(2 * HEADS)), stored=2 * L * CHANNELS, bytes_layer=8 * CHANNELS)),
    Case(f"cost alibi {MODEL}", costs(0, counted(for_keys(lambda: score + Number() * Number())), parameters=0, bytes_layer=2 * HEADS, saturation=inf)),
    Case(f"cost t5 {MODEL}", costs(0, counted(for_keys(lambda: score + Number())), parameters=32 * HEADS, bytes_layer=2 * L * HEADS, saturation=91)),
    Case(f"cost t5 --per-layer {MODEL}", costs(0, counted(for_keys(lambda: score + Number())), parameters=LAYERS * 32 * HEADS)),
    Case(f"cost kerple {MODEL}", costs(0, counted(for_keys(lambda: score - Number() * (1 + Number() * Number()).log())), parameters=2 * HEADS)),
    Case(f"cost kerple --kernel power {MODEL}", costs(0, counted(for_keys(lambda: score - Number() * Number() ** Number())), parameters=2 * HEADS)),
    Case(f"cost sandwich {MODEL}", costs(0, counted(for_keys(lambda: score + Number() * Number())), stored=L + HEADS)),
    Case(f"cost fire {MODEL}", costs(0, counted(fire), parameters=32 + 32 + 32 * HEADS + HEADS + 2)),
    Case(f"cost swin --window 4x4 {MODEL}", costs(0, counted(for_keys(lambda: score + Number())), parameters=49 * HEADS, rows=16)),
    Case(f"cost swin --window 4x4 --form continuous --hidden 6 {MODEL}", costs(0, counted(for_keys(lambda: score + Number())), parameters=2 * 6 + 6 + 6 * HEADS)),
    Case(f"cost shaw --max-distance 3 {MODEL}", costs(0, counted(lambda: shaw(7)), parameters=2 * 7 * CHANNELS, saturation=3)),
    Case(f"cost decomposed --grid 2x8 {MODEL}", costs(0, counted(lambda: decomposed(2 + 8)), parameters=(3 + 15) * CHANNELS, bytes_layer=2 * 10 * CHANNELS)),
    Case(f"cost shaw --max-distance 64 {MODEL}", costs(0, counted(lambda: shaw(129)), parameters=2 * 129 * CHANNELS, bytes_layer=2 * 2 * L * CHANNELS)),
    Case(f"cost deberta --position-buckets 0 --max-relative-positions 40 {MODEL}",
         costs(0, counted(lambda: deberta(80, 2)) + mpf(counted(lambda: deberta_projection(80, 2))) / L, parameters=80 * WIDTH)),
    # What a rule makes of trained rows was not trained.
    Case("cost learned --rows 100 --dim 512 --extend linear --to 110 --length 110", lambda row: {"parameters": 51200, "stored": 56320, "rows": 110}, count=1),
    Case("cost learned --rows 20 --dim 512 --extend hierarchical --length 300", lambda row: {"parameters": 20 * 512, "rows": 400}, count=1),
    # A size that is told is counted, or refused.
    Case("cost rope --channels 7", None, fails="rope takes no 8 heads of 7 channels"),
    Case("cost sinusoidal --heads 1 --channels 7", None, fails="sinusoidal takes no 1 heads of 7 channels"),
    Case("cost rope --dim 64 --channels 7", None, fails="--channels 7 contradicts rope, which has 64"),
    Case("cost rope --model gpt-neox-20b --channels 128", None, fails="--channels 128 contradicts rope"),
    Case("cost alibi --channels 7", lambda row: {"width": 56}, count=1),
    Case(f"cost transformer-xl {MODEL}", costs(0, counted(transformer_xl), parameters=WIDTH * WIDTH + 2 * WIDTH, saturation=inf)),
    Case(f"cost deberta --position-buckets 0 --max-relative-positions 4 {MODEL}",
         costs(0, counted(lambda: deberta(8, 2)) + mpf(counted(lambda: deberta_projection(8, 2))) / L, parameters=8 * WIDTH)),
    Case(f"cost tupe --rows 16 --form paper --no-cls {MODEL}",
         costs(counted(tupe_once), counted(for_keys(lambda: score + Number())), parameters=16 * WIDTH + 2 * WIDTH * WIDTH + 32 * HEADS)),
    Case(f"cost tupe --rows 16 {MODEL}", lambda row: {"parameters": 17 * WIDTH + 2 * WIDTH * WIDTH + 2 * WIDTH + 2 * WIDTH + 33 * HEADS}),  # rel_pos_bins + 1 entries in the code
    Case("cost rope --model llama-3.1-8b --heads 32 --kv-heads 8 --layers 32 --length 8192",
         lambda row: {"flops_layer": 6 * 64 * 40, "trained": 8192, "width": 4096, "bytes_layer": 256}, count=1),
    Case("cost learned --model gpt2 --heads 12", lambda row: {"parameters": 1024 * 768, "width": 768, "rows": 1024}, count=1),
    Case("cost", lambda row: {"parameters": {"learned": 512 * 512, "rope": 0, "alibi": 0, "t5": 256, "kerple": 16}.get(row["subject"], int(row["parameters"])),
                              "encoding": row["subject"]}, count=ENCODINGS),
    Case("cost --length 100000000", lambda row: {}, count=ENCODINGS - 1, notes=["transformer-xl is left out: "]),
    Case("cost --layers 0", None, fails="--layers must be between 1 and 65536"),
    Case("cost alibi --versus rope --versus 'rope --dim 128'", lambda row: {}, count=3),
    Case("cost rope --kv-heads 9", None, fails="more than the 8 heads"),
    Case("cost rope --layers 0", None, fails="--layers"),
    Case("cost nothing", None, fails="unknown encoding 'nothing'"),
]
