"""What to write instead of what keeps a function on the tape.

>>> hint("loss.py:3: x[0] = 5.0: changes one of its arguments in place")
'work on a copy: `x = x.copy()`'
>>> hint("something else")
''
"""

CALLED_BACK = "compute only, in what SciPy calls; keep records outside of it"

OF_ONE_SHAPE = "pad arrays to a few lengths, or call by batches of one shape"

# By what a reason says; the first that fits.
HINTS = {
    "wait for a trace": OF_ONE_SHAPE,
    "kinds came once each": OF_ONE_SHAPE,
    "for each element of a batch": "do it for the whole batch, outside vmap",
    "looks at values of a batch": "choose by np.where(condition, a, b)",
    "in a function that is called back": CALLED_BACK,
    "which an algorithm calls": CALLED_BACK,
    "leaves something behind": "return it",
    "has no batching rule": "write it in functions that have one (docs/vmap.md)",
    "which runs, and has its gradient, on the tape": "nothing, for that; what is "
    "around it compiles in traced functions of its own",
    "vectorize": "call the function for each element: `np.array([f(v) for v in x])`",
    "which is not known to be pure": "call it before, and hand over what it gives; or "
    "give it a derivative with srcgrad.defvjp",
    "to code not traced": "call it in a loop or comprehension of your own",
    "changes one of its arguments": "work on a copy: `x = x.copy()`",
    "that to record it takes too much": "append to a list, and make an array of that: "
    "`np.array(states)`",
    "in place, which it found outside": "put a new array in its place, which is "
    "followed: `self.state = changed`",
    "which shares memory with another": "work on a copy: `part = part.copy()`",
    "and writes there": "return or keep a copy: `state[1:].copy()`",
    "of which a result is made": "put a new array in its place, which is followed: "
    "`self.state = changed`",
    "stores what has a gradient": "make the array in the function, or store "
    "`srcgrad.stop_gradient(...)` of it",
    "changes an argument by": "work on a copy of it: `items = list(items)`",
    "in an array that it did not compute": "work on a copy: `data = data.copy()`",
    "of which there is a view": "take the view after the change",
    "catches an error by a name": "leave out `as error`, or ask first (`if ...:`)",
    "catches an error": "ask first (`if ...:`), so that nothing is raised",
    "draws by": "draw standard numbers, and scale them: "
    "`loc + scale * rng.standard_normal(n)`",
    "without a number as its seed": "give it a seed, or draw from a generator outside",
    "of a random generator": "draw by methods such as `normal`, `integers`, "
    "`permutation`; shuffle by `x[rng.permutation(n)]`",
    "makes a text of an array": "print it, or put it into an f-string that is printed",
    "`file` or `stacklevel`": "print, or warn, without these",
    "defines a class": "define the class outside",
    "is async": "compute in a plain function, and await around it",
    "imports from its own package": "import at the top of the file",
    "leaves a `finally`": "return after the `try` statement",
    "to a library": "hand over the numbers that it needs",
    "which its class computes": "compute it in a method or property",
    "in its own way": "set a plain attribute, in a method",
    "which may change": "read it outside, and hand it over as an argument",
    "the attribute": "keep it in an object of a class of your own",
    "takes the elements of an array out": "use NumPy on the array itself",
    "reads elements as they lie in memory": "leave out `order='K'` or `order='A'`",
    "an array has dtype <U": "hand over its texts in a tuple: `tuple(names)`",
    "an array has dtype": "convert it: `x.astype(float)`",
    "matches more than plain": "compare with `if` and `elif`",
    "compares by identity in a chain": "write `a is b and b is c`",
    "in two places": "return or keep a copy: `list(items)`",
    "returns a container that it was given": "return a copy of it",
    "in a way that is not followed": "append, extend, or set elements",
    "which remembers, with what is computed": "call the function without its cache",
    "takes an item of": "take it first of all in the function, or before",
    "iterator": "take the items out of it before, and hand them over in a list",
    ", a generator": "take the items out of it before, and hand them over in a list",
    ", a Polynomial": "keep its coefficients: `np.polynomial.polynomial.polyval(x, c)`",
    ", a poly1d": "keep its coefficients: `np.polyval(c, x)`",
    ", a MaskedArray": "hand over `m.filled(0.0)` and `m.mask`",
    ", a matrix": "make an ndarray of it: `np.asarray(m)`",
    ", a recarray": "make an ndarray of it, with fields by name: `np.asarray(r)`",
    ", a array": "make an ndarray of it: `np.array(a)`",
    ", a memoryview": "make an ndarray of it: `np.asarray(view)`",
    "there is no source": "define the function in a file or a notebook's cell",
}


def hint(reason: str) -> str:
    """What to write instead; nothing if there is no better way."""
    return next((text for part, text in HINTS.items() if part in reason), "")
