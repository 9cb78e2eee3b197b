"""The compile policy: the numbers that decide when compiling or a rewrite is worth it.

Each stands with the measurement that chose it, or with what it weighs where it was
chosen by hand. "Seen" is the most that the programs need of ``tests/golden``, the
examples, the scientific programs and the peers.
"""

# ----- When a call is traced: shares of the time that calls take on the tape -----
# A trace costs about a hundred calls on the tape, and a look in vain a few operations.
# With both bounded so, calls that never come again cost 1.1 to 1.3 times the tape
# (``benchmarks/long_runs.py``); without, 1.4 to 1.9.
SHARE = 0.02
# Of a call that a trace has served: it has saved more than that twice, and counts for
# traces and for looks.
SAVED = 0.3
# Of calls that one trace would have served: it is made once they have taken 20 times
# what one takes, whatever was in vain before.
REPAID = 0.05
# Chosen by hand: what takes so many times the mean was held up by something else.
MOST_ODD = 4

# ----- When a function is left to the tape -----
# Chosen by hand: so many traces or misses in a row, none of which was of use again.
MAX_STREAK = 16
# One trace of each transform is free, and so many more where they are likely to be of
# use. When all three were free, 10,000 calls of 7 us that never repeat cost 10 ms more.
FURTHER_TRACES = 2
# Chosen by hand: looks in vain before it is asked what for.
FREE_MISSES = 16
# Chosen by hand: recordings that end in an error of the user's, and cost nothing. Then
# the call behind one that has raised an error is not recorded.
PARDONS = 8
# Chosen by hand: a trace is of use if it serves one of eight calls, and a call comes
# again if it is one of fewer than three that wait.
SELDOM, FEW_OTHERS = 8, 3
# Chosen by hand: calls that go by the tape in a row before there is a look at one.
LONGEST_PAUSE = 256

# ----- What is remembered of calls: chosen by hand, to bound time and memory -----
# Signatures of which it is known how many calls have waited for a trace.
MOST_WAITING = 128
# Lengths that are counted; and how often one comes until it has a trace of its own,
# which knows more: ten times the hundred calls that a trace costs.
MOST_LENGTHS, OFTEN = 100, 1000
# Values of an integer that have traces of their own, before one is made for all.
MOST_OF_AN_INT = 2
# Entries, and traces of one, that are asked whether they serve a call at once.
IN_TURN = 4
# Assumptions that are looked at without a further call.
MOST_IN_PLACE = 8
# Arrays that are told apart in pairs. Those of 6 take 0.7 of the time of a set of their
# identities, of 10 half of it; but they are 15 tests to read, and 45.
MOST_IN_PAIRS = 6

# ----- What is too much to compile: chosen by hand, to bound the time for it -----
# Seconds for the compilation of a decorated function, unless so many times what its own
# run took is more; and after how many it is said that it takes long. (Seen: 6, for
# 20,000 operations that are no loop.)
LONGEST_COMPILATION, TIMES_THE_RUN, TOLD_AFTER = 60.0, 10.0, 1.0
# Of a function that nobody has decorated: the seconds that compiling may take more than
# the tape would have, and the part of the tape's time on top (ski rental: what may be
# in vain is bounded by what is spent anyway). It is tried again when it may take so
# many times as long as it did in vain.
UNASKED_SECONDS, UNASKED_SHARE, LONGER = 0.8, 0.3, 2.0
# Results of a function with loops: each has a way back (seen: 1, or 40 of iterations).
MOST_ROOTS = 8
# Ways that a callback of SciPy's algorithms goes.
MOST_PATHS = 12
# Bytes of arrays as they were before a write that one recording holds.
MOST_HELD = 2**31
# Chunks of a batch, each of which is a piece of generated code.
MOST_CHUNKS = 64
# Elements of a batch that is written out one by one.
LONGEST_BATCH = 100
# Steps that are put into the arms of one graph (seen: 21).
MOST_MOVED = 64

# ----- How far a rewrite looks: by what was seen, to end in linear time -----
# Rewrites of one node (seen: 3): a rule that undoes another would go on for ever.
MOST_REWRITES = 50
# Factors of a product, and terms of a sum, that are looked at (seen: 2, 2).
MOST_FACTORS, MOST_SUMMANDS = 4, 8
# Chosen by hand: calls back to what a Value is a multiple of, and the Values of which
# that is kept for what is computed next.
DEEPEST_PRODUCT, MOST_PRODUCTS = 4, 32
# What takes more steps, terms or depth is not shown to be zero (seen: 78, of 99.9 % 17,
# of 99.9 % 27).
POLYNOMIAL_STEPS, POLYNOMIAL_TERMS, POLYNOMIAL_DEPTH = 400, 40, 40
# Parts of one array, and slices of one work, that are compared with each other, which
# takes quadratic time (seen: 36, 3).
MOST_PARTS, MOST_SLICES = 50, 50
# Elements of a constant that is computed from smaller ones when the code is made.
MOST_FOLDED = 10_000

# ----- When numbers run on Python's floats, and how -----
# Chosen by hand: the part of NumPy's time, as it is estimated, that they may take to be
# worth a second text.
WORTH = 0.7
# Nanoseconds of the look at NumPy's settings, and of the call that runs NumPy instead.
LOOK_COST = 150.0
# Elements of an array that is taken apart, as it is read; and of one that is computed
# with: x * y + x takes 0.3 of NumPy's time on 16 floats, and 1.5 of it on 32.
MOST_APART, MOST_COMPUTED = 256, 16
# Elements of a list that are added one by one: of more, `sum` takes less.
MOST_ADDED = 3
# Operations that are done again on the way back: to put a float into a list, and to
# take it out again, takes longer than two additions.
MOST_AGAIN = 2
# Terms of a sum of numbers that are looked at: it takes a third of the time of `sum` of
# a tuple. Chosen by hand, for who reads it.
MOST_TERMS = 16
# Elements of a longer list that are read one by one; of more, to unpack takes less.
MOST_READ = 2

# ----- When machine code is made -----
# Seconds that a function has to have taken before Numba is asked. (Seen: 0.4 to 5 for a
# kernel, and 20 for one.)
SECONDS_OF_NUMBA = 2.0
# Chosen by hand: calls each way before the faster one stays; and calls that machine
# code leaves to NumPy before all are.
NATIVE_TRIALS, NATIVE_FAILURES = 3, 64
# Chosen by hand: steps that are worth a kernel of their own among NumPy's functions; a
# loop is.
NATIVE_STEPS = 4
# Chosen by hand: elements of a loop that several threads share, if they may.
NATIVE_ELEMENTS = 32768

# ----- When memory is worth a line -----
# Elements of a choice that is made in place: 128 KiB of floats (M_MMAP_THRESHOLD of
# glibc), which malloc asks the system for each time.
MANY_CHOSEN = 2**14
# Chosen by hand: bytes that are worth a `del`; and the part of what has to be held that
# may be held besides, for fewer lines.
CONCERN, SLACK = 1 << 20, 8
# Bytes of an array that is left to the next call to work in: from 128 KiB on, programs
# that go element by element take 0.86 to 0.95 of the time, products of matrices 0.99.
# And of all that one function leaves, chosen by hand: of twice as much, they take 0.98.
SPARE, MOST_SPARE = 1 << 17, 1 << 27
