package drover.coordinator.plan.health;

import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.plan.step.StepDraft;
import drover.model.Digest;
import drover.model.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides when the old agent of a node may go (seed 001): once its successor was heard itself, over
 * a session of its own, at the version and digest that the attempt is about, and running. The old
 * agent's word is not enough, and it never stops by itself; so whoever doubts keeps it alive.
 */
public final class OldAgentStopRules {
    /** Code of the step that lets the old agent go. */
    public static final String SUCCESSOR_SEEN = "SUCCESSOR_SEEN";

    /** Code of a hand-over that the old agent gave up. */
    static final String ABANDONED = "HANDOVER_TAKEN_BACK";

    /** Fifteen times what an agent itself waits for its successor to be seen (60 s). */
    static final Duration STALLED_AFTER = Duration.ofMinutes(15);

    private OldAgentStopRules() {}

    public static void evaluate(StepDraft draft) {
        for (NodeUpgrade node : draft.nodes()) {
            if (node.open()) {
                applyReportedHandover(draft, node);
                detectSuccessor(draft, draft.node(node.id()));
                markStalledIfOverdue(draft, draft.node(node.id()));
            }
        }
    }

    /** What the old agent says: that it began to hand over, or goes back. */
    private static void applyReportedHandover(StepDraft draft, NodeUpgrade node) {
        Optional<AttemptStatus> reported =
                latestStatus(draft, node); // nothing said takes nothing back
        boolean ready = reported.filter(AttemptStatus::handoverReady).isPresent();
        if (ready && node.handover() instanceof Handover.None) {
            draft.putNode(node.withHandover(new Handover.Ready(draft.now, false)));
        } else if (reported.isPresent() && !ready && node.handover() instanceof Handover.Ready) {
            draft.putNodeWithCause(
                    node.withHandover(Handover.none()),
                    new Cause(ABANDONED, "The old agent goes back to itself."));
        }
    }

    private static Optional<AttemptStatus> latestStatus(StepDraft draft, NodeUpgrade node) {
        return draft.fleet
                .latestStatus(node.id())
                .filter(report -> report.attempt() == node.attempt())
                .filter(report -> !report.outcome().isTerminal());
    }

    private static boolean isHandoverReady(StepDraft draft, NodeUpgrade node) {
        return latestStatus(draft, node).filter(AttemptStatus::handoverReady).isPresent();
    }

    private static void detectSuccessor(StepDraft draft, NodeUpgrade node) {
        if (node.handover() instanceof Handover.Ready ready
                && isHandoverReady(draft, node)
                && findSuccessor(draft, node).isPresent()) {
            draft.putNodeWithCause(
                    node.withHandover(ready.markSuccessorSeen(draft.now)),
                    new Cause(
                            SUCCESSOR_SEEN,
                            "Agent "
                                    + targetAgent(draft, node).version()
                                    + " is connected and runs; the one before it is told to stop."));
        }
    }

    private static void markStalledIfOverdue(StepDraft draft, NodeUpgrade node) {
        Instant due = handoverDeadline(node);
        if (due.equals(Instant.MAX) || !draft.canJudgeDeadlines() || !draft.isPast(due)) {
            return;
        }
        draft.putNodeWithCause(
                node.withHandover(toStalled(node.handover())), node.stalledHandoverCause());
    }

    private static Handover toStalled(Handover handover) {
        return switch (handover) {
            case Handover.None none -> none;
            case Handover.Ready ready -> ready.markStalled();
            case Handover.SuccessorSeen seen -> seen.markStalled();
        };
    }

    /** When a person is told; {@link Instant#MAX} when nobody waits or somebody was told. */
    private static Instant handoverDeadline(NodeUpgrade node) {
        if (!node.open() || node.handover().isStalled()) {
            return Instant.MAX;
        }
        return switch (node.handover()) {
            case Handover.None none -> Instant.MAX;
            case Handover.Ready ready -> ready.since().plus(STALLED_AFTER);
            case Handover.SuccessorSeen seen -> seen.since().plus(STALLED_AFTER);
        };
    }

    /** When hand-overs must be looked at although nothing happens. */
    public static Stream<Instant> handoverDeadlines(StepDraft draft) {
        return draft.nodes().stream().map(OldAgentStopRules::handoverDeadline);
    }

    /**
     * What the old agent is told; nothing unless both are there now: a successor that has fallen
     * since would leave the node without any agent.
     */
    public static Optional<Effect.StopOldAgent> findStopEffect(StepDraft draft, NodeUpgrade node) {
        boolean seen = node.handover() instanceof Handover.SuccessorSeen;
        if (!node.open() || !seen || !isHandoverReady(draft, node)) {
            return Optional.empty();
        }
        return findSuccessor(draft, node)
                .map(
                        there ->
                                new Effect.StopOldAgent(
                                        node.id(),
                                        node.attempt(),
                                        there.version(),
                                        new Digest(there.digest())));
    }

    /** The successor that this attempt is about, if it is there. */
    private static Optional<StandbyAgent> findSuccessor(StepDraft draft, NodeUpgrade node) {
        TargetAgent wanted = targetAgent(draft, node);
        return draft.fleet.standby(node.id()).filter(wanted::matches);
    }

    /** The agent that shall be there once the attempt has ended. */
    private record TargetAgent(Version version, String digest) {
        boolean matches(StandbyAgent standby) {
            return standby.running()
                    && standby.digest().equals(digest)
                    && withoutBuildMetadata(standby.version())
                            .equals(withoutBuildMetadata(version.value()));
        }

        /** What follows a plus names a build, not a version (seed 001, On-disk layout). */
        private static String withoutBuildMetadata(String version) {
            int plus = version.indexOf('+');
            return plus < 0 ? version : version.substring(0, plus);
        }
    }

    private static TargetAgent targetAgent(StepDraft draft, NodeUpgrade node) {
        boolean back =
                node.state() instanceof NodeState.Restoring
                        || (node.state() instanceof NodeState.Unreachable lost
                                && lost.restoreOf() != 0);
        NodeTarget target = node.target();
        return back
                ? new TargetAgent(target.sourceVersion(), target.sourceDigest().value())
                : new TargetAgent(
                        draft.spec.targetVersion(),
                        target.artifact(draft.spec).map(own -> own.digest().value()).orElse(""));
    }
}
