package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.SyncStatus;
import drover.opsagent.engine.AgentFinding;
import drover.opsagent.probe.ProbeSummary;
import drover.opsagent.store.AgentRecord;
import drover.opsagent.store.KnownVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sizes of heartbeats of nodes on which much fails at the same time. */
class HeartbeatTruncatorTest {
    private static final int ACCEPTED_BYTES = 16 * 1024; // by a gateway
    private static final Digest DIGEST = Digest.of("x");

    private static Heartbeat heartbeat(int programs, int probes, String detail) {
        SelfReport self =
                self(
                        IntStream.range(0, programs)
                                .mapToObj(i -> program("program-" + i, probes, detail))
                                .toList(),
                        IntStream.range(0, programs)
                                .mapToObj(i -> new AgentFinding("DRIFT", "program-" + i, detail))
                                .toList());
        return ReportProtos.toHeartbeat(self, Duration.ofSeconds(5), Instant.EPOCH);
    }

    private static SelfReport self(List<ReportedProgram> programs, List<AgentFinding> findings) {
        return new SelfReport(
                "1.0.0",
                "process",
                AgentRecord.NEW,
                1,
                true,
                Set.of(),
                programs,
                findings,
                null,
                null);
    }

    static ReportedProgram program(String name, int probes, String detail) {
        return new ReportedProgram(
                name,
                new KnownVersion(DIGEST, "v1.2.3-rc.4", ""),
                DIGEST.value(),
                DIGEST.value(),
                "0123456789abcdef0123456789abcdef.12345.6789012",
                DIGEST,
                DIGEST,
                List.of(),
                Duration.ofDays(3_000),
                7,
                new ProbeSummary(
                        ApplicationHealth.CRITICAL,
                        SyncStatus.STALLED,
                        Duration.ZERO,
                        IntStream.range(0, probes)
                                .mapToObj(i -> "p" + i + ": " + detail)
                                .toList()));
    }

    @Test
    void keepsTextsThatFit() {
        Heartbeat heartbeat = heartbeat(2, 2, "connection refused");

        assertThat(heartbeat.getPrograms(1).getProbeDetailsList())
                .containsExactly("p0: connection refused", "p1: connection refused");
        assertThat(heartbeat.getFindings(1).getDetail()).isEqualTo("connection refused");
    }

    @Test
    @DisplayName("A gateway accepts the heartbeat of 20 programs with 20 failed probes each")
    void shortensTheTextsOfManyFailedProbes() {
        Heartbeat heartbeat = heartbeat(20, 3, "ü".repeat(900));

        assertThat(heartbeat.getSerializedSize()).isLessThanOrEqualTo(HeartbeatTruncator.MAX_BYTES);
        assertThat(heartbeat.getProgramsList())
                .allSatisfy(
                        program ->
                                assertThat(program.getProbeDetails(2))
                                        .startsWith("p2: ")
                                        .endsWith("…"));
        assertThat(heartbeat(20, 20, "ü".repeat(900)).getSerializedSize())
                .isLessThan(ACCEPTED_BYTES);
        assertThat(heartbeat(20, 1_000, "x").getSerializedSize()).isLessThan(ACCEPTED_BYTES);
    }

    @Test
    @DisplayName("A gateway accepts the heartbeat of 20 members of clusters")
    void leavesOutReportsThatDoNotFit() {
        Heartbeat few = ReportProtos.toHeartbeat(members(3), Duration.ofSeconds(5), Instant.EPOCH);
        Heartbeat many =
                ReportProtos.toHeartbeat(members(20), Duration.ofSeconds(5), Instant.EPOCH);

        assertThat(few.getProgramsList()).allMatch(it -> it.getCluster().hasReport());
        assertThat(many.getSerializedSize()).isLessThanOrEqualTo(HeartbeatTruncator.MAX_BYTES);
        assertThat(many.getProgramsList())
                .hasSize(20)
                .allMatch(it -> it.getRole().isEmpty() && !it.getCluster().hasReport())
                .allMatch(it -> it.getCluster().getProblem().contains("size of a heartbeat"));
    }

    private static SelfReport members(int programs) {
        return self(
                IntStream.range(0, programs)
                        .mapToObj(
                                i ->
                                        program("program-" + i, 0, "")
                                                .withCluster(
                                                        Optional.of(ClusterStateProtosTest.LARGE)))
                        .toList(),
                List.of());
    }

    @Test
    void keepsEverythingElseOfAShortenedHeartbeat() {
        Heartbeat shortened = heartbeat(20, 20, "x".repeat(900));

        assertThat(shortened.getProgramsList())
                .extracting(ProgramHealth::getRunningDigest)
                .hasSize(20)
                .containsOnly(DIGEST.value());
        assertThat(shortened.getFindingsCount()).isEqualTo(20);
    }

    @Test
    void cutsNoCharacterInHalf() {
        Heartbeat heartbeat = heartbeat(20, 3, "x" + "😀".repeat(450));

        assertThat(heartbeat.getSerializedSize()).isLessThanOrEqualTo(HeartbeatTruncator.MAX_BYTES);
        assertThat(heartbeat.getProgramsList())
                .flatExtracting(ProgramHealth::getProbeDetailsList)
                .allSatisfy(detail -> assertThat(detail).matches("p\\d: x(😀)*…"));
    }
}
