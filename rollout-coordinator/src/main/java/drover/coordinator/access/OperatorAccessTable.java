package drover.coordinator.access;

import static drover.kit.access.Scope.AUDIT_READ;
import static drover.kit.access.Scope.ROLLOUTS_ADMIN;
import static drover.kit.access.Scope.ROLLOUTS_APPROVE;
import static drover.kit.access.Scope.ROLLOUTS_READ;
import static drover.kit.access.Scope.TOKENS_WRITE;

import drover.kit.access.AccessRequirement;
import drover.kit.access.AccessTable;
import java.util.Set;

/**
 * The one table of who may call what on the operators' doors (invariant H5). REST has no table of
 * its own: a route is a method. Written out in full, so that a new method is a decision.
 */
public final class OperatorAccessTable {
    private static final AccessRequirement.RequiresScope STARTERS =
            new AccessRequirement.RequiresScope(Set.of(ROLLOUTS_ADMIN, ROLLOUTS_APPROVE));

    /** The table. */
    public static final AccessTable TABLE =
            AccessTable.builder()
                    .require(
                            ROLLOUTS_READ,
                            "drover.rollout.v1.RolloutService",
                            "ListRollouts",
                            "GetRollout",
                            "ListRolloutNodes",
                            "PlanRollout",
                            "GetRolloutPlan",
                            "ExplainRollout")
                    .require(
                            ROLLOUTS_ADMIN,
                            "drover.rollout.v1.RolloutService",
                            "CreateRollout",
                            "PreflightRollout",
                            "PauseRollout",
                            "ResumeRollout",
                            "CancelRollout",
                            "RollbackRollout",
                            "RetryNode",
                            "SkipNode",
                            "SkipNodes",
                            "HoldNode",
                            "ReleaseNode")
                    // Both let go on what the rules would stop: a second pair of eyes.
                    .require(
                            ROLLOUTS_APPROVE,
                            "drover.rollout.v1.RolloutService",
                            "ApproveCanary",
                            "ForceRollout")
                    // Where a second person must start, starting is approving.
                    .require(STARTERS, "drover.rollout.v1.RolloutService", "StartRollout")
                    .require(STARTERS, "drover.rollout.v1.RolloutGroupService", "StartRolloutGroup")
                    .require(
                            ROLLOUTS_READ,
                            "drover.rollout.v1.RolloutGroupService",
                            "ListRolloutGroups",
                            "GetRolloutGroup",
                            "GetRolloutGroupStatus",
                            "ExplainRolloutGroup")
                    .require(
                            ROLLOUTS_ADMIN,
                            "drover.rollout.v1.RolloutGroupService",
                            "CreateRolloutGroup",
                            "PauseRolloutGroup",
                            "ResumeRolloutGroup",
                            "CancelRolloutGroup",
                            "RollbackRolloutGroup",
                            "SkipComponent")
                    .require(
                            ROLLOUTS_READ,
                            "drover.node.v1.NodeService",
                            "ListNodes",
                            "GetNode",
                            "ExplainNode",
                            "GetDesired",
                            "GetNodeLog")
                    .require(
                            ROLLOUTS_ADMIN,
                            "drover.node.v1.NodeService",
                            "ClearNode",
                            "RetireNode",
                            "RevokeNode")
                    .require(
                            ROLLOUTS_READ,
                            "drover.incident.v1.IncidentService",
                            "ListIncidents",
                            "GetIncident")
                    .require(
                            ROLLOUTS_ADMIN,
                            "drover.incident.v1.IncidentService",
                            "AcknowledgeIncident",
                            "ResolveIncident")
                    .require(
                            ROLLOUTS_READ,
                            "drover.event.v1.EventService",
                            "WatchEvents",
                            "ListEventSinks",
                            "ListDeadLetters")
                    .require(ROLLOUTS_ADMIN, "drover.event.v1.EventService", "RetryDeadLetters")
                    .require(
                            ROLLOUTS_READ,
                            "drover.manifest.v1.ManifestService",
                            "GetManifest",
                            "ListManifests",
                            "GetContentHash",
                            "ValidateManifest")
                    .require(
                            TOKENS_WRITE,
                            "drover.access.v1.ApiKeyService",
                            "CreateApiKey",
                            "ListApiKeys",
                            "RevokeApiKey")
                    .require(
                            TOKENS_WRITE,
                            "drover.access.v1.TokenService",
                            "CreateJoinToken",
                            "ListJoinTokens",
                            "RevokeJoinToken")
                    .require(AUDIT_READ, "drover.audit.v1.AuditService", "VerifyHistory")
                    .build();

    private OperatorAccessTable() {}
}
