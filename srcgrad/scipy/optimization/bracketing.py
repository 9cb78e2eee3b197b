"""``scipy.optimize.bracket``: its three points are made of the points before.

Each step goes to where a parabola has its minimum, or by a fixed ratio; which one is a
choice that holds between jumps. The user's function is called on Variables, as it is.
"""

from scipy import optimize

from srcgrad.rules.scipy.scipy_sources import on_variables
from srcgrad.scipy.optimization.finite_differences import is_of_numbers
from srcgrad.scipy.replacing import replaces

search = on_variables(optimize.bracket)


@replaces(optimize.bracket, is_looking=True, is_plain=is_of_numbers)
def bracket(func, xa, xb, args, grow_limit, maxiter):
    return search(func, xa, xb, args, grow_limit, maxiter)
