"""Fragments of programs as people write them, to be put together at random.

Each reads and changes `x`, an array of some length, `s`, a positive number, `p`, three
numbers, `n`, an integer, and `acc`, a number. CUT and LEVEL are numbers to be drawn.
"""

FRAGMENTS = """
while s > LEVEL:
    s = s * 0.7

k = 0
while abs(s - 1.0) > 0.1 and k < 30:
    s = 0.5 * (s + 1.0 / s)
    k += 1
acc = acc + k * 0.1

y = x[x > CUT]
acc = acc + np.sum(y ** 2)

for v in x[x > CUT]:
    acc = acc + v * v

acc = acc + sum(v * p[0] for v in x[x > CUT])

y = x[x < CUT]
if len(y) > 2:
    acc = acc + np.mean(y)
else:
    acc = acc - np.sum(y)

for i in range(n):
    x = x + 0.1 * np.sin(x) * p[1]

for i in range(n):
    acc = acc + x[i % len(x)] * p[2] ** i

for i in range(len(x)):
    if x[i] > CUT:
        acc = acc + x[i] ** 2
    else:
        acc = acc + abs(x[i]) * LEVEL

for i in range(1, len(x) - 1):
    if x[i] > x[i - 1] and x[i] > x[i + 1]:
        acc = acc + x[i]

h = [s]
for i in range(n + 3):
    h.append(h[-1] + 0.1 * np.cos(h[-1]) * p[0])
acc = acc + np.sum(np.array(h) ** 2)

h = []
while s > LEVEL:
    s = s * 0.8
    h.append(s * p[1])
acc = acc + sum(h)

h = np.zeros(n + 2)
h[0] = s
for i in range(1, n + 2):
    h[i] = h[i - 1] + 0.1 * np.sin(h[i - 1] + p[0])
acc = acc + np.sum(h)

u = np.zeros(len(x))
for i in range(len(x)):
    u[i] = x[i] * x[-i - 1]
x = u

v = x.copy()
v[1:-1] = x[1:-1] + 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
x = v

t = 0.0
while t < 1.0:
    dt = 0.3 / (1.0 + np.max(np.abs(x)))
    v = x.copy()
    v[1:-1] = x[1:-1] + dt * (x[2:] - 2 * x[1:-1] + x[:-2])
    x = v
    t = t + dt

t = 0.0
while t < 0.6:
    dt = 0.3 / (1.0 + np.max(np.abs(x)))
    v = np.zeros(len(x))
    v[1:] = x[1:] - dt * x[:-1] * p[0]
    x = v
    t += dt

if s > LEVEL:
    s = np.sqrt(s)
    x = x * p[0]
else:
    acc = acc + s

if np.sum(x) > CUT:
    x = x - np.mean(x)

m = np.max(x)
x = np.exp(x - m)
x = x / np.sum(x)

x = np.where(x > CUT, x, p[1] * x)

x = np.sort(x)[::-1] * 1.0

y = x * 1.0
y[y < CUT] = s
acc = acc + np.sum(y * x)

y = x * 1.0
y[::2] *= p[0]
y += s
x = y

A = np.outer(x, x) + np.eye(len(x)) * 2.0
x = np.linalg.solve(A, x)

R = np.array([[np.cos(s), -np.sin(s)], [np.sin(s), np.cos(s)]])
q = R @ p[:2]
acc = acc + q[0] * q[1]

acc = acc + math.exp(-s) + math.log(1.0 + s)

a, b, c = p
acc = acc + a * b - c

best = x[0]
for v in x[1:]:
    if v > best:
        best = v
acc = acc + best

best, where = -np.inf, 0
for i, v in enumerate(x):
    if v > best:
        best, where = v, i
acc = acc + best * (where + 1)

for i, v in enumerate(x):
    if v > CUT:
        acc = acc + v * i
        break
else:
    acc = acc - 1.0

for v in x:
    if v < CUT:
        continue
    acc = acc + v ** 3

def model(z, scale=2.0):
    return scale * np.tanh(z) + s
x = model(x)

f = lambda z: z ** 2 + s * z
acc = acc + f(p[0]) + f(x[-1])

layers = [(p[0], p[1]), (p[2], s)]
for w, b in layers:
    x = np.tanh(w * x + b)

params = {"w": p[0] * x, "b": s}
x = params["w"] + params["b"]
params["b"] = params["b"] * 2
acc = acc + params["b"]

i = int(np.argmax(x))
acc = acc + x[i] * 2.0

acc = acc + x[np.argsort(x)[:3]].sum()

try:
    L = np.linalg.cholesky(np.outer(x, x) * s + np.eye(len(x)) * CUT)
    acc = acc + np.sum(np.log(np.diag(L)))
except np.linalg.LinAlgError:
    acc = acc + 1.0

z = np.fft.rfft(x)
acc = acc + np.sum(np.abs(z) ** 2)

acc = acc + scipy.special.logsumexp(x) + scipy.special.gammaln(1.0 + s)

rng = np.random.default_rng(n)
noise = rng.normal(size=len(x))
x = x + 0.1 * s * noise

g = (v * s for v in x)
acc = acc + next(g) + sum(g)

acc = acc + max(x) - min(x[0], s)

lo, hi = 0.0, 2.0
while hi - lo > 0.2:
    mid = 0.5 * (lo + hi)
    if mid * mid < s:
        lo = mid
    else:
        hi = mid
acc = acc + lo * s

for it in range(50):
    new = 0.5 * (s + p[0] ** 2 / s) + 0.05
    if abs(new - s) < 1e-3:
        break
    s = new

state = "up"
for v in x:
    if state == "up" and v > CUT:
        state = "down"
        acc = acc + v
    elif state == "down" and v < CUT:
        state = "up"
        acc = acc - 0.5 * v

idx = np.array([0, 2, 0, 1])
y = np.zeros(3)
np.add.at(y, idx, x[:4] * s)
acc = acc + np.sum(y ** 2)

x = np.concatenate([x[1:], x[:1]]) * p[2]

x = x.reshape(-1, 1)
x = (x * p[None, :]).sum(axis=1)

count = 0
for v in x:
    if v > CUT:
        count += 1
if count:
    acc = acc + np.sum(x) / count

count = np.sum(x > CUT)
acc = acc + count * s

acc = acc + np.interp(s, [0.0, 1.0, 2.0, 5.0], [p[0], p[1], p[2], 1.0])

i = 0
while i < len(x) and x[i] < LEVEL:
    acc = acc + x[i]
    i += 1

prev = None
for v in x:
    if prev is not None:
        acc = acc + (v - prev) ** 2
    prev = v

total = 0.0
for a in x:
    for b in p:
        total = total + a * b * s
acc = acc + total

for i in range(len(x)):
    for j in range(i):
        acc = acc + 1.0 / (0.1 + (x[i] - x[j]) ** 2)

d = x[:, None] - x[None, :]
acc = acc + np.sum(np.exp(-d ** 2 * s))

assert np.all(np.isfinite(x)), "no"
x = np.clip(x, -LEVEL, 2.0)

x = x / np.linalg.norm(x)

h = x[:1]
for _ in range(n):
    h = np.append(h, h[-1] * 0.5 + p[0])
acc = acc + h.sum()

out = [v if v > CUT else LEVEL * v for v in x]
x = np.array(out)

x = np.array([math.tanh(v) for v in x])

b = np.zeros_like(x)
b[0] = 1.0
b[-1] += s
x = x + b

s = float(np.abs(s)) if s < 0 else s
acc += np.dot(x, x) / (1 + s)
acc -= 0.5

mask = (x > CUT) & (x < 1.5)
if mask.any():
    acc = acc + x[mask].mean()

mask = x > CUT
z = x * 1.0
z[mask] = z[mask] ** 2 + s
z[~mask] = 0.0
x = z

i = int(np.argmax(x))
acc = acc + x[i] * i - x[i - 1]

t = (min(max(s, 0.0), 2.4) + 0.1) / 0.5
i = int(t)
w = t - i
acc = acc + (1.0 - w) * x[i % 4] + w * x[(i + 1) % 4]

i = math.floor(s * 3) - 1
j = max(0, min(i, len(x) - 2))
acc = acc + x[j] * p[0] + x[j + 1] * j

h = np.zeros(40)
for v in x:
    h[int(min(abs(v), 3.0) * 8)] += v * s
acc = acc + np.sum(h ** 2)

steps = int(np.ceil(abs(s) / 0.2)) + 1
dt = s / steps
for _ in range(steps):
    acc = acc + dt * np.sin(acc)

steps = round(abs(s) * 4)
for i in range(steps):
    acc = acc + 0.1 * np.cos(acc + i) * x[i % 4]

i = int(s * 4)
if i > 3:
    acc = acc + i * s
elif i == 2:
    acc = acc - x[i]

lo, hi = 0, len(x) - 1
y = np.sort(x)
while hi - lo > 1:
    mid = (lo + hi) // 2
    if y[mid] <= CUT:
        lo = mid
    else:
        hi = mid
acc = acc + y[lo] * p[0] + y[hi] * lo

best = min(range(len(x)), key=lambda i: (x[i] - s) ** 2)
acc = acc + x[best] * p[1] + best

y = sorted(x)
acc = acc + y[0] - y[-1] * s + (y[len(y) // 2] - LEVEL) ** 2

acc = acc + max(abs(v) * s for v in x) - min([v * p[0] for v in x])

while max(abs(x)) > 1.0:
    x = x * 0.8

i = int(abs(s) * 3) % 3
q = [p[0], s, x[0]]
acc = acc + q[i] * i + [1.0, 2.0, 3.0][i]

i = int(np.clip(np.floor(s * 2), 0, 3))
acc = acc + np.sum(x[i:i + 2]) + (i + 1) / (i + 2) * s

k = int(np.sum(x > CUT))
acc = acc + np.sum(x) / max(k, 1) + k // 2

k = 0
while s > LEVEL:
    s = s * 0.8
    k = k + int(s * 3)
acc = acc + k * 0.5

rank = np.argsort(x)
acc = acc + x[int(rank[0])] * int(rank[-1]) + x[rank[1]]

y = x[x > CUT]
for v, w in zip(y, y * s):
    acc = acc + v * w

y = x[x < CUT] * p[0]
for i in range(len(y)):
    acc = acc + y[i] * i

ok = x > CUT
y = x[ok]
if len(y) > 1:
    acc = acc + y[0] * y[-1] + np.sum(y) / len(y)

y = x[x > CUT]
for i, v in enumerate(y):
    if v > 1.0:
        acc = acc + v * i
    else:
        acc = acc - v * s

y = x[np.abs(x) < 1.5]
for i in range(1, len(y)):
    acc = acc + (y[i] - y[i - 1]) ** 2

y = x[x > CUT]
out = []
for v in y:
    out.append(v * s)
acc = acc + np.sum(np.array(out))

y = x[x > CUT]
z = np.zeros(len(y))
for i in range(len(y)):
    z[i] = y[i] ** 2
acc = acc + z.sum() + y.size

y = x[x > CUT]
best = 0.0
for v in y:
    if v > 2.0:
        break
    best = max(best, v * s)
acc = acc + best

for i, v in enumerate(x):
    if v > CUT:
        acc = acc + v * i + s
        break
    acc = acc - 0.1 * v

for k, (v, w) in enumerate(zip(x, x[::-1] * p[0]), 1):
    if v * w < -LEVEL:
        break
    acc = acc + v * k
acc = acc + k * s

hist = []
while s > LEVEL:
    s = s * 0.7
    hist.append(s)
acc = acc + np.sum(np.array(hist)) + len(hist) * 0.01

losses = []
for k in range(50):
    losses.append(s * p[0])
    s = s * 0.8
    if s < LEVEL:
        break
acc = acc + losses[-1] - losses[0] + sum(losses)

times, values = [0.0], [s]
while values[-1] > LEVEL:
    times.append(times[-1] + 0.1 * s)
    values.append(values[-1] * 0.8)
times, values = np.array(times), np.array(values)
acc = acc + np.sum((times[1:] - times[:-1]) * values[1:])

path, z = [x], x
while np.sum(z * z) > 0.3:
    z = z * 0.7
    path.append(z)
acc = acc + np.mean(np.array(path))

kept, z = [], s + 1.0
while True:
    z = 0.5 * (z + 1.0 / z)
    kept.append(z)
    if abs(z - 1.0) < 0.01:
        break
acc = acc + max(kept) * kept[-1]
for v in kept:
    acc = acc + 0.1 * v
""".strip().split("\n\n")
