"""windows, traced at loop_programs.py:1, for x: float64[6, 3], w: float64[4]"""

import numpy as np


def forward(x, w):
    s = np.float64(0.0)
    getitems = []
    multiplys = []
    for j in range(4):
        # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
        part = w[j]
        multiply = x[j] * part
        s = s + np.add.reduce(np.sin(multiply), axis=None)
        getitems.append(part)
        multiplys.append(multiply)
    getitems_1 = []
    multiplys_1 = []
    for j_1 in range(4):
        # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
        part_1 = w[j_1]
        multiply_1 = x[j_1 + 1] * part_1
        s = s + np.add.reduce(np.sin(multiply_1), axis=None)
        getitems_1.append(part_1)
        multiplys_1.append(multiply_1)
    getitems_2 = []
    multiplys_2 = []
    for j_2 in range(4):
        # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
        part_2 = w[j_2]
        multiply_2 = x[j_2 + 2] * part_2
        s = s + np.add.reduce(np.sin(multiply_2), axis=None)
        getitems_2.append(part_2)
        multiplys_2.append(multiply_2)
    return s, (x, getitems, multiplys, getitems_1, multiplys_1, getitems_2, multiplys_2)


def backward(saved, ds):
    x, getitems, multiplys, getitems_1, multiplys_1, getitems_2, multiplys_2 = saved
    dx = np.zeros((6, 3))
    dw = np.zeros(4)
    dx_1 = dx.copy()
    dw_1 = dw.copy()
    for j_2, getitem, multiply_3 in zip(
        reversed(range(4)), reversed(getitems_2), reversed(multiplys_2), strict=True
    ):
        # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
        dmultiply = ds * np.cos(multiply_3)
        dw_1[j_2] = np.add.reduce(dmultiply * x[j_2 + 2], axis=0)
        dx_1[j_2 + 2] = dmultiply * getitem
    dx_2 = dx.copy()
    dw_2 = dw.copy()
    for j_1, getitem_1, multiply_4 in zip(
        reversed(range(4)), reversed(getitems_1), reversed(multiplys_1), strict=True
    ):
        # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
        dmultiply_1 = ds * np.cos(multiply_4)
        dw_2[j_1] = np.add.reduce(dmultiply_1 * x[j_1 + 1], axis=0)
        dx_2[j_1 + 1] = dmultiply_1 * getitem_1
    dx_3 = dx.copy()
    dw_3 = dw.copy()
    for j, getitem_2, multiply_5 in zip(
        reversed(range(4)), reversed(getitems), reversed(multiplys), strict=True
    ):
        # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
        dmultiply_2 = ds * np.cos(multiply_5)
        dw_3[j] = np.add.reduce(dmultiply_2 * x[j], axis=0)
        dx_3[j] = dmultiply_2 * getitem_2

    # loop_programs.py:6: s = s + np.sum(np.sin(x[i + j] * w[j]))
    dx_3 += dx_1 + dx_2
    dw_3 += dw_1 + dw_2
    return dx_3, dw_3
