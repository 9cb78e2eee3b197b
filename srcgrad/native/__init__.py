"""Native: the same graphs as functions that Numba compiles to machine code.

``kernel`` is the way in: from a graph to source, helped by ``elements`` (what is
computed number by number), ``clusters`` (which steps share one loop over elements),
``nests`` (that loop), ``arrays`` (what is done with whole arrays) and ``structures``
(loops and branches of the program). ``machine`` has Numba compile it, and ``tier`` puts
it in front of the generated module. Nothing here is loaded before it is asked for.
"""
