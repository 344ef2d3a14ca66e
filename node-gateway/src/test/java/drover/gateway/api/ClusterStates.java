package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ClusterReport;
import drover.agent.v1.ClusterRole;
import drover.agent.v1.ClusterState;
import drover.agent.v1.ReplicationLag;
import drover.agent.v1.StopSafety;
import java.util.List;

/** States of clusters as agents report them. */
final class ClusterStates {
    private ClusterStates() {}

    /** A report of a leader, 3 s old. */
    static ClusterState valid() {
        return ClusterState.newBuilder()
                .setAge(Durations.fromSeconds(3))
                .setReport(
                        ClusterReport.newBuilder()
                                .setCluster("st")
                                .setMember("st-2")
                                .setRole(ClusterRole.CLUSTER_ROLE_LEADER)
                                .setVoter(true)
                                .setTerm(7)
                                .addAllVoters(List.of("st-1", "st-2", "st-3"))
                                .addAllHealthyVoters(List.of("st-1", "st-2"))
                                .setLag(ReplicationLag.newBuilder().setUnit("entries").setOk(true))
                                .setSafeToStop(StopSafety.STOP_SAFETY_YES))
                .build();
    }
}
