package drover.opsagent.peers;

import drover.agent.v1.ClusterReport;
import drover.agent.v1.ClusterRole;
import drover.agent.v1.ClusterState;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.ReplicationLag;
import drover.agent.v1.StopSafety;
import drover.model.cluster.PrintableLine;
import drover.opsagent.probe.ClusterReading;
import java.time.Duration;
import java.util.Locale;

/** Writes the state of clusters. */
final class ClusterStateProtos {
    /** Of a report, in bytes, as of the line that a driver prints. */
    static final int MAX_REPORT = 4096;

    /** Largest number of a message to a gateway, which JSON can write. */
    private static final long MAX_NUMBER = 1L << 53;

    private ClusterStateProtos() {}

    /** Sets the state and the role of a program. */
    static void set(ProgramHealth.Builder health, ClusterReading reading) {
        if (reading.report().isEmpty()) {
            health.setCluster(noReport(reading.problem()));
            return;
        }
        drover.model.cluster.ClusterReport report = reading.report().get();
        ClusterState state = toState(report, reading.age());
        if (state.getReport().getSerializedSize() > MAX_REPORT) {
            health.setCluster(noReport("The report of the member exceeds 4 KiB."));
        } else if (Math.max(report.term(), report.lag().value()) > MAX_NUMBER) {
            health.setCluster(
                    noReport("term and lag.value of the member's report must be at most 2^53."));
        } else {
            health.setRole(report.role().name().toLowerCase(Locale.ROOT)).setCluster(state);
        }
    }

    private static ClusterState toState(drover.model.cluster.ClusterReport report, Duration age) {
        return ClusterState.newBuilder()
                .setReport(toReport(report))
                .setAge(ReportProtos.toDuration(age))
                .build();
    }

    private static ClusterReport toReport(drover.model.cluster.ClusterReport report) {
        return ClusterReport.newBuilder()
                .setCluster(report.cluster())
                .setMember(report.member())
                .setRole(toRole(report.role()))
                .setVoter(report.voter())
                .setTerm(report.term())
                .addAllVoters(report.voters())
                .addAllHealthyVoters(report.healthyVoters())
                .setLag(
                        ReplicationLag.newBuilder()
                                .setValue(report.lag().value())
                                .setUnit(report.lag().unit())
                                .setOk(report.lag().ok()))
                .setClusterVersion(report.clusterVersion())
                .setSafeToStop(toSafety(report.safeToStop()))
                .setReason(report.reason())
                .build();
    }

    private static ClusterRole toRole(drover.model.cluster.ClusterRole role) {
        return switch (role) {
            case LEADER -> ClusterRole.CLUSTER_ROLE_LEADER;
            case FOLLOWER -> ClusterRole.CLUSTER_ROLE_FOLLOWER;
            case LEARNER -> ClusterRole.CLUSTER_ROLE_LEARNER;
            case ALONE -> ClusterRole.CLUSTER_ROLE_ALONE;
            case UNKNOWN -> ClusterRole.CLUSTER_ROLE_UNKNOWN;
        };
    }

    private static StopSafety toSafety(drover.model.cluster.StopSafety safety) {
        return switch (safety) {
            case YES -> StopSafety.STOP_SAFETY_YES;
            case NO -> StopSafety.STOP_SAFETY_NO;
            case UNKNOWN -> StopSafety.STOP_SAFETY_UNKNOWN;
        };
    }

    private static ClusterState noReport(String problem) {
        return ClusterState.newBuilder().setProblem(PrintableLine.of(problem)).build();
    }

    /** Replaces the reports of a heartbeat that is too large. */
    static Heartbeat withoutReports(Heartbeat whole) {
        Heartbeat.Builder heartbeat = whole.toBuilder();
        for (ProgramHealth.Builder program : heartbeat.getProgramsBuilderList()) {
            if (program.hasCluster()) {
                program.clearRole()
                        .setCluster(
                                noReport(
                                        "The reports of this node's clusters exceed the size of a"
                                                + " heartbeat."));
            }
        }
        return heartbeat.build();
    }
}
