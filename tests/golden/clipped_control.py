"""clipped_control, traced at branch_programs.py:1, for gain: float64[2], position:
float64, speed: float64, limit: float64
"""

import math

import numpy as np


def forward_on_floats(gain, position, speed, limit):
    """On Python's floats; where one of these raises, `forward` runs."""
    # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
    gain_0, gain_1 = gain.tolist()
    negative = -gain_0
    position = float(position)
    speed = float(speed)
    limit = float(limit)
    cost = 0.0
    positions = []
    speeds = []
    greaters = []
    forces = []
    positions_1 = []
    for _ in range(30):
        positions.append(position)
        speeds.append(speed)
        # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
        multiply = negative * position
        multiply_1 = gain_1 * speed
        force = multiply - multiply_1

        # branch_programs.py:5: if force > limit:
        greater = force > limit
        if greater:
            force_1 = limit
        else:
            # branch_programs.py:7: elif force < -limit:
            negative_1 = -limit
            if force < negative_1:
                force_1 = negative_1
            else:
                force_1 = force

        # branch_programs.py:9: speed = speed + 0.1 * force
        speed = speed + 0.1 * force_1

        # branch_programs.py:10: position = position + 0.1 * speed
        position = position + 0.1 * speed

        # branch_programs.py:11: cost = cost + position**2 + 0.01 * force**2
        cost = cost + position * position + 0.01 * (force_1 * force_1)
        if not math.isfinite(force):
            raise OverflowError
        greaters.append(greater)
        forces.append(force_1)
        positions_1.append(position)
    dposition = 0.0
    dspeed = 0.0
    value = 0.0
    dgain_1 = 0.0
    for position_1, speed_1, greater_1, force_2, position_2 in zip(
        reversed(positions),
        reversed(speeds),
        reversed(greaters),
        reversed(forces),
        reversed(positions_1),
        strict=True,
    ):
        # branch_programs.py:11: cost = cost + position**2 + 0.01 * force**2
        multiply_2 = 0.02 * force_2
        dposition_1 = dposition + 2.0 * position_2

        # branch_programs.py:10: position = position + 0.1 * speed
        dspeed_1 = dspeed + dposition_1 * 0.1

        # branch_programs.py:9: speed = speed + 0.1 * force
        dforce = multiply_2 + dspeed_1 * 0.1

        # branch_programs.py:5: if force > limit:
        if greater_1:
            dleaf = 0.0
            dspeed_2 = 0.0
            dleaf_1 = 0.0
            dposition_2 = 0.0
        else:
            # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
            force_3 = negative * position_1 - gain_1 * speed_1

            # branch_programs.py:7: elif force < -limit:
            if force_3 < -limit:
                dleaf = 0.0
                dspeed_2 = 0.0
                dleaf_1 = 0.0
                dposition_2 = 0.0
            else:
                # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
                dmultiply = -dforce
                dleaf = dmultiply * speed_1
                dspeed_2 = dmultiply * gain_1
                dleaf_1 = dforce * position_1
                dposition_2 = dforce * negative
            if not math.isfinite(force_3):
                raise OverflowError

        # branch_programs.py:5: if force > limit:
        dspeed = dspeed_1 + dspeed_2
        dposition = dposition_1 + dposition_2
        value = value + dleaf_1
        dgain_1 = dgain_1 + dleaf
        if not math.isfinite(dforce):
            raise OverflowError

    # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
    dgetitem = -value
    if not math.isfinite(
        speed + position + cost + dgain_1 + value + dspeed + dposition
    ):
        raise OverflowError
    return np.float64(cost), np.array([dgetitem, dgain_1])


def forward(gain, position, speed, limit):
    # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
    negative = -gain[0]
    gain_1 = gain[1]
    cost = np.float64(0.0)
    positions = []
    speeds = []
    greaters = []
    forces = []
    positions_1 = []
    for _ in range(30):
        positions.append(position)
        speeds.append(speed)
        # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
        multiply = negative * position
        multiply_1 = gain_1 * speed
        force = multiply - multiply_1

        # branch_programs.py:5: if force > limit:
        greater = force > limit
        if greater:
            force_1 = limit
        else:
            # branch_programs.py:7: elif force < -limit:
            negative_1 = -limit
            if force < negative_1:
                force_1 = negative_1
            else:
                force_1 = force

        # branch_programs.py:9: speed = speed + 0.1 * force
        speed = speed + 0.1 * force_1

        # branch_programs.py:10: position = position + 0.1 * speed
        position = position + 0.1 * speed

        # branch_programs.py:11: cost = cost + position**2 + 0.01 * force**2
        cost = cost + position * position + 0.01 * (force_1 * force_1)
        greaters.append(greater)
        forces.append(force_1)
        positions_1.append(position)
    dposition = np.float64(0.0)
    dspeed = np.float64(0.0)
    value = np.float64(0.0)
    dgain_1 = np.float64(0.0)
    for position_1, speed_1, greater_1, force_2, position_2 in zip(
        reversed(positions),
        reversed(speeds),
        reversed(greaters),
        reversed(forces),
        reversed(positions_1),
        strict=True,
    ):
        # branch_programs.py:11: cost = cost + position**2 + 0.01 * force**2
        multiply_2 = 0.02 * force_2
        dposition_1 = dposition + 2.0 * position_2

        # branch_programs.py:10: position = position + 0.1 * speed
        dspeed_1 = dspeed + dposition_1 * 0.1

        # branch_programs.py:9: speed = speed + 0.1 * force
        dforce = multiply_2 + dspeed_1 * 0.1

        # branch_programs.py:5: if force > limit:
        if greater_1:
            dleaf = np.float64(0.0)
            dspeed_2 = np.float64(0.0)
            dleaf_1 = np.float64(0.0)
            dposition_2 = np.float64(0.0)
        else:
            # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
            force_3 = negative * position_1 - gain_1 * speed_1

            # branch_programs.py:7: elif force < -limit:
            if force_3 < -limit:
                dleaf = np.float64(0.0)
                dspeed_2 = np.float64(0.0)
                dleaf_1 = np.float64(0.0)
                dposition_2 = np.float64(0.0)
            else:
                # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
                dmultiply = -dforce
                dleaf = dmultiply * speed_1
                dspeed_2 = dmultiply * gain_1
                dleaf_1 = dforce * position_1
                dposition_2 = dforce * negative

        # branch_programs.py:5: if force > limit:
        dspeed = dspeed_1 + dspeed_2
        dposition = dposition_1 + dposition_2
        value = value + dleaf_1
        dgain_1 = dgain_1 + dleaf

    # branch_programs.py:4: force = -gain[0] * position - gain[1] * speed
    dgain = np.zeros(2)
    dgain[1] = dgain_1
    dgain[0] = -value
    return cost, dgain
