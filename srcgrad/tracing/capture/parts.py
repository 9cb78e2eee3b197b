"""``Parts``: what does each thing that a recorded function may do, in one run."""

from srcgrad.tracing.capture.asking import Asking
from srcgrad.tracing.capture.attributes import Attributes
from srcgrad.tracing.capture.cases import Cases
from srcgrad.tracing.capture.comprehending import Comprehending
from srcgrad.tracing.capture.computing import Computing
from srcgrad.tracing.capture.conditionals import Choosing
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.drawing import Drawing
from srcgrad.tracing.capture.handing import Handing
from srcgrad.tracing.capture.iterating import Iterating
from srcgrad.tracing.capture.list_building import ListBuilding
from srcgrad.tracing.capture.lookups import Lookups
from srcgrad.tracing.capture.storing import Storing
from srcgrad.tracing.capture.telling import Telling


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
        self.list_building = ListBuilding(context)
        self.iterating = Iterating(context, self.list_building, self.choosing)
        self.comprehending = Comprehending(context, self.list_building, self.iterating)
        self.lookups = Lookups(context, self.list_building, attributes)
        self.handing = Handing(context)
        self.computing = Computing(context, attributes, self.storing, self.handing)
