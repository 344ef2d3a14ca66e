package drover.coordinator.api.rollout;

import drover.coordinator.plan.explain.RolloutAsOf;
import drover.coordinator.plan.explain.RolloutAsOf.LastTransition;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.RolloutViews.ActorAndTime;
import drover.coordinator.store.rollout.RolloutViews.NumberedHistoryEntry;
import drover.coordinator.store.rollout.RolloutViews.RolloutWithMetadata;
import drover.model.NodeId;
import drover.model.OptionalEnumParser;
import drover.rollout.v1.BatchPhase;
import drover.rollout.v1.FailureReason;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A rollout as it was at a past moment, as the contracts say it. */
final class RolloutAsOfProtos {
    private static final Optional<drover.coordinator.plan.model.BatchPhase> PROMOTED =
            Optional.of(drover.coordinator.plan.model.BatchPhase.PROMOTED);

    private RolloutAsOfProtos() {}

    static LastTransition toLastTransition(NumberedHistoryEntry entry) {
        HistoryEntry row = entry.entry();
        return new LastTransition(
                row.subject(),
                row.node().isEmpty() ? null : new NodeId(row.node()),
                row.from(),
                row.to(),
                row.because(),
                row.at());
    }

    /** What was frozen at creation stays; what moves is as it was; what nobody kept is left out. */
    static drover.rollout.v1.Rollout toRolloutAsOf(
            RolloutWithMetadata view, RolloutAsOf past, Instant at) {
        Rollout rollout = view.rollout();
        LastTransition last = past.lastRolloutTransition();
        drover.rollout.v1.Rollout.Builder proto =
                RolloutProtos.toRollout(rollout, past.counters(), view.facts())
                        .clearRevision()
                        .clearAcknowledgedFailures()
                        .clearPauseReason()
                        .clearFailureReason()
                        .clearPausedFrom()
                        .clearBatches()
                        .setStatus(RolloutProtos.parseStatusOrUnspecified(last.to()))
                        .setExplanation(last.because().sentence())
                        .setCurrentBatch(currentBatch(rollout, past));
        if (last.to().equals("paused")) {
            proto.setPauseReason(toPauseReason(last))
                    .setPausedFrom(RolloutProtos.parseStatusOrUnspecified(last.from()));
        } else if (last.to().equals("failed")) {
            proto.setFailureReason(toFailureReason(last));
        }
        clearLaterFields(proto, view, at);
        rollout.batches().forEach(batch -> proto.addBatches(toBatch(rollout, batch, past)));
        return proto.build();
    }

    private static void clearLaterFields(
            drover.rollout.v1.Rollout.Builder proto, RolloutWithMetadata view, Instant at) {
        Instant started = view.facts().startedAt();
        Instant finished = view.facts().finishedAt();
        if (started != null && started.isAfter(at)) {
            proto.clearStartedAt();
        }
        if (finished != null && finished.isAfter(at)) {
            proto.clearFinishedAt();
        }
        if (isLater(view.facts().forced(), at)) {
            proto.clearForcedBy().clearForcedAt();
        }
        if (isLater(view.facts().approved(), at)) {
            proto.clearApprovedBy().clearApprovedAt();
        }
    }

    private static boolean isLater(@Nullable ActorAndTime deed, Instant at) {
        return deed != null && deed.at().isAfter(at);
    }

    /** A reason that only a later version has is unspecified; the sentence beside it tells. */
    private static FailureReason toFailureReason(LastTransition failure) {
        String name = "FAILURE_REASON_" + failure.because().code();
        return OptionalEnumParser.byName(FailureReason.class, name)
                .orElse(FailureReason.FAILURE_REASON_UNSPECIFIED);
    }

    /** A pause that no rule gave a reason for is an operator's. */
    private static PauseReason toPauseReason(LastTransition pause) {
        return drover.coordinator.plan.model.PauseReason.ofCode(pause.because().code())
                .map(reason -> PauseReason.valueOf("PAUSE_REASON_" + reason.name()))
                .orElse(PauseReason.PAUSE_REASON_OPERATOR);
    }

    private static int currentBatch(Rollout rollout, RolloutAsOf past) {
        return rollout.batches().stream()
                .filter(batch -> !past.phase(batch).equals(PROMOTED))
                .mapToInt(Batch::index)
                .findFirst()
                .orElse(Math.max(0, rollout.batches().size() - 1));
    }

    private static drover.rollout.v1.Batch toBatch(Rollout rollout, Batch batch, RolloutAsOf past) {
        List<NodeId> own = rollout.nodesInBatch(batch.index()).map(NodeUpgrade::id).toList();
        return drover.rollout.v1.Batch.newBuilder()
                .setIndex(batch.index())
                .setCanary(batch.canary())
                .setPhase(
                        past.phase(batch)
                                .map(phase -> BatchPhase.valueOf("BATCH_PHASE_" + phase.name()))
                                .orElse(BatchPhase.BATCH_PHASE_UNSPECIFIED))
                .setNodes(own.size())
                .setSucceeded(
                        (int)
                                own.stream()
                                        .filter(node -> past.status(node).equals("succeeded"))
                                        .count())
                .setFailed((int) own.stream().filter(past::hadFailed).count())
                .build();
    }

    /** A reason that held then, since the move that brought it. */
    static Reason toReason(LastTransition move) {
        NodeId node = move.node();
        return Reason.newBuilder()
                .setAt(RolloutProtos.toTimestamp(move.at()))
                .setCode(move.because().code())
                .setSentence(move.because().sentence())
                .setNodeId(node == null ? "" : node.value())
                .setActor("drover")
                .build();
    }
}
