"""fibonacci, traced at loop_programs.py:1, for x: float64[2]"""

import numpy as np


def forward(x):
    # loop_programs.py:3: a, b = x[0], x[1]
    a = x[0]
    b = x[1]
    bs = []
    adds = []
    for _ in range(8):
        # loop_programs.py:5: a, b = b, np.sin(a + b)
        add = a + b
        b_1 = np.sin(add)
        bs.append(b_1)
        adds.append(add)
        b, a = b_1, b

    # loop_programs.py:6: return a * b
    out = bs[6] * bs[7]
    return out, (bs[6], bs[7], adds)


def backward(saved, dout):
    b_2, b_3, adds = saved

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
