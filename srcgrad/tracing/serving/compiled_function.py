"""``CompiledFunction``: the node of a call that ran through generated code."""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from srcgrad.errors import describe, explained, told
from srcgrad.protocols import raw_of
from srcgrad.tape import plain_writes
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, Function, Needed, already_freed, is_needed
from srcgrad.tape.plain_writes import NOTED
from srcgrad.tape.saved import Undo, is_lost, is_refused, version_of_copy
from srcgrad.tape.variable import Variable, restore
from srcgrad.tape.versions import Moment, Version, check
from srcgrad.tracing.graphs.reach import Walk, bits_of, comes_by
from srcgrad.tracing.runs.arm_reach import does_flow
from srcgrad.tracing.runs.replay import NOTHING, Call
from srcgrad.tracing.serving.filled_zeros import has_nan, unharmed
from srcgrad.tracing.serving.linearized import Linearized
from srcgrad.tracing.serving.partial_backwards import Looks, Pause
from srcgrad.tracing.serving.tape_replay import replayed
from srcgrad.tracing.serving.trace import Trace

# Of what was written since a version.
Test = Callable[[Moment], bool]


class CompiledFunction(Function):
    """The node of a call that ran through generated code.

    ``leaves`` are those of the call's arguments, ``inputs`` the arrays and numbers that
    the graph got, ``then`` copies of some of these (``Replay.copied``),
    ``leaf_versions`` the versions of those that are Variables, whether they are saved
    or not. ``walks`` have freed what they would have freed on the tape;
    ``walk`` is the one that is coming by. ``linearized`` is the call on the tape, if
    one had to go there after all; it may have been put there again.
    """

    __slots__ = (
        *("inputs", "linearized", "leaf_versions", "leaves"),
        *("then", "trace", "walk", "walks"),
    )

    gives_own = True  # `partition.result_aliasing` sees to it
    materializes = False

    trace: Trace
    leaves: Sequence[Any] | None
    inputs: Sequence[Any]
    then: Mapping[int, Any]
    leaf_versions: Sequence[Version]
    walk: Walk
    walks: tuple[Walk, ...]
    linearized: tuple[Linearized, ...]

    @property
    def on_the_way(self) -> frozenset[int]:  # type: ignore[override]
        """All results, if there are several: one may be computed from another."""
        return self.trace.gradients.on_the_way

    def edges_of(self, number: int) -> Sequence[Edge]:
        gradients = self.trace.gradients
        leads = functools.partial(gradients.reach.leads, number)
        pairs = zip(self.edges, gradients.ends, strict=True)
        return [edge for edge, end in pairs if edge is not None and leads(end)]

    def leading(
        self, entered: Collection[int], targets: Collection[int], needed: Needed
    ) -> Collection[int]:
        reach, ends = self.trace.gradients.reach, self._ends(targets, needed)
        return [number for number in entered if reach.leads(number, ends)]

    def _ends(self, targets: Collection[int], needed: Needed | None) -> int:
        """What a walk is for, as ends: results that are targets, and leaves."""
        gradients = self.trace.gradients
        bits = 0
        for number in targets:
            bits |= gradients.reach.end(number)
        if needed is None:
            return bits | gradients.all.ends
        for edge, end in zip(self.edges, gradients.ends, strict=True):
            if edge is not None and is_needed(edge, needed):
                bits |= end
        return bits

    # ----- Going back -----

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        trace = self.trace
        is_simple = needed is None and wrap is None and self.metas is None
        if (
            not is_simple
            or self.walks
            or self.linearized
            or trace.replay.has_user_backward
        ):
            return self.pull_back_in_stages(g, needed, wrap, (), {})
        # The common case: one result, everything at once, for the first time.
        self.walk = trace.gradients.all
        for _, version, _ in self.versions:
            if version:  # written into since
                self._check_unchanged(self.walk)
                self._undo_writes()
                break
        if trace.versions.own and self._has_changed_own():
            return self._raws_by_tape(self.walk, (g,), {})
        if NOTED:
            plain_writes.check(self.saved, self)
        try:
            run = trace.module.call_backward
            found: Any = self._unharmed(run, self.saved, (g,))
        except Exception as error:
            return self._pull_back_instead(error, self.walk, (g,), {})
        if found is None:
            return self._raws_by_tape(self.walk, (g,), {}, anew=True)
        dead = trace.gradients.dead
        gradients: Sequence[Any] = (*found, *dead) if dead else found
        return gradients

    def pull_back_in_stages(
        self,
        g: Any,
        needed: Needed | None,
        wrap: Any,
        targets: Collection[int],
        pauses: Mapping[int, Pause],
    ) -> Sequence[Any]:
        gradients = self.trace.gradients
        cotangents: Sequence[Any] = (g,)
        results = 1
        if self.metas is not None:
            cotangents = [each for each in g if each is not None]
            results = bits_of(i for i, each in enumerate(g) if each is not None)
        self.walk = walk = Walk(results, self._ends(targets, needed))
        if NOTED:
            plain_writes.check(self.saved, self)
        if self.walks and gradients.reach.is_over(self.walks, walk):
            raise already_freed()
        if any(linearized.is_over(walk) for linearized in self.linearized):
            raise already_freed()
        self._check_unchanged(walk)
        self._undo_writes()
        # By the arm that ran, the tape tells what a walk to some ends comes by.
        is_part = bool(gradients.by_arm) and walk != gradients.all
        by_tape = is_part or self._has_changed_own()
        if needed is not None:  # on the tape, it would not come by at the others
            pauses = {
                k: f for k, f in pauses.items() if gradients.reach.leads(k, walk.ends)
            }
        if wrap is not None:
            return self._pull_back_on_tape(walk, cotangents, pauses)
        if not gradients.backwards.has_any:
            return gradients.dead
        if by_tape:
            return self._raws_by_tape(walk, cotangents, pauses)
        looks = Looks(pauses)
        run: Any = functools.partial(self._run_route, walk, cotangents, looks.pauses)
        if walk == gradients.all and not pauses and self.saved is not ALL_FREED:
            run = functools.partial(
                self.trace.module.call_backward, self.saved, cotangents
            )
        try:
            found: Any = run() if pauses else self._unharmed(run)
        except Exception as error:
            if looks.error is not None:
                raise  # a hook's
            return self._pull_back_instead(error, walk, cotangents, looks.again)
        is_lost = bool(pauses) and self.trace.fills and has_nan(found)
        if pauses and gradients.by_arm and not is_lost:
            found = self._with_none(found)
        if found is None or is_lost:
            return self._raws_by_tape(walk, cotangents, looks.again, anew=True)
        raws: Sequence[Any] = (*found, *gradients.dead)
        return raws

    def _has_changed_own(self) -> bool:
        """Whether something was written into of which the arms have copies.

        Then the tape tells whether the arm that ran has saved that itself.
        """
        versions = self.leaf_versions
        return bool(versions) and any(versions[k][1] for k in self.trace.versions.own)

    def _unharmed(self, run: Callable[..., Any], *args: Any) -> Any:
        """What a walk back gives; None if zeros in it may have done harm."""
        if self.trace.fills:
            found = unharmed(run, *args)
            found = None if found is None or has_nan(found) else found
        else:
            found = run(*args)
        by_arm = self.trace.gradients.by_arm
        return self._with_none(found) if by_arm and found is not None else found

    def _with_none(self, gradients: Sequence[Any]) -> Any:
        """Gradients with None where nothing flows; None if the tape has to tell.

        What is not all zeros has come from somewhere.
        """
        found = [*gradients]
        for number, flow in self.trace.gradients.by_arm:
            g = found[number]
            if g.any() if g.shape else g:
                continue
            if does_flow(flow, self.saved) is not False:
                return None
            found[number] = None
        return found

    def _run_route(
        self, walk: Walk, cotangents: Sequence[Any], pauses: Mapping[int, Pause]
    ) -> Sequence[Any]:
        gradients = self.trace.gradients
        route = gradients.backwards.route(walk, tuple(pauses))
        if self.saved is not ALL_FREED:
            return route.run(self.saved, cotangents, pauses)
        if route.reads:
            raise already_freed()
        return route.run(gradients.nothing_saved, cotangents, pauses)

    def _pull_back_instead(
        self,
        error: Exception,
        walk: Walk,
        cotangents: Sequence[Any],
        pauses: Mapping[int, Pause],
    ) -> Sequence[Any]:
        """Decide whose an error of generated code is: the user's, if the tape has it.

        Raises
        ------
        Exception
            The user's own.
        """
        if self.leaves is None:
            raise error
        try:
            found = self._raws_by_tape(walk, cotangents, pauses)
        except Exception as users:
            raise error from (None if told(users) == told(error) else users)
        self.trace.report(error)
        return found

    def _undo_writes(self) -> None:
        """Put what was overwritten since the call, and kept, back into what it holds.

        A user's ``backward`` gets what there is now: that is checked.
        """
        versions = (*self.leaf_versions, *self.versions)
        is_changed = any(moment for _, moment, _ in versions)
        if not is_changed or self.trace.replay.has_user_backward:
            return
        undo = Undo([entry for entry in versions if not is_lost(entry[1])])

        def renewed(entry: Version) -> Version:
            before = undo(entry[2])
            return entry if before is entry[2] else version_of_copy(entry, before)

        self.saved, self.inputs = undo(self.saved), undo(self.inputs)
        self.versions = tuple(map(renewed, self.versions))
        self.leaf_versions = tuple(map(renewed, self.leaf_versions))

    def _check_unchanged(self, walk: Walk) -> None:
        """Raise if something that a walk needs is not known as it was at the call.

        That is what was saved, and, where it runs, a user's ``backward``. What the tape
        would have saved it would refuse if it was written into under ``no_grad``.

        Raises
        ------
        RuntimeError
            Saying what.
        """
        pairs = zip(self.versions, self.trace.versions.buffers, strict=False)
        leaves = self.leaf_versions
        own = {id(leaves[k][2]) for k in self.trace.versions.own} if leaves else ()
        for version, buffers in pairs:
            if id(version[2]) in own:
                continue
            if any(comes_by(walk, buffer) for buffer in buffers):
                self._refuse([version], is_refused)
            elif not buffers:  # generated code reads what the tape does not
                self._refuse([version], is_lost)
        if not self.trace.replay.has_user_backward:
            return
        changed = self.trace.guards.read(self.leaves or (), [])
        if isinstance(changed, str):
            raise explained(
                RuntimeError(f"{changed} between a call and its backward pass"),
                f"the call was at {describe(self.where)}",
                "call the traced function again",
                kind="changed-since",
            )

    def _refuse(self, versions: Iterable[Version], is_gone: Test) -> None:
        """Raise if an array has been written into, in a way that there is no way back.

        Raises
        ------
        InplaceError
            Naming both places.
        """
        if self.trace.replay.has_user_backward:  # no write is undone
            is_gone = bool
        check([v for v in versions if is_gone(v[1])], self.where, self.name())

    # ----- Going back on the tape -----

    def _raws_by_tape(
        self,
        walk: Walk,
        cotangents: Sequence[Any],
        pauses: Mapping[int, Pause],
        anew: bool = False,
    ) -> Sequence[Any]:
        """The gradients as arrays and numbers.

        ``anew``: whatever this very walk has freed of the call on the tape before.
        """
        if self.leaves is None:
            raise already_freed()
        given = [Variable.make(g, None) for g in cotangents]
        linearized, self.linearized = self.linearized, () if anew else self.linearized
        found = self._pull_back_on_tape(walk, given, pauses)
        self.linearized = linearized if anew and linearized else self.linearized
        return [None if g is None else raw_of(g) for g in found]

    def _pull_back_on_tape(
        self, walk: Walk, cotangents: Sequence[Any], pauses: Mapping[int, Pause]
    ) -> Sequence[Any]:
        """Gradients that can be differentiated again: the call runs on the tape.

        A result that others are computed from keeps its edge to this node there, so
        that cotangents stop at it: hooks see their sum, and second derivatives, too,
        lead here rather than into a tape that nobody holds.
        """
        reach, starts = self.trace.gradients.reach, self._starts()
        moved = {
            start: (self, k) for k, start in enumerate(starts) if start is not None
        }

        def wrap(raw: Any, edge: Any, storage: Any) -> Any:
            return restore(raw, moved.get(edge, edge), storage)

        present = [
            number for number in range(len(starts)) if walk.results >> number & 1
        ]
        totals: dict[Edge, Any] = dict(
            zip([(self, number) for number in present], cotangents, strict=True)
        )
        pairs = zip(self.edges, self.trace.gradients.ends, strict=True)
        # What the walk is not for it does not come by: it may have been written into.
        targets = [
            *(edge for edge, end in pairs if edge is not None and end & walk.ends),
            *((self, k) for k in reach.inner if reach.leads(k, walk.ends)),
        ]
        for number in reach.order:
            g = totals.pop((self, number), None)
            if g is None:
                continue
            if number in pauses:
                g = pauses[number](g)
            if starts[number] is None:  # no gradient flows from it: a sum of signs
                continue
            engine = ExecutionEngine(True, wrap, True, is_inner=True)
            for edge, more in engine.run_backward([(starts[number], g)], targets):
                before = totals.get(edge)
                totals[edge] = more if before is None else before + more
        return [None if edge is None else totals.get(edge) for edge in self.edges]

    def _starts(self) -> list[Edge]:
        """Where walks back start on the tape, where the call is put at the first."""
        for linearized in self.linearized:
            if (starts := linearized.starts) is not None:
                return starts
        self._undo_writes()
        self._refuse(self._versions_needed(), is_lost)
        ends, reach = self.trace.gradients.ends, self.trace.gradients.reach
        starts = self._run_on_tape()
        before = (linearized for linearized in self.linearized if linearized.matters)
        self.linearized = *before, Linearized(self, starts, self.edges, ends, reach)
        return starts

    def _run_on_tape(self) -> list[Edge]:
        """Put the call on the tape; where walks back from its results start."""
        trace = self.trace
        edges = dict(zip(trace.gradients.leaves, self.edges, strict=True))
        call = None
        if self.leaves is not None:
            versions = self.leaf_versions, self.versions
            saved = self.saved or ()
            call = Call(self.leaves, self.inputs, saved, *versions, self.then)
        inner: dict[int, Edge] = {
            trace.gradients.outputs[number]: (self, number)
            for number in trace.gradients.reach.inner
        }
        return replayed(trace, call, edges, inner, self.where)

    def _versions_needed(self) -> list[Version]:
        """The versions of the arguments that something has to be computed of again."""
        needed = () if self.leaves is None else self.trace.replay.needed_versions
        return [self.leaf_versions[k] for k in needed]

    def find_anomaly(self, g: Any) -> None:
        """Walk through the graph on the tape, which raises at the line."""
        if self.leaves is None or any(
            moment for _, moment, _ in self._versions_needed()
        ):
            return
        cotangents: Sequence[Any] = (g,) if self.metas is None else g
        present = [i for i, each in enumerate(cotangents) if each is not None]
        starts = self._run_on_tape()
        roots = [(starts[i], cotangents[i]) for i in present if starts[i] is not None]
        targets = [edge for edge in self.edges if edge is not None]
        ExecutionEngine(True, is_inner=True).run_backward(roots, targets)

    def free(self) -> None:
        gradients = self.trace.gradients
        reach = gradients.reach
        for linearized in self.linearized:
            linearized.free(self.walk)
        if gradients.by_arm and self.walk != gradients.all:
            return  # that went by the tape
        self.walks = (*self.walks, self.walk)
        if not reach.buffers:
            # The tape holds nothing, and can be walked again: so can this.
            if not gradients.nothing_saved and not self.trace.replay.has_user_backward:
                self._let_go()
        elif self.walk is gradients.all or reach.is_all_freed(self.walks):
            self.saved = ALL_FREED
            self._let_go()

    def _let_go(self) -> None:
        """Hold no argument any more."""
        self.leaves = None
        self.inputs = self.linearized = ()
        self.then = NOTHING
        self.versions = self.leaf_versions = ()


# Stands for what a node has saved, when the tape would have freed all of that.
ALL_FREED: Any = object()
