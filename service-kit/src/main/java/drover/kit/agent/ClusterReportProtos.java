package drover.kit.agent;

import drover.agent.v1.ClusterState;
import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.ReplicationLag;
import drover.model.cluster.StopSafety;
import java.util.Optional;

/** Reads cluster reports of agents, by the rules of the contract {@code drover-cluster/1}. */
public final class ClusterReportProtos {
    /** Of a report, in bytes, as of the line that a driver prints. */
    private static final int MAX_REPORT = 4096;

    private ClusterReportProtos() {}

    /** States in one sentence why a state is invalid; empty if it is valid. */
    public static Optional<String> findProblem(ClusterState state) {
        try {
            if (state.hasReport()) {
                require(state.hasAge(), "age is missing.");
                require(state.getProblem().isEmpty(), "report and problem exclude each other.");
                var _ = toReport(state.getReport());
            } else {
                require(!state.getProblem().isBlank(), "report and problem are missing.");
            }
            var _ = AgentMessageRepairingValidator.validateAndRepair(state);
            return Optional.empty();
        } catch (InvalidMessage e) {
            return Optional.of(e.sentence());
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads a report.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public static ClusterReport toReport(drover.agent.v1.ClusterReport report) {
        require(
                report.getSerializedSize() <= MAX_REPORT,
                "The report exceeds " + MAX_REPORT + " bytes.");
        require(report.hasLag(), "lag is missing.");
        return new ClusterReport(
                report.getCluster(),
                report.getMember(),
                toRole(report.getRole()),
                report.getVoter(),
                report.getTerm(),
                report.getVotersList(),
                report.getHealthyVotersList(),
                new ReplicationLag(
                        report.getLag().getValue(),
                        report.getLag().getUnit(),
                        report.getLag().getOk()),
                report.getClusterVersion(),
                toSafety(report.getSafeToStop()),
                report.getReason());
    }

    private static ClusterRole toRole(drover.agent.v1.ClusterRole role) {
        return switch (role) {
            case CLUSTER_ROLE_LEADER -> ClusterRole.LEADER;
            case CLUSTER_ROLE_FOLLOWER -> ClusterRole.FOLLOWER;
            case CLUSTER_ROLE_LEARNER -> ClusterRole.LEARNER;
            case CLUSTER_ROLE_ALONE -> ClusterRole.ALONE;
            case CLUSTER_ROLE_UNKNOWN -> ClusterRole.UNKNOWN;
            case CLUSTER_ROLE_UNSPECIFIED, UNRECOGNIZED ->
                    throw new IllegalArgumentException("role is missing or not known.");
        };
    }

    private static StopSafety toSafety(drover.agent.v1.StopSafety safety) {
        return switch (safety) {
            case STOP_SAFETY_YES -> StopSafety.YES;
            case STOP_SAFETY_NO -> StopSafety.NO;
            case STOP_SAFETY_UNKNOWN -> StopSafety.UNKNOWN;
            case STOP_SAFETY_UNSPECIFIED, UNRECOGNIZED ->
                    throw new IllegalArgumentException("safe_to_stop is missing or not known.");
        };
    }

    private static void require(boolean valid, String sentence) {
        if (!valid) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
