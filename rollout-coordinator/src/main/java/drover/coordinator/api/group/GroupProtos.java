package drover.coordinator.api.group;

import drover.coordinator.api.DependencyErrorInterceptor;
import drover.coordinator.api.rollout.CreationRequestProtos;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupExplainer;
import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.GroupSpec;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.GroupStateNames;
import drover.coordinator.plan.group.UnvalidatedGroupCreationRequest;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.group.GroupViews.ComponentSummary;
import drover.coordinator.store.group.GroupViews.GroupWithComponents;
import drover.coordinator.store.group.GroupViews.ListedGroup;
import drover.coordinator.store.group.GroupViews.NumberedHistoryEntry;
import drover.coordinator.store.group.GroupViews.UnreadableGroup;
import drover.model.OptionalEnumParser;
import drover.model.Version;
import drover.rollout.v1.ComponentProgress;
import drover.rollout.v1.CreateRolloutGroupRequest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.FailureReason;
import drover.rollout.v1.GroupFailureReason;
import drover.rollout.v1.GroupPauseReason;
import drover.rollout.v1.PauseReason;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.RolloutGroupStage;
import drover.rollout.v1.RolloutGroupStatus;
import drover.rollout.v1.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Groups as the contracts say them. */
final class GroupProtos {
    private static final String STRATEGY = "STRATEGY_";

    private GroupProtos() {}

    static UnvalidatedGroupCreationRequest toCreationRequest(CreateRolloutGroupRequest request) {
        List<UnvalidatedGroupCreationRequest.ComponentCreation> components = new ArrayList<>();
        request.getComponentOrderList()
                .forEach(
                        component ->
                                components.add(
                                        new UnvalidatedGroupCreationRequest.ComponentCreation(
                                                component.hasComponentIndex()
                                                        ? component.getComponentIndex()
                                                        : -1,
                                                CreationRequestProtos.toCreationRequest(
                                                        toComponentRequest(request, component)))));
        return new UnvalidatedGroupCreationRequest(
                request.getChainProfileId(),
                toFailurePolicy(request.getFailurePolicy()),
                request.getStrategy() == Strategy.STRATEGY_UNSPECIFIED
                        ? ""
                        : toStoredName(request.getStrategy().name(), STRATEGY),
                request.getDesiredVersionsMap(),
                components);
    }

    /** What a component leaves out is the group's; its version is the desired one. */
    private static CreateRolloutRequest toComponentRequest(
            CreateRolloutGroupRequest group, drover.rollout.v1.GroupComponent component) {
        CreateRolloutRequest.Builder rollout =
                CreateRolloutRequest.newBuilder()
                        .setChainProfileId(group.getChainProfileId())
                        .setNodeType(orGroupValue(component.getNodeType(), group.getNodeType()))
                        .setUpgradeId(component.getUpgradeId())
                        .setBinaryName(component.getBinaryName())
                        .setSourceVersion(component.getSourceVersion())
                        .addAllSourceVersions(component.getSourceVersionsList())
                        .setTargetVersion(
                                group.getDesiredVersionsOrDefault(component.getBinaryName(), ""))
                        .setTargetBinaryUrl(component.getTargetBinaryUrl())
                        .setTargetBinaryChecksum(component.getTargetBinaryChecksum())
                        .addAllConfigChanges(component.getConfigChangesList())
                        .setMigrationType(component.getMigrationType())
                        .setRecoveryPlan(component.getRecoveryPlan())
                        .setAcknowledgeStateRisk(component.getAcknowledgeStateRisk())
                        .setManifestContentHash(component.getManifestContentHash())
                        .setForceContinue(component.getForceContinue())
                        .setSkipValidation(component.getSkipValidation())
                        .addAllNodeIds(group.getNodeIdsList())
                        .addAllExclude(group.getExcludeList())
                        .putAllNodeSelector(group.getNodeSelectorMap());
        setStrategyAndLimits(rollout, group, component);
        return rollout.build();
    }

    private static void setStrategyAndLimits(
            CreateRolloutRequest.Builder rollout,
            CreateRolloutGroupRequest group,
            drover.rollout.v1.GroupComponent component) {
        boolean ownStrategy = component.getStrategy() != Strategy.STRATEGY_UNSPECIFIED;
        Strategy strategy = ownStrategy ? component.getStrategy() : group.getStrategy();
        boolean canary = strategy == Strategy.STRATEGY_CANARY;
        rollout.setStrategy(strategy)
                .setBatchSize(orGroupValue(component.getBatchSize(), group.getBatchSize()))
                // The group's is for those components alone that have a canary.
                .setCanarySize(
                        orGroupValue(component.getCanarySize(), canary ? group.getCanarySize() : 0))
                .setMaxInFlight(orGroupValue(component.getMaxInFlight(), group.getMaxInFlight()))
                .setOfflineBudget(
                        orGroupValue(component.getOfflineBudget(), group.getOfflineBudget()));
        boolean ownThreshold =
                component.getFailureThreshold() != 0 || component.getFailureThresholdPercent() != 0;
        rollout.setFailureThreshold(
                        ownThreshold
                                ? component.getFailureThreshold()
                                : group.getFailureThreshold())
                .setFailureThresholdPercent(
                        ownThreshold
                                ? component.getFailureThresholdPercent()
                                : group.getFailureThresholdPercent());
        if (component.hasHealthWaitDuration()) {
            rollout.setHealthWaitDuration(component.getHealthWaitDuration());
        } else if (group.hasHealthWaitDuration()) {
            rollout.setHealthWaitDuration(group.getHealthWaitDuration());
        }
    }

    private static String orGroupValue(String own, String groups) {
        return own.isEmpty() ? groups : own;
    }

    private static int orGroupValue(int own, int groups) {
        return own == 0 ? groups : own;
    }

    private static @Nullable GroupFailurePolicy toFailurePolicy(
            drover.rollout.v1.FailurePolicy policy) {
        return switch (policy) {
            case FAILURE_POLICY_PARTIAL_OK -> GroupFailurePolicy.PARTIAL_OK;
            case FAILURE_POLICY_ROLLBACK_ALL -> GroupFailurePolicy.ROLLBACK_ALL;
            case FAILURE_POLICY_MANUAL -> GroupFailurePolicy.MANUAL;
            case FAILURE_POLICY_UNSPECIFIED, UNRECOGNIZED -> null;
        };
    }

    static RolloutGroup toListEntry(ListedGroup listed) {
        return switch (listed) {
            case GroupWithComponents view -> toGroup(view);
            case UnreadableGroup unread -> toUnreadableGroup(unread);
        };
    }

    /** Of one that a later version wrote, what every version can say. */
    private static RolloutGroup toUnreadableGroup(UnreadableGroup unread) {
        RolloutGroup.Builder proto =
                RolloutGroup.newBuilder()
                        .setId(unread.id().value())
                        .setChainProfileId(unread.chain())
                        .setStatus(parseStatus(unread.status()))
                        .setExplanation(
                                DependencyErrorInterceptor.laterVersionMessage(
                                        "this group or one of its components"));
        setCreatorAndTimes(proto, unread);
        return proto.build();
    }

    private static RolloutGroupStatus parseStatus(String word) {
        String name = "ROLLOUT_GROUP_STATUS_" + word.toUpperCase(Locale.ROOT);
        return OptionalEnumParser.byName(RolloutGroupStatus.class, name)
                .orElse(RolloutGroupStatus.ROLLOUT_GROUP_STATUS_UNSPECIFIED);
    }

    private static void setCreatorAndTimes(RolloutGroup.Builder proto, ListedGroup listed) {
        proto.setCreatedBy(listed.createdBy())
                .setCreatedAt(RolloutProtos.toTimestamp(listed.createdAt()));
        if (listed.startedAt() != null) {
            proto.setStartedAt(RolloutProtos.toTimestamp(listed.startedAt()));
        }
        if (listed.finishedAt() != null) {
            proto.setFinishedAt(RolloutProtos.toTimestamp(listed.finishedAt()));
        }
    }

    static RolloutGroup toGroup(GroupWithComponents view) {
        GroupSpec spec = view.group().spec();
        RolloutGroup.Builder proto =
                RolloutGroup.newBuilder()
                        .setId(view.group().id().value())
                        .setChainProfileId(spec.chain().value())
                        .setFailurePolicy(
                                drover.rollout.v1.FailurePolicy.valueOf(
                                        "FAILURE_POLICY_" + spec.policy().name()))
                        .putAllDesiredVersions(
                                spec.components().stream()
                                        .collect(
                                                Collectors.toMap(
                                                        one -> one.binary().value(),
                                                        one -> one.desired().value())))
                        .setStrategy(
                                spec.strategy().isEmpty()
                                        ? Strategy.STRATEGY_UNSPECIFIED
                                        : Strategy.valueOf(
                                                STRATEGY
                                                        + spec.strategy().toUpperCase(Locale.ROOT)))
                        .setRevision(view.group().revision())
                        .setExplanation(GroupExplainer.explain(view.group()).sentence());
        for (int i = 0; i < view.components().size(); i++) {
            proto.addComponents(
                    toComponentProgress(
                            spec.components().get(i),
                            view.components().get(i),
                            view.group().skipped().contains(i)));
        }
        setState(proto, view.group().state());
        setCreatorAndTimes(proto, view);
        return proto.build();
    }

    private static void setState(RolloutGroup.Builder proto, GroupState state) {
        proto.setStatus(toStatus(state));
        switch (state) {
            case GroupState.Running running -> setCurrentComponent(proto, running);
            case GroupState.Paused paused -> {
                proto.setPauseReason(
                                GroupPauseReason.valueOf(
                                        "GROUP_PAUSE_REASON_" + paused.reason().name()))
                        .setPausedFrom(toStatus(paused.from()));
                if (paused.from() instanceof GroupState.Running running) {
                    setCurrentComponent(proto, running);
                }
            }
            case GroupState.Failed failed ->
                    proto.setFailureReason(
                            GroupFailureReason.valueOf(
                                    "GROUP_FAILURE_REASON_" + failed.reason().name()));
            case GroupState.Pending p -> {}
            case GroupState.Cancelling c -> {}
            case GroupState.RollingBack r -> {}
            case GroupState.Completed c -> {}
            case GroupState.Partial p -> {}
            case GroupState.Cancelled c -> {}
            case GroupState.RolledBack r -> {}
        }
    }

    private static void setCurrentComponent(
            RolloutGroup.Builder proto, GroupState.Running running) {
        proto.setCurrentComponent(running.component())
                .setStage(
                        RolloutGroupStage.valueOf("ROLLOUT_GROUP_STAGE_" + running.stage().name()));
    }

    private static RolloutGroupStatus toStatus(GroupState state) {
        return RolloutGroupStatus.valueOf(
                "ROLLOUT_GROUP_STATUS_" + GroupStateNames.of(state).toUpperCase(Locale.ROOT));
    }

    /** The status as the database has it; empty for all. */
    static String toStoredName(RolloutGroupStatus status) {
        return status == RolloutGroupStatus.ROLLOUT_GROUP_STATUS_UNSPECIFIED
                ? ""
                : toStoredName(status.name(), "ROLLOUT_GROUP_STATUS_");
    }

    private static String toStoredName(String name, String prefix) {
        return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
    }

    private static ComponentProgress toComponentProgress(
            GroupComponent planned, ComponentSummary component, boolean skipped) {
        ComponentProgress.Builder proto =
                ComponentProgress.newBuilder()
                        .setComponentIndex(planned.index())
                        .setBinaryName(planned.binary().value())
                        .setUpgradeId(planned.upgradeId())
                        .setRolloutId(component.rollout().value())
                        .setSourceVersion(
                                component.spec().sourceVersions().stream()
                                        .map(Version::value)
                                        .collect(Collectors.joining(", ")))
                        .setTargetVersion(component.spec().targetVersion().value())
                        .setStatus(RolloutProtos.toStatus(component.state()))
                        .setSkipped(skipped)
                        .setTotalNodes(component.counters().total())
                        .setSucceededNodes(component.counters().succeeded())
                        .setFailedNodes(component.counters().failed())
                        .setPendingNodes(component.counters().pending())
                        .setSkippedNodes(component.counters().skipped())
                        .setRolledBackNodes(component.counters().rolledBack());
        if (component.state() instanceof RolloutState.Paused paused) {
            proto.setPauseReason(PauseReason.valueOf("PAUSE_REASON_" + paused.reason().name()));
        } else if (component.state() instanceof RolloutState.Failed failed) {
            proto.setFailureReason(
                    FailureReason.valueOf("FAILURE_REASON_" + failed.reason().name()));
        }
        return proto.build();
    }

    static Reason toReason(Cause cause) {
        return Reason.newBuilder()
                .setCode(cause.code())
                .setSentence(cause.sentence())
                .setActor("drover")
                .build();
    }

    static Reason toReason(NumberedHistoryEntry entry) {
        var row = entry.entry();
        String moved =
                row.from().equals(row.to()) || row.from().isEmpty()
                        ? row.to()
                        : row.from() + " → " + row.to();
        return Reason.newBuilder()
                .setAt(RolloutProtos.toTimestamp(row.at()))
                .setCode(row.because().code())
                .setSentence(row.subject() + " " + moved + ": " + row.because().sentence())
                .setActor(row.actor())
                .setSequence(entry.seq())
                .build();
    }
}
