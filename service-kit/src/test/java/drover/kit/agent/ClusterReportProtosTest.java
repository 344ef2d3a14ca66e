package drover.kit.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import drover.agent.v1.ClusterReport;
import drover.agent.v1.ClusterRole;
import drover.agent.v1.ClusterState;
import drover.agent.v1.ReplicationLag;
import drover.agent.v1.StopSafety;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** States of clusters as agents send them, also ones that break the contract. */
class ClusterReportProtosTest {
    private static ClusterReport.Builder report() {
        return ClusterReport.newBuilder()
                .setCluster("st")
                .setMember("st-2")
                .setRole(ClusterRole.CLUSTER_ROLE_FOLLOWER)
                .setVoter(true)
                .setTerm(7)
                .addAllVoters(List.of("st-1", "st-2"))
                .addAllHealthyVoters(List.of("st-1"))
                .setLag(ReplicationLag.newBuilder().setValue(3).setUnit("entries").setOk(true))
                .setClusterVersion("3.4.0")
                .setSafeToStop(StopSafety.STOP_SAFETY_NO)
                .setReason("The backup runs.");
    }

    private static ClusterState.Builder state(ClusterReport.Builder report) {
        return ClusterState.newBuilder()
                .setAge(Duration.newBuilder().setSeconds(3))
                .setReport(report);
    }

    @Test
    void readsAReport() {
        assertThat(ClusterReportProtos.findProblem(state(report()).build())).isEmpty();

        assertThat(ClusterReportProtos.toReport(report().build()))
                .isEqualTo(
                        new drover.model.cluster.ClusterReport(
                                "st",
                                "st-2",
                                drover.model.cluster.ClusterRole.FOLLOWER,
                                true,
                                7,
                                List.of("st-1", "st-2"),
                                List.of("st-1"),
                                new drover.model.cluster.ReplicationLag(3, "entries", true),
                                "3.4.0",
                                drover.model.cluster.StopSafety.NO,
                                "The backup runs."));
    }

    @Test
    void acceptsTheReasonWhyThereIsNoReport() {
        ClusterState none = ClusterState.newBuilder().setProblem("It hangs.").build();
        assertThat(ClusterReportProtos.findProblem(none)).isEmpty();
    }

    private static Arguments invalid(String part, Consumer<ClusterState.Builder> change) {
        ClusterState.Builder state = state(report());
        change.accept(state);
        return Arguments.of(part, state.build());
    }

    static Stream<Arguments> invalidStates() {
        List<String> names = IntStream.range(0, 65).mapToObj(i -> "m" + i).toList();
        List<String> longNames =
                IntStream.range(0, 40).mapToObj(i -> "m" + i + "x".repeat(120)).toList();
        return Stream.of(
                invalid("report and problem are missing", state -> state.clearReport()),
                invalid("exclude each other", state -> state.setProblem("It hangs.")),
                invalid("age is missing", state -> state.clearAge()),
                invalid("age", state -> state.getAgeBuilder().setSeconds(-1)),
                invalid("age", state -> state.getAgeBuilder().setSeconds(Long.MAX_VALUE)),
                invalid("cluster must be", state -> state.getReportBuilder().clearCluster()),
                invalid("member must be", state -> state.getReportBuilder().setMember("a b")),
                invalid("role is missing", state -> state.getReportBuilder().clearRole()),
                invalid("role is missing", state -> state.getReportBuilder().setRoleValue(99)),
                invalid("voter must be", state -> state.getReportBuilder().setVoter(false)),
                invalid("term", state -> state.getReportBuilder().setTerm(-1)),
                invalid("term", state -> state.getReportBuilder().setTerm(Long.MAX_VALUE)),
                invalid(
                        "voters lists more than 64",
                        state -> state.getReportBuilder().addAllVoters(names)),
                invalid(
                        "healthy_voters has",
                        state -> state.getReportBuilder().addHealthyVoters("st-9")),
                invalid(
                        "exceeds 4096 bytes",
                        state -> state.getReportBuilder().addAllVoters(longNames)),
                invalid("lag is missing", state -> state.getReportBuilder().clearLag()),
                invalid(
                        "lag.value",
                        state -> state.getReportBuilder().getLagBuilder().setValue(-1)),
                invalid("lag.unit", state -> state.getReportBuilder().getLagBuilder().clearUnit()),
                invalid(
                        "safe_to_stop is missing",
                        state -> state.getReportBuilder().clearSafeToStop()),
                invalid(
                        "safe_to_stop is missing",
                        state -> state.getReportBuilder().setSafeToStopValue(99)),
                invalid("reason is empty", state -> state.getReportBuilder().clearReason()),
                invalid("reason must be", state -> state.getReportBuilder().setReason("\033[0m")),
                invalid(
                        "cluster_version must be",
                        state -> state.getReportBuilder().setClusterVersion("v".repeat(65))));
    }

    @ParameterizedTest
    @MethodSource("invalidStates")
    void statesInOneSentenceWhatIsInvalid(String part, ClusterState state) {
        Optional<String> problem = ClusterReportProtos.findProblem(state);

        assertThat(problem).get().asString().contains(part).endsWith(".").hasLineCount(1);
    }
}
