"""fibonacci, traced at loop_programs.py:1, for x: float64[2]"""

import math

import numpy as np


def forward_on_floats(x):
    """On Python's floats; where one of these raises, `forward` runs."""
    # loop_programs.py:3: a, b = x[0], x[1]
    a, b = x.tolist()
    bs = []
    adds = []
    for _ in range(8):
        # loop_programs.py:5: a, b = b, np.sin(a + b)
        add = a + b
        b_1 = math.sin(add)
        bs.append(b_1)
        adds.append(add)
        b, a = b_1, b

    # loop_programs.py:6: return a * b
    out = bs[6] * bs[7]
    if not math.isfinite(bs[5] + bs[4] + bs[3] + bs[2] + bs[1] + bs[0] + a + b + out):
        raise OverflowError
    return np.float64(out), (bs[6], bs[7], adds)


def backward_on_floats(saved, dout):
    """On Python's floats; where one of these raises, `backward` runs."""
    b_2, b_3, adds = saved

    # loop_programs.py:6: return a * b
    dout = float(dout)
    db = dout * b_3
    db_1 = dout * b_2
    db_2 = 0.0
    db_3 = 0.0
    for add_1, db_4 in zip(
        reversed(adds), reversed((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, db, db_1)), strict=True
    ):
        # loop_programs.py:5: a, b = b, np.sin(a + b)
        db_5 = db_2 + db_4
        dadd = db_5 * math.cos(add_1)
        db_2 = db_3 + dadd
        db_3 = dadd
    if not math.isfinite(db + db_1 + db_3 + db_2):
        raise OverflowError
    return np.array([db_3, db_2])


def forward(x):
    # loop_programs.py:3: a, b = x[0], x[1]
    a = x[0]
    b = x[1]
    bs_1 = []
    adds = []
    for _ in range(8):
        # loop_programs.py:5: a, b = b, np.sin(a + b)
        add = a + b
        b_1 = np.sin(add)
        bs_1.append(b_1)
        adds.append(add)
        b, a = b_1, b

    # loop_programs.py:6: return a * b
    out = bs_1[6] * bs_1[7]
    return out, (float(bs_1[6]), float(bs_1[7]), list(map(float, adds)))


def backward(saved, dout):
    b_2, b_3, adds = saved
    b_2 = np.float64(b_2)
    b_3 = np.float64(b_3)
    adds = list(map(np.float64, adds))

    # loop_programs.py:6: return a * b
    db = dout * b_3
    db_1 = dout * b_2
    db_2 = np.float64(0.0)
    db_3 = np.float64(0.0)
    for add_1, db_4 in zip(
        reversed(adds),
        reversed(
            (
                np.float64(0.0),
                np.float64(0.0),
                np.float64(0.0),
                np.float64(0.0),
                np.float64(0.0),
                np.float64(0.0),
                db,
                db_1,
            )
        ),
        strict=True,
    ):
        # loop_programs.py:5: a, b = b, np.sin(a + b)
        db_5 = db_2 + db_4
        dadd = db_5 * np.cos(add_1)
        db_2 = db_3 + dadd
        db_3 = dadd

    # loop_programs.py:3: a, b = x[0], x[1]
    dx = np.zeros(2)
    dx[1] = db_2
    dx[0] = db_3
    return dx
