package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.ClusterRole;
import drover.agent.v1.ProgramHealth;
import drover.model.cluster.ClusterReport;
import drover.model.cluster.ReplicationLag;
import drover.model.cluster.StopSafety;
import drover.opsagent.probe.ClusterReading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** States of clusters in heartbeats. */
class ClusterStateProtosTest {
    /** 700 bytes, as of a cluster with long names. */
    static final ClusterReading LARGE = reading(report(voters(11, 25), 7));

    private static List<String> voters(int count, int length) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i + "-" + "x".repeat(length)).toList();
    }

    private static ClusterReport report(List<String> voters, long term) {
        return new ClusterReport(
                "st",
                voters.getFirst(),
                drover.model.cluster.ClusterRole.LEADER,
                true,
                term,
                voters,
                voters,
                new ReplicationLag(3, "entries", true),
                "3.4.0",
                StopSafety.UNKNOWN,
                "The backup runs.");
    }

    private static ClusterReading reading(ClusterReport report) {
        return new ClusterReading(Optional.of(report), Duration.ofMillis(2_500), "");
    }

    private static ProgramHealth health(ClusterReading reading) {
        ProgramHealth.Builder health = ProgramHealth.newBuilder();
        ClusterStateProtos.set(health, reading);
        return health.build();
    }

    @Test
    void writesTheReportItsAgeAndTheRole() {
        ProgramHealth health = health(reading(report(List.of("st-2", "st-1"), 7)));

        assertThat(health.getRole()).isEqualTo("leader");
        assertThat(health.getCluster().getProblem()).isEmpty();
        assertThat(health.getCluster().getAge().getSeconds()).isEqualTo(2);
        drover.agent.v1.ClusterReport report = health.getCluster().getReport();
        assertThat(report.getRole()).isEqualTo(ClusterRole.CLUSTER_ROLE_LEADER);
        assertThat(report.getMember()).isEqualTo("st-2");
        assertThat(report.getTerm()).isEqualTo(7);
        assertThat(report.getVotersList()).containsExactly("st-2", "st-1");
        assertThat(report.getHealthyVotersCount()).isEqualTo(2);
        assertThat(report.getLag().getValue()).isEqualTo(3);
        assertThat(report.getLag().getOk()).isTrue();
        assertThat(report.getSafeToStop())
                .isEqualTo(drover.agent.v1.StopSafety.STOP_SAFETY_UNKNOWN);
        assertThat(report.getReason()).isEqualTo("The backup runs.");
    }

    @Test
    void writesWhyThereIsNoReport() {
        ProgramHealth health =
                health(new ClusterReading(Optional.empty(), Duration.ZERO, "It\nhangs."));

        assertThat(health.getRole()).isEmpty();
        assertThat(health.getCluster().hasReport()).isFalse();
        assertThat(health.getCluster().getProblem()).isEqualTo("It hangs.");
    }

    @Test
    void aReportAbove4KibIsNone() {
        ProgramHealth health = health(reading(report(voters(40, 100), 7)));

        assertThat(health.getRole()).isEmpty();
        assertThat(health.getCluster().hasReport()).isFalse();
        assertThat(health.getCluster().getProblem())
                .isEqualTo("The report of the member exceeds 4 KiB.");
    }

    @Test
    void aNumberThatNoGatewayAcceptsIsNoReport() {
        ProgramHealth health = health(reading(report(List.of("a", "b"), Long.MAX_VALUE)));

        assertThat(health.getCluster().hasReport()).isFalse();
        assertThat(health.getCluster().getProblem()).contains("2^53");
    }
}
