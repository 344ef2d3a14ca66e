package drover.coordinator.api.rollout;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.UpgradePhase;
import drover.coordinator.api.DependencyErrorInterceptor;
import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.peers.AgentReportConverter;
import drover.coordinator.plan.batch.CanaryEvidence;
import drover.coordinator.plan.batch.InactiveBatchRule;
import drover.coordinator.plan.explain.FinishByForecast;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.TwoPersonRule;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.RolloutViews.LastAgentReport;
import drover.coordinator.store.rollout.RolloutViews.NumberedHistoryEntry;
import drover.coordinator.store.rollout.RolloutViews.RolloutMetadata;
import drover.coordinator.store.rollout.RolloutViews.UnreadableRollout;
import drover.manifest.v1.MigrationType;
import drover.model.NodeId;
import drover.model.OptionalEnumParser;
import drover.model.Version;
import drover.model.program.DownloadAddress;
import drover.node.v1.SkipReason;
import drover.rollout.v1.Batch;
import drover.rollout.v1.BatchPhase;
import drover.rollout.v1.FailureReason;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.OnFailure;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.RollbackHealth;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.ScheduleStatus;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rollouts as the contracts say them. */
public final class RolloutProtos {
    private RolloutProtos() {}

    static Rollout.Builder toRollout(
            drover.coordinator.plan.model.Rollout rollout,
            NodeCounters counters,
            RolloutMetadata facts) {
        Rollout.Builder proto = Rollout.newBuilder();
        setSpec(proto, rollout.spec());
        setCounters(proto, counters);
        setState(proto, rollout.state());
        proto.setRollbackHealth(toRollbackHealth(rollout.effectiveRollbackHealth()));
        setFacts(proto, facts);
        proto.setNotRollbackableNodes(rollout.notRollbackableCount());
        proto.setHeldNodes(
                (int)
                        rollout.nodes().values().stream()
                                .filter(node -> node.state() instanceof NodeState.Held)
                                .count());
        rollout.batches().forEach(batch -> proto.addBatches(toBatch(rollout, batch)));
        proto.setTwoPersonRule(TwoPersonRule.secondPersonReason(rollout.spec(), counters.total()));
        return proto.setId(rollout.id().value())
                .setRevision(rollout.revision())
                .setAcknowledgedFailures(rollout.acknowledgedFailures())
                .setCurrentBatch(rollout.currentBatch());
    }

    /** Of one that a later version wrote, what every version can say. */
    static Rollout.Builder toUnreadableRollout(UnreadableRollout unread) {
        Rollout.Builder proto = Rollout.newBuilder();
        setCounters(proto, unread.counters());
        setFacts(proto, unread.facts());
        return proto.setId(unread.id().value())
                .setChainProfileId(unread.chain())
                .setBinaryName(unread.binary())
                .setTargetVersion(unread.targetVersion())
                .setStatus(parseStatusOrUnspecified(unread.status()))
                .setExplanation(DependencyErrorInterceptor.laterVersionMessage("this rollout"));
    }

    /** A status that only a later version has is unspecified; people read it as unknown. */
    static RolloutStatus parseStatusOrUnspecified(String word) {
        String name = "ROLLOUT_STATUS_" + word.toUpperCase(Locale.ROOT);
        return OptionalEnumParser.byName(RolloutStatus.class, name)
                .orElse(RolloutStatus.ROLLOUT_STATUS_UNSPECIFIED);
    }

    private static void setSpec(Rollout.Builder proto, RolloutSpec spec) {
        proto.setChainProfileId(spec.chain().value())
                .setNodeType(spec.nodeType())
                .setBinaryName(spec.binary().value())
                .setSourceVersion(
                        spec.sourceVersions().stream()
                                .map(Version::value)
                                .collect(Collectors.joining(", ")))
                .setTargetVersion(spec.targetVersion().value())
                .setTargetBinaryUrl(DownloadAddress.redact(spec.targetUrl()))
                .setTargetBinaryChecksum(
                        spec.targetUrl().isEmpty() ? "" : spec.targetDigest().value())
                .setMaxInFlight(spec.maxInFlight())
                .setHealthWaitDuration(Durations.fromMillis(spec.healthWait().toMillis()))
                .setManifestContentHash(spec.manifestHash())
                .setUpgradeId(spec.upgradeId())
                .setMigrationType(
                        MigrationType.valueOf("MIGRATION_TYPE_" + spec.migration().name()))
                .setRollbackTier(
                        RollbackTier.valueOf(
                                "ROLLBACK_TIER_TIER_" + spec.migration().rollbackTier()))
                .setRecoveryPlan(spec.recoveryPlan())
                .setOfflineBudget(spec.offlineBudget())
                .setForceContinue(spec.strategy().ignoresFailures())
                .setSkipValidation(spec.strategy().skipsValidation())
                .setBatchSize(spec.strategy().batchSize())
                .setGroupId(spec.membership().group())
                .setComponentIndex(spec.membership().index());
        setPolicy(proto, spec.conduct());
        switch (spec.strategy()) {
            case Strategy.Rolling rolling -> proto.setStrategy(toStrategy("ROLLING"));
            case Strategy.Canary canary ->
                    proto.setStrategy(toStrategy("CANARY")).setCanarySize(canary.canarySize());
            case Strategy.Progressive progressive -> proto.setStrategy(toStrategy("PROGRESSIVE"));
            case Strategy.AllAtOnce all -> proto.setStrategy(toStrategy("ALL_AT_ONCE"));
        }
        switch (spec.threshold()) {
            case Threshold.Count(int tolerated) -> proto.setFailureThreshold(tolerated);
            case Threshold.Percent(int tolerated) -> proto.setFailureThresholdPercent(tolerated);
        }
    }

    static RollbackHealth toRollbackHealth(
            drover.coordinator.plan.model.RollbackHealthPolicy health) {
        return RollbackHealth.valueOf("ROLLBACK_HEALTH_" + health.name());
    }

    private static void setPolicy(Rollout.Builder proto, RolloutPolicy conduct) {
        proto.setUnhealthyBudget(conduct.unhealthyBudget())
                .setOrder(conduct.order().toText())
                .addAllLastNodeIds(conduct.order().last().stream().map(NodeId::value).toList());
        proto.setOnFailure(OnFailure.valueOf("ON_FAILURE_" + conduct.onFailure().name()))
                .addAllExpectedFailureReasons(
                        conduct.expected().reasons().stream().sorted().toList())
                .setMaxExpectedFailures(conduct.expected().atMost());
        Instant finishBy = conduct.finishBy();
        if (finishBy != null) {
            proto.setFinishBy(toTimestamp(finishBy));
        }
    }

    static void setEvidence(Rollout.Builder proto, CanaryEvidence evidence) {
        proto.setEvidence(
                drover.rollout.v1.Evidence.newBuilder()
                        .setDigest(evidence.digest().value())
                        .addAllLines(evidence.lines()));
    }

    static void setScheduleStatus(Rollout.Builder proto, FinishByForecast punctuality) {
        proto.setScheduleStatus(
                ScheduleStatus.valueOf("SCHEDULE_STATUS_" + punctuality.outlook().name()));
        Instant end = punctuality.expectedEnd();
        if (end != null) {
            proto.setForecastEnd(toTimestamp(end));
        }
    }

    private static drover.rollout.v1.Strategy toStrategy(String name) {
        return drover.rollout.v1.Strategy.valueOf("STRATEGY_" + name);
    }

    private static void setCounters(Rollout.Builder proto, NodeCounters counters) {
        proto.setTotalNodes(counters.total())
                .setSucceededNodes(counters.succeeded())
                .setFailedNodes(counters.failed())
                .setPendingNodes(counters.pending())
                .setSkippedNodes(counters.skipped())
                .setRolledBackNodes(counters.rolledBack());
    }

    private static void setState(Rollout.Builder proto, RolloutState state) {
        proto.setStatus(toStatus(state));
        if (state instanceof RolloutState.Paused paused) {
            proto.setPauseReason(PauseReason.valueOf("PAUSE_REASON_" + paused.reason().name()))
                    .setPausedFrom(toStatus(paused.from()));
        } else if (state instanceof RolloutState.Failed failed) {
            proto.setFailureReason(
                    FailureReason.valueOf("FAILURE_REASON_" + failed.reason().name()));
        }
    }

    public static RolloutStatus toStatus(RolloutState state) {
        return RolloutStatus.valueOf(
                "ROLLOUT_STATUS_" + StateNameFormatter.of(state).toUpperCase(Locale.ROOT));
    }

    private static void setFacts(Rollout.Builder proto, RolloutMetadata facts) {
        proto.setTraceId(facts.traceId())
                .setCreatedBy(facts.createdBy())
                .setCreatedAt(toTimestamp(facts.createdAt()));
        if (facts.startedAt() != null) {
            proto.setStartedAt(toTimestamp(facts.startedAt()));
        }
        if (facts.finishedAt() != null) {
            proto.setFinishedAt(toTimestamp(facts.finishedAt()));
        }
        if (facts.prunedAt() != null) {
            proto.setHistoryPrunedAt(toTimestamp(facts.prunedAt()));
        }
        if (facts.forced() != null) {
            proto.setForcedBy(facts.forced().by()).setForcedAt(toTimestamp(facts.forced().at()));
        }
        if (facts.approved() != null) {
            proto.setApprovedBy(facts.approved().by())
                    .setApprovedAt(toTimestamp(facts.approved().at()));
        }
    }

    private static Batch toBatch(
            drover.coordinator.plan.model.Rollout rollout,
            drover.coordinator.plan.model.Batch batch) {
        List<NodeUpgrade> own = rollout.nodesInBatch(batch.index()).toList();
        return Batch.newBuilder()
                .setIndex(batch.index())
                .setCanary(batch.canary())
                .setPhase(
                        InactiveBatchRule.isStalled(rollout, batch)
                                ? BatchPhase.BATCH_PHASE_STOPPED
                                : BatchPhase.valueOf("BATCH_PHASE_" + batch.phase().name()))
                .setNodes(own.size())
                .setSucceeded(
                        (int)
                                own.stream()
                                        .filter(n -> n.state() instanceof NodeState.Succeeded)
                                        .count())
                .setFailed((int) own.stream().filter(node -> node.state().isFailure()).count())
                .build();
    }

    static RolloutNode toNode(
            drover.coordinator.plan.model.Rollout rollout,
            NodeUpgrade node,
            @Nullable LastAgentReport report,
            drover.coordinator.plan.observed.Cause cause) {
        AttemptStatus status =
                report == null
                        ? AttemptStatus.getDefaultInstance()
                        : AgentReportConverter.parseOrDefault(report.bytes());
        RolloutNode.Builder proto =
                RolloutNode.newBuilder()
                        .setRolloutId(rollout.id().value())
                        .setNodeId(node.id().value())
                        .setBatchIndex(node.batch())
                        .setStatus(
                                NodeUpgradeStatus.valueOf(
                                        "NODE_UPGRADE_STATUS_"
                                                + StateNameFormatter.of(node.state())
                                                        .toUpperCase(Locale.ROOT)))
                        .setUpgradePhase(toPhase(node))
                        .setPreviousVersion(node.target().sourceVersion().value())
                        .setPreviousBinaryUrl(DownloadAddress.redact(node.target().sourceUrl()))
                        .setPreviousChecksum(node.target().sourceDigest().value())
                        .setAttemptCount(node.attempts())
                        .setAttempt(node.attempt())
                        .setAction(node.state().isInFlight() ? node.progress().action() : "")
                        .setProgressPercent(
                                node.state().isInFlight() ? node.progress().percent() : 0)
                        .setReason(cause.code())
                        .setRunningChecksum(node.running())
                        .addAllActions(status.getActionsList())
                        .setAttemptOpen(node.open())
                        .setLogTail(status.getLogTail())
                        .setNotRollbackable(node.isNotRollbackable());
        node.target()
                .artifact(rollout.spec())
                .ifPresent(
                        artifact ->
                                proto.setTargetChecksum(artifact.digest().value())
                                        .setTargetBinaryUrl(
                                                DownloadAddress.redact(artifact.url())));
        boolean quiet =
                node.state() instanceof NodeState.Succeeded
                        || (node.state() instanceof NodeState.RolledBack back
                                && back.finding().isEmpty());
        proto.setErrorMessage(quiet ? "" : cause.sentence());
        if (node.state() instanceof NodeState.Skipped skipped) {
            proto.setSkipReason(SkipReason.valueOf("SKIP_REASON_" + skipped.reason().name()));
        }
        if (node.state() instanceof NodeState.Held held) {
            proto.setHeldUntil(toTimestamp(held.until()));
        }
        if (report != null) {
            proto.setUpdatedAt(toTimestamp(report.updatedAt()));
        }
        return proto.build();
    }

    private static UpgradePhase toPhase(NodeUpgrade node) {
        var phase = node.phase();
        return phase == null
                ? UpgradePhase.UPGRADE_PHASE_UNSPECIFIED
                : UpgradePhase.valueOf("UPGRADE_PHASE_" + phase.name());
    }

    public static Reason toReason(NumberedHistoryEntry entry) {
        HistoryEntry row = entry.entry();
        String moved =
                row.from().equals(row.to()) || row.from().isEmpty()
                        ? row.to()
                        : row.from() + " → " + row.to();
        return Reason.newBuilder()
                .setAt(toTimestamp(row.at()))
                .setCode(row.because().code())
                .setSentence(row.subject() + " " + moved + ": " + row.because().sentence())
                .setNodeId(row.node())
                .setActor(row.actor())
                .setSequence(entry.seq())
                .build();
    }

    public static RequestReceipt toReceipt(RolloutRequestSubmitter.Receipt receipt) {
        return RequestReceipt.newBuilder()
                .setId(receipt.id().toString())
                .setState(
                        receipt.pending()
                                ? RequestState.REQUEST_STATE_PENDING
                                : RequestState.REQUEST_STATE_APPLIED)
                .build();
    }

    public static Timestamp toTimestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
