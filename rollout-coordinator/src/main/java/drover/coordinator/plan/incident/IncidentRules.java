package drover.coordinator.plan.incident;

import drover.coordinator.plan.incident.IncidentChange.CloseMatching;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeState.RestorePurpose;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.step.Step;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which incidents a step opens and which it closes (seed 000, Incident Categories and the
 * post-rollback crash loop). Pure: told by how a rollout stood before and stands after, or by what
 * agents notice.
 */
public final class IncidentRules {
    /** Code of a node that shows life and did not become well within its time. */
    public static final String STALLED = "NOT_WELL_IN_TIME";

    /** Code of a node that is there, and of which nothing was heard by its deadline. */
    public static final String NO_HEALTH_DATA = "UNHEARD";

    /** Code of a rollout whose next step the database rejects. */
    private static final String COMMIT_REJECTED = "COMMIT_REJECTED";

    /** Codes of incidents that report a pause: they end with it. */
    private static final Set<String> OF_A_PAUSE =
            Set.of(
                    NO_HEALTH_DATA,
                    PauseReason.HEALTH_UNAVAILABLE.name(),
                    PauseReason.NO_FLEET_VISIBILITY.name(),
                    PauseReason.NODES_OFFLINE.name(),
                    PauseReason.RESTORED_UNHEALTHY.name());

    /**
     * How long a gateway remembers that the credential of a node was shown by an agent of another:
     * whoever still tries has come again by then, here or at another gateway.
     */
    public static final Duration MISPLACED_RETENTION = Duration.ofMinutes(15);

    private static final Set<IncidentCategory> OF_UPGRADES =
            Set.copyOf(
                    EnumSet.of(
                            IncidentCategory.UPGRADE_FAILED,
                            IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                            IncidentCategory.UPGRADE_STALLED));

    /** Incidents that end when an operator has cleared the node (D14). */
    public static final Set<IncidentCategory> CLEARED =
            Set.copyOf(
                    EnumSet.of(
                            IncidentCategory.UPGRADE_FAILED,
                            IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                            IncidentCategory.NODE_UNHEALTHY));

    /** Incidents of a node that end once it is verified and healthy. */
    private static final Set<IncidentCategory> OF_NODE =
            union(OF_UPGRADES, IncidentCategory.NODE_UNHEALTHY);

    private IncidentRules() {}

    private static Set<IncidentCategory> union(
            Set<IncidentCategory> categories, IncidentCategory more) {
        Set<IncidentCategory> union = EnumSet.copyOf(categories);
        union.add(more);
        return Set.copyOf(union);
    }

    /**
     * What one step of a rollout means.
     *
     * @param stalls what it opens although no state tells of it: see {@link Step#stalls}
     */
    public static List<IncidentChange> changesBetween(
            Rollout before, Rollout after, List<Open> stalls) {
        List<IncidentChange> changes = new ArrayList<>();
        closePauseIncidents(before, after).ifPresent(changes::add);
        closeUnhealthyTargets(before, after).ifPresent(changes::add);
        changes.addAll(closeUnhealthyCanary(before, after));
        for (Map.Entry<NodeId, NodeUpgrade> entry : after.nodes().entrySet()) {
            NodeUpgrade was = before.nodes().get(entry.getKey());
            if (was != null) {
                changes.addAll(nodeChanges(after, was.state(), entry.getValue()));
                handoverChange(after.id(), was.handover(), entry.getValue())
                        .ifPresent(changes::add);
            }
        }
        boolean backNow =
                after.state() instanceof RolloutState.RolledBack
                        && !(before.state() instanceof RolloutState.RolledBack);
        if (backNow) {
            changes.add(
                    new CloseMatching(
                            OF_UPGRADES,
                            null,
                            after.id(),
                            new Cause("ROLLED_BACK", "Its rollout is rolled back.")));
        }
        changes.addAll(stalls);
        return changes;
    }

    /** It stands still because of a node that cannot be seen or heard (invariant A18). */
    public static Open stalledIncident(NodeId node, RolloutId rollout, Cause because) {
        return newIncident(
                IncidentCategory.UPGRADE_STALLED, IncidentSeverity.MAJOR, node, rollout, because);
    }

    /**
     * The database rejects a value of every commit of the rollout, and no node is known to have
     * sent it. Incidents are of nodes: one of the rollout represents it.
     */
    public static Open commitRejectedIncident(NodeId node, RolloutId rollout) {
        return stalledIncident(
                node,
                rollout,
                new Cause(
                        COMMIT_REJECTED,
                        "The database rejects a value of the rollout's next step, so the rollout"
                                + " cannot continue. The log of the leading coordinator has the"
                                + " error of the database."));
    }

    /** The rollout continues. */
    public static CloseMatching closeCommitRejected(RolloutId rollout) {
        return new CloseMatching(
                Set.of(IncidentCategory.UPGRADE_STALLED),
                Set.of(COMMIT_REJECTED),
                null,
                rollout,
                new Cause(
                        "COMMIT_ACCEPTED", "The database accepts the steps of the rollout again."));
    }

    /** A node that a rollout modified, restored or is about to modify is unhealthy. */
    public static Open unhealthyIncident(NodeId node, RolloutId rollout, Cause because) {
        return newIncident(
                IncidentCategory.NODE_UNHEALTHY, IncidentSeverity.MAJOR, node, rollout, because);
    }

    /**
     * Whoever ends such a pause has looked; what is still not heard then pauses it again, and opens
     * another.
     */
    private static Optional<CloseMatching> closePauseIncidents(Rollout before, Rollout after) {
        boolean over =
                isPausedWithIncident(before) && !(after.state() instanceof RolloutState.Paused);
        return over
                ? Optional.of(
                        new CloseMatching(
                                Set.of(IncidentCategory.UPGRADE_STALLED),
                                OF_A_PAUSE,
                                null,
                                after.id(),
                                new Cause("PAUSE_OVER", "Its rollout is not paused any more.")))
                : Optional.empty();
    }

    /** Unhealthy targets do not pause the rollout any more. */
    private static Optional<CloseMatching> closeUnhealthyTargets(Rollout before, Rollout after) {
        boolean was =
                before.state() instanceof RolloutState.Paused paused
                        && paused.reason() == PauseReason.TARGETS_UNHEALTHY;
        return was && !(after.state() instanceof RolloutState.Paused)
                ? Optional.of(
                        new CloseMatching(
                                Set.of(IncidentCategory.NODE_UNHEALTHY),
                                Set.of(PauseReason.TARGETS_UNHEALTHY.name()),
                                null,
                                after.id(),
                                new Cause("PAUSE_OVER", "Its rollout is not paused any more.")))
                : Optional.empty();
    }

    /**
     * The approval of a canary is awaited again. Its nodes are evaluated from the start; a node
     * that is unhealthy pauses the rollout again.
     */
    private static List<CloseMatching> closeUnhealthyCanary(Rollout before, Rollout after) {
        boolean resumed =
                before.state() instanceof RolloutState.Paused
                        && (after.state() instanceof RolloutState.AwaitingApproval
                                || after.state() instanceof RolloutState.Running);
        if (!resumed) {
            return List.of();
        }
        return after.batches().stream()
                .filter(batch -> batch.phase() == BatchPhase.AWAITING_APPROVAL)
                .flatMap(batch -> after.nodesInBatch(batch.index()))
                .filter(node -> node.state() instanceof NodeState.Succeeded)
                .map(
                        node ->
                                closeUnhealthy(
                                        node.id(),
                                        after.id(),
                                        "The rollout is resumed; the canary is evaluated again."))
                .toList();
    }

    private static boolean isPausedWithIncident(Rollout rollout) {
        return rollout.state() instanceof RolloutState.Paused paused
                && paused.reason().hasIncident();
    }

    private static List<? extends IncidentChange> nodeChanges(
            Rollout after, NodeState was, NodeUpgrade node) {
        RolloutId rollout = after.id();
        if (was.getClass() == node.state().getClass()) {
            return restoredHealthChanges(rollout, was, node);
        }
        return switch (node.state()) {
            case NodeState.Unhealthy unhealthy ->
                    List.of(unhealthyIncident(node.id(), rollout, unhealthy.cause()));
            case NodeState.FailedRollback failed ->
                    List.of(
                            newIncident(
                                    restoreFailureCategory(was),
                                    IncidentSeverity.CRITICAL,
                                    node.id(),
                                    rollout,
                                    failed.cause()));
            case NodeState.Unreachable lost when isBeingRolledBack(was) ->
                    List.of(
                            newIncident(
                                    IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                                    IncidentSeverity.CRITICAL,
                                    node.id(),
                                    rollout,
                                    lost.cause()));
            case NodeState.Restoring restoring when restoring.cause().code().equals(STALLED) ->
                    List.of(stalledIncident(node.id(), rollout, restoring.cause()));
            case NodeState.Succeeded succeeded ->
                    closeNodeIncidents(
                            node.id(), after, "SUCCEEDED", "The node is verified at the target.");
            case NodeState.RolledBack back ->
                    Stream.concat(
                                    closeNodeIncidents(
                                            node.id(),
                                            after,
                                            "ROLLED_BACK",
                                            "The node is verified at what it ran before.")
                                            .stream(),
                                    back
                                            .finding()
                                            .filter(NodeState.RolledBack::isUnhealthy)
                                            .stream()
                                            .map(why -> unhealthyIncident(node.id(), rollout, why)))
                            .toList();
            case NodeState.Failed failed ->
                    closeUnhealthy(was, node, rollout, "The node was restored.");
            case NodeState.Skipped skipped ->
                    closeUnhealthy(was, node, rollout, "An operator accepted the node as it is.");
            case NodeState.Pending pending ->
                    closeUnhealthy(was, node, rollout, "The upgrade of the node is repeated.");
            default -> List.of(); // nothing that a person must look at, and nothing solved
        };
    }

    /** A restored node became unhealthy, or healthy again. */
    private static List<? extends IncidentChange> restoredHealthChanges(
            RolloutId rollout, NodeState was, NodeUpgrade node) {
        if (!(was instanceof NodeState.RolledBack before)
                || !(node.state() instanceof NodeState.RolledBack after)
                || before.finding().equals(after.finding())) {
            return List.of();
        }
        return after.finding()
                .map(
                        why ->
                                NodeState.RolledBack.isUnhealthy(why)
                                        ? List.<IncidentChange>of(
                                                unhealthyIncident(node.id(), rollout, why))
                                        : List.<IncidentChange>of())
                .orElseGet(
                        () ->
                                List.of(
                                        closeUnhealthy(
                                                node.id(),
                                                rollout,
                                                "The restored node is healthy.")));
    }

    private static List<CloseMatching> closeUnhealthy(
            NodeState was, NodeUpgrade node, RolloutId rollout, String sentence) {
        boolean late = was instanceof NodeState.Unhealthy || was instanceof NodeState.Restoring;
        return late ? List.of(closeUnhealthy(node.id(), rollout, sentence)) : List.of();
    }

    private static CloseMatching closeUnhealthy(NodeId node, RolloutId rollout, String sentence) {
        return new CloseMatching(
                Set.of(IncidentCategory.NODE_UNHEALTHY),
                node,
                rollout,
                new Cause("HEALTHY", sentence));
    }

    /** Two agents live on the node for too long, or that is over (seed 001). */
    private static Optional<IncidentChange> handoverChange(
            RolloutId rollout, Handover was, NodeUpgrade node) {
        if (was.isStalled() == node.handover().isStalled()) {
            return Optional.empty();
        }
        return Optional.of(
                node.handover().isStalled()
                        ? newIncident(
                                IncidentCategory.AGENT_HANDOVER_STALLED,
                                IncidentSeverity.MAJOR,
                                node.id(),
                                rollout,
                                node.stalledHandoverCause())
                        : closeStalledHandover(node.id(), rollout));
    }

    /** The attempt in which the agent of a node hands over has ended. */
    public static CloseMatching closeStalledHandover(NodeId node, RolloutId rollout) {
        return new CloseMatching(
                Set.of(IncidentCategory.AGENT_HANDOVER_STALLED),
                node,
                rollout,
                new Cause("HANDOVER_OVER", "The agents of the node have settled who goes on."));
    }

    private static IncidentCategory restoreFailureCategory(NodeState was) {
        return isBeingRolledBack(was)
                ? IncidentCategory.UPGRADE_ROLLBACK_FAILED
                : IncidentCategory.UPGRADE_FAILED;
    }

    /** Whether a rollback, and not its own failure, was to bring the node back. */
    private static boolean isBeingRolledBack(NodeState state) {
        return state instanceof NodeState.Restoring restoring
                && restoring.purpose() == RestorePurpose.ROLLBACK;
    }

    private static Open newIncident(
            IncidentCategory category,
            IncidentSeverity severity,
            NodeId node,
            RolloutId rollout,
            Cause because) {
        return new Open(category, severity, node, rollout, because, "");
    }

    /**
     * Incidents of the program on the node, also those that earlier rollouts opened. What its
     * rollout still waits for a person for stays, whichever node it was opened with.
     */
    private static List<CloseMatching> closeNodeIncidents(
            NodeId node, Rollout after, String code, String sentence) {
        Cause because = new Cause(code, sentence);
        if (!isPausedWithIncident(after)) {
            return List.of(CloseMatching.ofProgram(OF_NODE, node, after.spec().binary(), because));
        }
        return List.of(
                CloseMatching.ofProgram(CLEARED, node, after.spec().binary(), because),
                new CloseMatching(
                        Set.of(IncidentCategory.UPGRADE_STALLED),
                        Set.of(STALLED),
                        node,
                        after.id(),
                        because));
    }

    /**
     * An incident of a node that was unhealthy when its rollout ended, or became so in its last
     * step.
     *
     * @param healthWait how long the program must be healthy
     */
    public record UnhealthyAfterEnd(
            NodeId node,
            RolloutId rollout,
            ProgramKind kind,
            BinaryName program,
            Instant endedAt,
            Duration healthWait) {}

    /**
     * Closes the incident once the node is healthy again after the end of its rollout. No evaluator
     * watches it then, so that the report of its gateway decides.
     */
    public static Optional<CloseMatching> closeIfHealthyAgain(
            UnhealthyAfterEnd incident, NodeView view, Instant now) {
        return findHealthySince(incident, view)
                .map(
                        since ->
                                Collections.max(List.of(since, incident.endedAt()))
                                        .plus(incident.healthWait()))
                .filter(healthyFor -> !now.isBefore(healthyFor))
                .map(
                        healthyFor ->
                                closeUnhealthy(
                                        incident.node(),
                                        incident.rollout(),
                                        "The node is healthy again after the end of its rollout."));
    }

    /** An agent that is connected is healthy; gateways report the health of other programs only. */
    private static Optional<Instant> findHealthySince(UnhealthyAfterEnd incident, NodeView view) {
        if (incident.kind() == ProgramKind.AGENT) {
            return view instanceof NodeView.Present
                    ? Optional.of(incident.endedAt())
                    : Optional.empty();
        }
        return Optional.ofNullable(view.reportedHealth(incident.program()))
                .filter(
                        health ->
                                health.level() == ProgramHealth.Level.HEALTHY
                                        || health.level() == ProgramHealth.Level.DEGRADED)
                .map(ProgramHealth::since);
    }

    /**
     * An agent reports after the end of its rollout that it could not bring its node back.
     *
     * @param restoreOf the attempt it should have undone; 0 when it was an upgrade
     */
    public static Open lateRestoreFailureIncident(NodeId node, RolloutId rollout, long restoreOf) {
        return newIncident(
                restoreOf == 0
                        ? IncidentCategory.UPGRADE_FAILED
                        : IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                IncidentSeverity.CRITICAL,
                node,
                rollout,
                new Cause(
                        "FAILED_ROLLBACK",
                        "Its agent reported after the rollout had ended that it could not bring"
                                + " back what ran before."));
    }

    /**
     * What the last work on a program of a node was.
     *
     * @param state where the node stands in that rollout
     * @param rolloutEnded whether the rollout has ended
     */
    public record LastProgramWork(
            RolloutId rollout,
            NodeState state,
            boolean rolloutEnded,
            MigrationType migration,
            String recoveryPlan) {}

    /**
     * What a finding means; nothing while a rollout looks after the node itself.
     *
     * @param last null when no rollout ever touched that program of the node
     */
    public static Optional<Open> fromFinding(
            NodeId node, AgentFinding finding, @Nullable LastProgramWork last) {
        return switch (finding.code()) {
            case AgentFinding.DRIFT ->
                    Optional.of(
                            new Open(
                                    IncidentCategory.DRIFT,
                                    IncidentSeverity.WARNING,
                                    node,
                                    null,
                                    cause(finding),
                                    ""));
            case AgentFinding.MESSAGE_REJECTED ->
                    Optional.of(messageRejectedIncident(node, finding));
            case AgentFinding.DISK_FULL, AgentFinding.DISK_ERROR ->
                    Optional.of(
                            new Open(
                                    IncidentCategory.AGENT_DISK_FAULT,
                                    IncidentSeverity.MAJOR,
                                    node,
                                    null,
                                    cause(finding),
                                    ""));
            case AgentFinding.CRASH_LOOP ->
                    last != null && isManagedByRollout(last)
                            ? Optional.empty()
                            : Optional.of(crashLoopIncident(node, finding, last));
            default ->
                    finding.isRejectedCommand()
                            ? Optional.of(commandRejectedIncident(node, finding))
                            : Optional.empty(); // says nothing of what runs
        };
    }

    /** A broken or compromised agent; its node is not upgraded while its messages are rejected. */
    private static Open messageRejectedIncident(NodeId node, AgentFinding finding) {
        return new Open(
                IncidentCategory.AGENT_MESSAGE_REJECTED,
                IncidentSeverity.MAJOR,
                node,
                null,
                new Cause(
                        finding.code(),
                        "A message of its agent was rejected: "
                                + finding.detail()
                                + " Replace the agent; if the machine may be compromised, revoke"
                                + " the node."),
                "");
    }

    /** A setting that is wrong, or somebody between here and the node: both are for a person. */
    private static Open commandRejectedIncident(NodeId node, AgentFinding finding) {
        return new Open(
                IncidentCategory.COMMAND_REJECTED,
                IncidentSeverity.MAJOR,
                node,
                null,
                cause(finding),
                "");
    }

    /** A node that gateways say is locked: which of the two is the copy, only a person can say. */
    public static Open clonedIdentityIncident(NodeId node) {
        return new Open(
                IncidentCategory.IDENTITY_CLONED,
                IncidentSeverity.CRITICAL,
                node,
                null,
                new Cause(
                        "IDENTITY_CLONED",
                        "Its identity was in use at two places, so nobody may speak for it. Find the"
                                + " copy and stop it, then enroll the right machine anew with a"
                                + " join token for node "
                                + node
                                + "."),
                "");
    }

    /** A node whose credential lies on the machine of another, or with somebody who tries it. */
    public static Open identityMismatchIncident(NodeId node) {
        return new Open(
                IncidentCategory.IDENTITY_MISMATCH,
                IncidentSeverity.MAJOR,
                node,
                null,
                new Cause(
                        "IDENTITY_MISMATCH",
                        "An agent that takes itself for another node showed the credential of node "
                                + node
                                + ", and was refused. Find the machine, which its own log names by"
                                + " NODE_ID_MISMATCH, and give it its own; if you do not know it,"
                                + " revoke the node and enroll its machine anew."),
                "");
    }

    /**
     * Whether a node that no gateway tells of is misplaced no more (invariant H1). Each gateway
     * knows its own callers alone, so that silence counts when all have spoken; and who called at
     * one that was lost, or that another leader heard, has then had the time to come again.
     *
     * @param gateways those that are registered
     * @param received those that have said of which nodes they know
     * @param receivedSince since when every registered one is heard without a break; null while not
     */
    public static boolean areMismatchReportsComplete(
            Set<String> gateways,
            Set<String> received,
            @Nullable Instant receivedSince,
            Instant now) {
        return !gateways.isEmpty()
                && received.containsAll(gateways)
                && receivedSince != null
                && !now.isBefore(receivedSince.plus(MISPLACED_RETENTION));
    }

    /** Whether the rollout itself judges how the node is. */
    private static boolean isManagedByRollout(LastProgramWork last) {
        boolean judged = last.state().isInFlight() || last.state() instanceof NodeState.Succeeded;
        return judged && !last.rolloutEnded();
    }

    /**
     * After a way back the old program may be unable to read what the new one wrote: then only the
     * recovery plan helps (seed 000, Tier 3).
     */
    private static Open crashLoopIncident(
            NodeId node, AgentFinding finding, @Nullable LastProgramWork last) {
        if (last == null) {
            return new Open(
                    IncidentCategory.CRASH_LOOP,
                    IncidentSeverity.MAJOR,
                    node,
                    null,
                    cause(finding),
                    "");
        }
        boolean back =
                last.state() instanceof NodeState.Failed
                        || last.state() instanceof NodeState.FailedRollback
                        || last.state() instanceof NodeState.RolledBack;
        boolean unreadable = back && last.migration() == MigrationType.BREAKING;
        return new Open(
                IncidentCategory.CRASH_LOOP,
                unreadable ? IncidentSeverity.CRITICAL : IncidentSeverity.MAJOR,
                node,
                last.rollout(),
                back ? crashAfterRestoreCause(finding, unreadable) : cause(finding),
                back ? last.recoveryPlan() : "");
    }

    private static Cause crashAfterRestoreCause(AgentFinding finding, boolean unreadable) {
        return new Cause(
                finding.code(),
                unreadable
                        ? "What ran before is back and cannot stay up: it may be unable to read the"
                                + " state by now. Follow the recovery plan."
                        : "What ran before is back and cannot stay up: read the log of "
                                + finding.program()
                                + ".");
    }

    /** Whether the cause of a finding's incident concerns this program of the node. */
    public static boolean concerns(Cause cause, BinaryName program) {
        return cause.sentence().startsWith(program + ": ");
    }

    private static Cause cause(AgentFinding finding) {
        String what = finding.program().isEmpty() ? "" : finding.program() + ": ";
        return new Cause(finding.code(), what + finding.detail());
    }
}
