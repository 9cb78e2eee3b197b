"""Random programs in a world of names and objects, and random changes of that."""

from hypothesis import strategies as st

from tests.corpus.programs import Program

SETUP = """
import collections, itertools
scale, n, mode, limit = 0.5, 2, "a", 0.3
w = np.array([0.5, -1.0, 1.5])
ws = [0.5, 1.5]
pair = (0.25, 2)
cfg = {"rate": 0.1, "power": 2, "on": True}
cache, history, count = {}, [], 0
rng = np.random.default_rng(3)
buffer, visits, table = np.zeros(3), np.zeros(4, int), np.ones((3, 3))
part = buffer[1:]
Kept = collections.namedtuple("Kept", "y s")


def feed():
    while True:
        yield from (0.5, 1.5)
        yield np.array([0.1, 0.2, 0.3])


stream, ids = feed(), itertools.count()


class Layer:
    def __init__(self, k):
        self.w = np.full(3, k)

    def __call__(self, v):
        return np.tanh(v * self.w)


class Model:
    decay = 0.9

    def __init__(self):
        self.k, self.flag, self.calls = 0.7, True, 0
        self.W = np.eye(3) * 0.5 + 0.1
        self.layers = [Layer(0.5), Layer(1.5)]
        self.hidden = np.zeros(3)

    @property
    def rate(self):
        return self.k * self.decay

    def step(self, v):
        return self.W @ v * self.rate


model = Model()


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def total(self):
        return self.a * 0.5 + self.b


def helper(v, k=0.5):
    return np.sin(v) * k * scale


def outer(v):
    return helper(v) + v * pair[0]


def halves(v, m):
    for _ in range(m):
        v = v * 0.5
        yield v


def make(rate):
    def decayed(v):
        return v * np.exp(-rate)

    def change(value):
        nonlocal rate
        rate = value

    return decayed, change


decayed, set_rate = make(0.3)
"""

PURE = """\
y = y * scale
y = np.tanh(y) * w
y = y + pair[0] * pair[1]
y = helper(y)
y = outer(y) - helper(y, k=0.3)
y = decayed(y)
y = model.step(y)
y = y + model.rate
y = y + buffer * 0.1
s = s + part[0] + visits[n] * 0.1
h = np.eye(3) * s; row = h[np.argmin(y)]; row[:2] += 1.0; y = y + h[0]
y = y * model.k + model.hidden * 0.1
y = Pair(y, n).total()
y = y ** cfg["power"]
y = y - cfg.get("extra", 0.2)
y = np.array([y[0], s, math.sin(y[2])])
y = y[::-1] if len(ws) > 1 else y
y = np.where(y > limit, y, 0.5 * y)
y = y + [model.k, 1.0, scale]
y, z = y * 0.5, y[:2]
s = s + np.sum(y * w)
s = s + math.tanh(float(y[0])) * n
s += ws[-1] if ws else 1.0
s = s + y[n] * scale
s = max(s, float(np.mean(y)))
s = s + sum(k * y[0] for k in ws)
s = s + sum(halves(y[1], n))
s = s + (history[-1] if history else 0.5)
s = s + cache.get(n, 0.1)
h = np.zeros(3); h[0] = y[1]; h[1:] += y[:2]; y = h
h = np.empty((3, 3)); h[:] = y; h[1] *= scale; y = h.T[0] + h[1]
y = y.copy(); y[y < -limit] = 0.25; y[0], y[2] = y[2], y[0]
rows = [y * k for k in range(1, 3)]; y = rows[0] - 0.3 * rows[-1]
d = {"a": y}; d["b"] = d["a"] * 2.0; y = d["b"] - y
y = model.W.dot(y) if model.W.ndim == 2 else y
(lambda v: None)(y); z = [y, s]; y = z[0]
assert y.shape == (3,), "a vector"
""".splitlines()
EFFECTS = """\
history.append(float(s))
history.append(s); del history[:-3]
model.calls += 1
global count; count += 1; s = s + 0.01 * count
model.hidden = 0.5 * model.hidden + 0.1 * y
model.last = y
cache[n] = float(s)
cache.setdefault(len(history), 0.5)
print("sum", round(float(np.sum(y)), 6))
print(f"{mode} {n} {s:.4f}")
warnings.warn(f"mode {mode}")
logging.getLogger("a.user").info("%s of %d", mode, n)
y = y + 0.1 * rng.normal(size=3)
s = s + rng.uniform()
s = s + np.random.normal() * 0.1
rng.random(2)
buffer[:] = 0.5 * buffer + w * 0.1
buffer[count % 3] = scale
part[:] = 0.25
buffer[:] = y
visits[n] += 1; np.add.at(visits, [0, 0], 1)
np.multiply(w, 0.5, out=buffer)
table[np.argmax(w)][0] = 0.5; s = s + table.sum() * 0.1
history.append(Kept(y, float(s)).s); history.append(len(history) * 0.1)
cache.clear(); cache[1] = 0.3
y = y + next(stream)
s = s + next(ids) * 0.1
""".splitlines()
HEADS = """\
for k in range(n):
for k in ws:
for layer in model.layers:
for key, k in cfg.items():
for k, part in enumerate(y):
if mode == "a":
if s > limit:
if model.flag and n > 1:
if "extra" in cfg or cfg["on"]:
if y[0] < y[1] < 1.0:
if rng.random() < 0.5:
if not ws:
try:
with np.errstate(all="ignore"):
if isinstance(scale, float):
""".splitlines()
INSIDE = {
    "for k in range(n):": ["y = y * 0.9 + k * 0.1", "s = s + y[k % 3] * k"],
    "for k in ws:": ["y = y * k", "s = s + k"],
    "for layer in model.layers:": ["y = layer(y)", "s = s + layer.w[0]"],
    "for key, k in cfg.items():": ["s = s + k * len(key) * 0.1"],
    "for k, part in enumerate(y):": ["s = s + part * k * 0.1"],
}
AFTER = {
    "try:": "except (ValueError, KeyError, ZeroDivisionError): s = s * 0.5",
}
ERRORS = """\
if s > 3.0: raise ValueError(f"large: {mode}")
s = s + {"a": 0.1, "b": 0.2}[mode]
s = s + 1 / n
""".splitlines()
RESULTS = """\
return s + np.sum(y)
return np.mean(y) * s
return float(s) + y[0]
return y
return y, s
return {"y": y, "s": [s, n]}
return y * s if mode == "a" else s
""".splitlines()

CHANGES = """\
scale = 0.7
scale = np.float32(0.25)
scale = 2
n = 1
n = 0
n = 2
n = True
mode = "b"
mode = "a"
mode = "c"
limit = -0.5
w[1] = 0.3
w = w * 0.9
w = model.W[0]
ws.append(0.7)
ws and ws.pop()
ws[:] = [0.2]
pair = (0.5, 1)
cfg["rate"] = 0.4
cfg["power"] = 3
cfg["on"] = not cfg["on"]
cfg["extra"] = 0.6
cfg.pop("extra", None)
cfg = dict(reversed(list(cfg.items())))
model.k = 0.2
model.k = 1
model.flag = not model.flag
model.W[0, 1] = 0.9
model.W = np.ones((3, 3)) * 0.2
model.layers.append(Layer(0.8))
model.layers.reverse()
model.layers[0].w[0] = 1.1
model.layers[0].w = model.layers[-1].w
model.layers = model.layers[:1]
Model.decay = 0.5
model.decay = 0.8
Model.step = lambda self, v: v * self.k
model.step = lambda v: v * 0.3
Model.rate = property(lambda self: 0.4)
model = Model()
Layer.__call__ = lambda self, v: v * self.w
Pair.total = lambda self: self.a
helper = lambda v, k=0.1: v * k
helper.__defaults__ = (0.9,)
def outer(v): return v * scale
decayed, set_rate = make(0.6)
set_rate(0.1)
set_rate(np.array([0.1, 0.2, 0.3]))
history.clear()
history = [0.4]
count = 10
cache.clear()
cache[2] = 0.7
model.hidden = np.ones(3)
model.hidden = w
rng = np.random.default_rng(5)
rng.random()
np.random.seed(2)
buffer = np.ones(3)
buffer = part
part = buffer[:2]
buffer = w
visits = np.zeros(4)
visits = np.zeros(2, int)
table = np.ones((3, 3))[::-1]
table[0] = 2.0
stream = feed()
next(stream)
ids = itertools.count(9)
x = -x
x = x + 0.5
x = x.astype(np.float32)
x = np.array([0.5, -1.0, 2.0])
x = w
print = lambda *args: None
""".splitlines()


def indented(lines):
    return ["    " + line for line in lines]


@st.composite
def blocks(draw, depth=0):
    """A few statements, some of them around others."""
    lines = []
    kinds = ["pure", "pure", "pure", "effect", "error"]
    kinds += ["head"] * 2 if depth < 2 else []
    for _ in range(draw(st.integers(2, 6) if depth == 0 else st.integers(1, 2))):
        kind = draw(st.sampled_from(kinds))
        if kind == "head":
            head = draw(st.sampled_from(HEADS))
            body = draw(st.lists(st.sampled_from(INSIDE.get(head, PURE)), max_size=1))
            body += draw(blocks(depth + 1))
            lines += [head, *indented(body)]
            if head in AFTER:
                lines.append(AFTER[head])
            elif head.startswith("if") and draw(st.booleans()):
                lines += ["else:", *indented(draw(blocks(depth + 1)))]
        else:
            choice = {"pure": PURE, "effect": EFFECTS, "error": ERRORS}[kind]
            lines.append(draw(st.sampled_from(choice)))
    return lines


@st.composite
def changing_programs(draw):
    """A program, and what is done to its world between the calls."""
    # `global` comes first in a function.
    body = [
        line.replace("global count; ", "")
        for line in [*draw(blocks()), draw(st.sampled_from(RESULTS))]
    ]
    head = ["def f(x):", "    global count", "    y, s = x * 1.0, 0.0"]
    text = "\n".join([*head, *indented(body)])
    texts = st.lists(st.sampled_from(CHANGES), min_size=1, max_size=2)
    changes = draw(st.lists(texts, min_size=1, max_size=3))
    return Program(
        "generated", f"{SETUP}\n\n{text}\n", ["\n".join(each) for each in changes], True
    )
