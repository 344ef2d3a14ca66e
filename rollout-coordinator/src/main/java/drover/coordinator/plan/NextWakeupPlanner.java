package drover.coordinator.plan;

import drover.coordinator.plan.batch.AllTargetsHealthGate;
import drover.coordinator.plan.batch.HoldExpiry;
import drover.coordinator.plan.batch.LateFailureRules;
import drover.coordinator.plan.batch.RollbackAdvancer;
import drover.coordinator.plan.health.EvaluatorFailover;
import drover.coordinator.plan.health.HealthGate;
import drover.coordinator.plan.health.NodeDeadlineEnforcer;
import drover.coordinator.plan.health.OldAgentStopRules;
import drover.coordinator.plan.health.RestoredNodeHealthGate;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Says when a rollout should be looked at again although nothing happens. */
final class NextWakeupPlanner {
    private NextWakeupPlanner() {}

    static @Nullable Instant nextWakeup(StepDraft draft) {
        if (draft.state().isFinal()) {
            return null;
        }
        Instant earliest =
                Stream.of(
                                nodeTimes(draft),
                                rolloutTimes(draft),
                                HoldExpiry.expiryTimes(draft),
                                LateFailureRules.failureDeadlines(draft),
                                AllTargetsHealthGate.wakeupTimes(draft),
                                RestoredNodeHealthGate.healthDeadlines(draft),
                                RollbackAdvancer.orderDeadlines(draft),
                                OldAgentStopRules.handoverDeadlines(draft))
                        .flatMap(times -> times)
                        .filter(time -> time.isBefore(Instant.MAX))
                        .map(time -> time.isBefore(draft.now) ? deadlineChecksStart(draft) : time)
                        .filter(time -> time.isAfter(draft.now))
                        .min(Instant::compareTo)
                        .orElse(Instant.MAX);
        return earliest.equals(Instant.MAX) ? null : earliest;
    }

    private static Stream<Instant> nodeTimes(StepDraft draft) {
        Stream<Instant> deadlines =
                draft.nodesInFlight()
                        .flatMap(
                                node ->
                                        Stream.of(
                                                NodeDeadlineEnforcer.deadline(draft, node),
                                                EvaluatorFailover.switchTime(draft, node)));
        List<NodeUpgrade> observed =
                draft.nodesInFlight()
                        .filter(node -> node.state() instanceof NodeState.Observed)
                        .toList();
        return observed.isEmpty()
                ? deadlines
                : Stream.of(
                                deadlines,
                                noDataDeadlines(draft, observed),
                                Stream.of(HealthGate.observationEnd(draft, observed)))
                        .flatMap(times -> times);
    }

    private static Stream<Instant> noDataDeadlines(StepDraft draft, List<NodeUpgrade> observed) {
        return observed.stream()
                .map(
                        node ->
                                HealthGate.noDataDeadline(
                                        draft, node, (NodeState.Observed) node.state()));
    }

    private static Stream<Instant> rolloutTimes(StepDraft draft) {
        RolloutTimeouts timings = draft.timings;
        Instant since = draft.state().since();
        return switch (draft.state()) {
            case RolloutState.Pending pending ->
                    draft.spec.isInGroup()
                            ? Stream.of()
                            : Stream.of(since.plus(timings.pendingExpiry()));
            case RolloutState.AwaitingApproval waiting ->
                    Stream.of(since.plus(timings.approvalExpiry()));
            default -> Stream.of();
        };
    }

    /** A deadline that is past is judged as soon as the fleet has been in view for long enough. */
    private static Instant deadlineChecksStart(StepDraft draft) {
        Instant complete = draft.fleet.completeViewSince();
        return complete == null ? Instant.MAX : complete.plus(draft.timings.blindGrace());
    }
}
