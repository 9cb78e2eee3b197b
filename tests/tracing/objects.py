"""Objects with code of their own: in operators and loops, and in traced methods."""

import srcgrad


class Box:
    """Everything that an operator or a loop may run unseen."""

    def __init__(self, value):
        self.value = value

    def __getitem__(self, index):
        return self.value

    def __iter__(self):
        return iter([self.value])

    def __len__(self):
        return int(self.value)

    def __contains__(self, item):
        return item == self.value

    def __bool__(self):
        return self.value > 2

    def __mul__(self, other):
        return other * self.value

    def __eq__(self, other):
        return self.value == other

    def __enter__(self):
        return self.value

    def __exit__(self, *details):
        self.value += 1

    def __str__(self):
        return str(self.value)

    def __call__(self, x):
        return x * self.value

    __hash__ = object.__hash__


class Model:
    def __init__(self, w):
        self.w = w

    @srcgrad.trace
    def reads(self, x):
        return x * self.w

    @srcgrad.trace
    def without(self, x):
        return x * 2.0

    @staticmethod
    @srcgrad.trace
    def static(x):
        return x * 2.0

    @classmethod
    @srcgrad.trace
    def of_class(cls, x):
        return x * 2.0

    @property
    @srcgrad.trace
    def size(self):
        return self.w.sum()

    def __call__(self, x):
        return x * self.w

    def method(self, x):
        return x * self.w
