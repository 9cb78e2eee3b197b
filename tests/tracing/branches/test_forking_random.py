"""Programs full of `if`: every call is what the tape makes of it, whatever arms run."""

import linecache
import random

import numpy as np
import pytest

import srcgrad

FUNCTIONS = (
    "np.sin np.tanh np.exp abs np.sqrt np.log np.square np.floor np.sign".split()
)
# What Python's floats do as NumPy does, to the bit.
EXACT = "abs np.sqrt np.square np.sign np.negative".split()
# What gives back the very object that it is given, on the tape or off it.
AS_IT_IS = "float np.real srcgrad.stop_gradient np.sign".split()

ARRAYS = (
    *("g, h, q = np.zeros(8), x * 1.0, np.array(x)", "g, h = np.ones(8), np.copy(x)"),
    *("h = x * a", "q = np.zeros(8)", "g = np.tanh(x)", "q = h", "g = h[::-1]"),
    *("h = np.zeros(8)", "g = np.full(8, b)", "q = np.zeros(9)[1:]"),
)


class Program:
    """The text of a function of two numbers and a vector; ``writes`` into arrays."""

    begin, end = ("    c = a * b", "    s = 0.0 + b"), "{}"
    extremes = "min", "max"

    def __init__(self, seed, functions=FUNCTIONS, writes=False):
        self.random, self.functions = random.Random(seed), functions
        self.lines, self.arrays, self.index = [], [], None
        self.helpers = []
        for name in self.random.sample(("pick", "part"), self.random.randint(0, 2)):
            self.lines += [f"def {name}(a, b):"]
            names = self.block(["a", "b"], 1, self.random.randint(1, 2), may_loop=False)
            self.lines += self.ways_out(names), f"    return {names[-1]} * a"
            self.helpers.append(name)
        self.lines += ["def f(a, b, x):", *self.begin]
        if writes:
            more = self.random.sample(ARRAYS[1:], 3)
            self.lines += map("    {}".format, (ARRAYS[0], *more))
            self.lines.append("    r = [a, b, x[0], 1.0, x[1] * a, b * b, 0.5, c]")
            self.arrays = ["g", "h", "q"]
        names = self.block(["a", "b", "c", "s"], 1, self.random.randint(2, 5))
        if self.random.random() < 0.3:
            self.lines.append(self.ways_out(names, self.end))
        chosen = self.random.sample(names, 3)
        chosen += [f"np.sum({each} * x)" for each in self.arrays]
        chosen += ["r[1] * r[-1] + r[2]"] * bool(self.arrays)
        self.lines.append(f"    return {self.end.format(' + '.join(chosen))}")

    def ways_out(self, names, form="{}"):
        result = form.format(self.expression(names, 1))
        return f"    if {self.test(names)}:\n        return {result}"

    def expression(self, names, depth=0):
        draw, choice = self.random.random(), self.random.choice
        if self.arrays and self.random.random() < 0.2:
            return self.element(self.index)
        if depth > 2 or draw < 0.3:
            return choice(names)
        if draw < 0.36:
            return self.constant()
        if draw < 0.4:
            # Helpers know no `x`, but have numbers that are as many.
            known = f"x[{self.random.randint(0, 2)}]"
            return known if self.is_main() else choice(names)
        first = self.expression(names, depth + 1)
        if draw < 0.46:
            test = self.test(names)
            return f"({first} if {test} else {self.expression(names, depth + 1)})"
        if draw < 0.5 and self.helpers:
            helper = self.random.choice(self.helpers)
            return f"{helper}({first}, {self.expression(names, depth + 1)})"
        if draw < 0.54:
            second = self.expression(names, depth + 1)
            return f"{choice(self.extremes)}({first}, {second})"
        if draw < 0.72:
            return f"({first} {choice('+-*/')} {self.expression(names, depth + 1)})"
        return f"{choice(self.functions)}({first})"

    def is_main(self):
        return any(line.startswith("def f(") for line in self.lines)

    def constant(self):
        return repr(round(self.random.uniform(-2, 2), 2))

    def test(self, names, depth=0):
        """What may be NaN, or made of several tests."""
        draw = self.random.random()
        if depth < 2 and draw < 0.2:
            word = self.random.choice(("and", "or"))
            return f"({self.test(names, depth + 1)} {word} {self.test(names, 2)})"
        if depth < 2 and draw < 0.3:
            return f"not {self.test(names, depth + 1)}"
        test = f"{self.random.choice(names)} < {self.expression(names, 2)}"
        return f"{test} <= {self.random.choice(names)}" if draw < 0.4 else test

    def block(self, names, indent, count, index=None, may_loop=True):
        """Some statements; the names that may be read after them."""
        names, margin, outer = list(names), "    " * indent, self.index
        for _ in range(count):
            draw, self.index = self.random.random(), index
            if self.arrays and self.random.random() < 0.5:
                self.lines.append(margin + self.written(names))
            elif draw < 0.45 or indent > 3:
                names.append(self.assign(names, margin, index, may_loop))
            elif draw < 0.85:
                self.lines.append(f"{margin}if {self.test(names)}:")
                self.block(
                    names, indent + 1, self.random.randint(1, 2), index, may_loop
                )
                if self.random.random() < 0.3:
                    self.lines.append(f"{margin}elif {self.test(names)}:")
                    self.block(names, indent + 1, 1, index, may_loop)
                if self.random.random() < 0.7:
                    self.lines.append(f"{margin}else:")
                    self.block(
                        names, indent + 1, self.random.randint(1, 2), index, may_loop
                    )
            elif index is None and may_loop:
                k = f"k{len(self.lines)}"
                self.lines.append(f"{margin}for {k} in range(8):")
                self.block(names, indent + 1, self.random.randint(1, 3), k)
            else:
                names.append(self.assign(names, margin, index, may_loop))
        self.index = outer
        return list(dict.fromkeys(names))

    def element(self, index):
        """One of an array, told by a number or by that of the iteration."""
        array = self.random.choice([*self.arrays, "r"])
        if index is None or self.random.random() < 0.3:
            return f"{array}[{self.random.randint(-8, 7)}]"
        return f"{array}[{index}{self.random.choice(('', '', ' - 1', ' - 8'))}]"

    def written(self, names):
        """A write into an array, most often of one element."""
        draw, array = self.random.random(), self.random.choice(self.arrays)
        value, element = self.expression(names), self.element(self.index)
        if draw < 0.45:
            return f"{element} = {value}"
        if draw < 0.65:
            return f"{element} {self.random.choice('+-*')}= {value}"
        if draw < 0.75:
            other = self.element(self.index)
            return f"{element}, {other} = {other}, {element}"
        if draw < 0.85:
            return f"{array}[{array} < {value}] = {value}"
        if draw < 0.9:
            return f"{array}[2:5] {self.random.choice(('=', '+='))} {value}"
        if draw < 0.95:
            return f"{array}[1:][3] = {value}"
        return f"{array} = {array} * {value}"

    def assign(self, names, margin, index, may_loop):
        is_new = self.random.random() < 0.5
        name = f"v{len(self.lines)}" if is_new else self.random.choice(names)
        value = self.expression(names)
        if index is not None and self.random.random() < 0.3:
            value = f"{value} + x[{index}]"
        elif not may_loop:
            pass
        elif self.random.random() < 0.1:
            value = f"{value} * x[3]"
        self.lines.append(f"{margin}{name} = {value}")
        return name

    def function(self, seed):
        text, name = "\n".join(self.lines) + "\n", f"<ifs {seed}>"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        namespace = {"np": np, "srcgrad": srcgrad}
        exec(compile(text, name, "exec"), namespace)
        return namespace["f"]


class OfArrays(Program):
    """The same of three vectors, which arms change in place, by whatever name."""

    begin = "    a, b = a * 1.0, b * 1.0", *Program.begin
    end = "np.sum({})"
    extremes = "np.minimum", "np.maximum"

    def constant(self):
        # An array that is new in an argument may not be written into by the helper.
        return f"(np.array([{super().constant()}, 0.5, -1.0]) + 0.0 * b)"

    def test(self, names, depth=0):
        choice, form = self.random.choice, self.random.choice(("{}[0]", "np.sum({})"))
        return f"{form.format(choice(names))} < {choice(names)}[{choice((0, 1, -1))}]"

    def assign(self, names, margin, index, may_loop):
        draw, name = self.random.random(), self.random.choice(names)
        if draw < 0.5:
            return super().assign(names, margin, index, may_loop)
        value, sign = self.expression(names, 1), self.random.choice("+-*")
        if draw < 0.7:
            self.lines.append(f"{margin}{name} = {name} {sign} {value}")
        elif draw < 0.85:
            self.lines.append(f"{margin}{name} {sign}= {value}")
        else:
            self.lines.append(f"{margin}{name} = 1.0 * {name}")
            self.lines.append(
                f"{margin}{name}[{self.random.choice('012')}] = {value}[1]"
            )
        return name


class WithCounts(Program):
    """The same with integers that arms count up, choose, and are asked for."""

    begin = *Program.begin, "    k, m, done = 0, 1, False"
    COUNTS = "k + 1", "m", "k", "3", "0", "m - 2", "1 - k", "2 * k", "k + m", "k * m"

    def constant(self):
        if self.is_main() and self.random.random() < 0.5:
            forms = "k", "m", "0.5 * k", "(k + 1)", "x[k % 8]", "x[m]", "1.5 ** k", "-k"
            return self.random.choice(forms)
        return super().constant()

    def test(self, names, depth=0):
        if self.is_main() and self.random.random() < 0.3:
            forms = "k < 2", "m == 1", "k <= m", "0 < k < 3", "k", "done", "not done"
            return self.random.choice(forms)
        return super().test(names, depth)

    def assign(self, names, margin, index, may_loop):
        if not self.is_main() or self.random.random() < 0.6:
            return super().assign(names, margin, index, may_loop)
        name, value = self.random.choice("km"), self.random.choice(self.COUNTS)
        if self.random.random() < 0.4:
            values = "True", "False", "not done", "done and k < 2"
            name, value = "done", self.random.choice(values)
        self.lines.append(f"{margin}{name} = {value}")
        return self.random.choice(names)


def of_variables(f, args):
    """Value and gradients, None where there are none."""
    variables = [srcgrad.Variable(np.array(a)[()], requires_grad=True) for a in args]
    out = f(*variables)
    if not isinstance(out, srcgrad.Variable) or not out.requires_grad:
        return getattr(out, "data", out), [None] * len(args)
    out.backward()
    return out.data, [None if v.grad is None else v.grad.data for v in variables]


@pytest.mark.parametrize(
    ("is_transform", "functions"),
    [(False, FUNCTIONS), (True, FUNCTIONS), (True, EXACT)],
)
@pytest.mark.seeds(3)
def test_programs_full_of_ifs(seed, is_transform, functions):
    f = Program(seed, functions).function(seed)
    rng = np.random.default_rng(seed)
    points = [
        (*map(np.float64, 2.0 * rng.normal(size=2)), rng.normal(size=8))
        for _ in range(3)
    ]
    a, _, x = points[0]
    others = (np.nan, 0.5), (a, -0.0), (a, 1e200), (np.inf, a)
    points += [(np.float64(first), np.float64(second), x) for first, second in others]
    check(f, f, is_transform, points)


@pytest.mark.parametrize("is_transform", [False, True])
@pytest.mark.seeds(4)
def test_programs_full_of_ifs_with_counts(seed, is_transform):
    f = WithCounts(seed).function(seed)
    rng = np.random.default_rng(seed)
    points = [(*map(np.float64, rng.normal(size=2)), rng.normal(size=8))] * 2
    points += [
        (*map(np.float64, 2.0 * rng.normal(size=2)), rng.normal(size=8))
        for _ in range(4)
    ]
    try:
        with np.errstate(all="ignore"):
            results = [f(*args) for args in points]
    except (IndexError, OverflowError, ZeroDivisionError):
        return
    if is_transform and any(isinstance(result, int) for result in results):
        return
    check(f, f, is_transform, points)


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.seeds(6)
def test_programs_full_of_ifs_and_of_one_object_under_two_names(seed, kind):
    f = Program(seed, AS_IT_IS).function(seed)
    rng = np.random.default_rng(seed)
    points = [(*map(kind, rng.normal(size=2)), rng.normal(size=8)) for _ in range(5)]
    ours, theirs = (srcgrad.value_and_grad(f, argnums=(0, 1, 2)) for _ in range(2))
    for args in (*points, *points[::-1]):
        with np.errstate(all="ignore"):
            try:
                with srcgrad.set_stance("tape"):
                    expected = theirs(*args)
            except ZeroDivisionError as error:  # Python's floats raise it
                with pytest.raises(ZeroDivisionError, match=str(error)):
                    ours(*args)
                continue
            value, gradients = ours(*args)
        for found, each in zip(
            (value, *gradients), (expected[0], *expected[1]), strict=True
        ):
            np.testing.assert_allclose(found, each, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("is_transform", [False, True])
@pytest.mark.seeds(3)
def test_programs_full_of_ifs_on_arrays(seed, is_transform):
    f = OfArrays(seed).function(seed)
    rng = np.random.default_rng(seed)
    points = [(*rng.normal(size=(2, 3)), rng.normal(size=8)) for _ in range(5)]
    try:
        with np.errstate(all="ignore"):
            _ = [f(*args) for args in points]
    except IndexError:
        return  # Python itself has no element there
    on_tape = srcgrad.trace(f)  # what puts Variables into arrays is followed

    def tape(*args):
        with srcgrad.set_stance("tape"):
            return on_tape(*args)

    check(f, tape, is_transform, points)


def check(f, tape, is_transform, points):
    """Go to each point twice, and compare values and gradients with the tape's."""
    traced = srcgrad.trace(f)
    ours = srcgrad.value_and_grad(traced, argnums=(0, 1, 2))
    for args in (*points, *points[::-1]):
        with np.errstate(all="ignore"):
            value, gradients = of_variables(tape, args)
            if is_transform:
                found, by_each = ours(*args)
                assert type(found) is type(f(*args))
                zeros = [np.zeros(np.shape(arg)) for arg in args]
                gradients = [
                    z if g is None else g for g, z in zip(gradients, zeros, strict=True)
                ]
            else:
                found, by_each = of_variables(traced, args)
        assert [g is None for g in by_each] == [g is None for g in gradients]
        pairs = [
            (g, h) for g, h in zip(by_each, gradients, strict=True) if g is not None
        ]
        for mine, tapes in [(found, value), *pairs]:
            np.testing.assert_allclose(mine, tapes, rtol=1e-8, atol=1e-10)
