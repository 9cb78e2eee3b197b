"""``Parts``: what does each thing that a recorded function may do, in one run."""

from srcgrad.tracing.watching.asking import Asking
from srcgrad.tracing.watching.attributes import Attributes
from srcgrad.tracing.watching.cases import Cases
from srcgrad.tracing.watching.choosing import Choosing
from srcgrad.tracing.watching.comprehending import Comprehending
from srcgrad.tracing.watching.computing import Computing
from srcgrad.tracing.watching.context import Context
from srcgrad.tracing.watching.drawing import Drawing
from srcgrad.tracing.watching.filling import Filling
from srcgrad.tracing.watching.handing import Handing
from srcgrad.tracing.watching.iterating import Iterating
from srcgrad.tracing.watching.lookups import Lookups
from srcgrad.tracing.watching.storing import Storing
from srcgrad.tracing.watching.telling import Telling


class Parts:
    """The parts of one run, each made with those before it that it needs."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.attributes = attributes = Attributes(context)
        self.drawing = Drawing(context)
        self.telling = Telling(context, attributes)
        self.storing = Storing(context, self.telling, attributes)
        self.choosing = Choosing(context, self.storing)
        self.asking = Asking(context, attributes, self.storing, self.choosing)
        self.cases = Cases(context, self.asking)
        self.filling = Filling(context)
        self.iterating = Iterating(context, self.filling, self.choosing)
        self.comprehending = Comprehending(context, self.filling, self.iterating)
        self.lookups = Lookups(context, self.filling, attributes)
        self.handing = Handing(context)
        self.computing = Computing(context, attributes, self.storing, self.handing)
