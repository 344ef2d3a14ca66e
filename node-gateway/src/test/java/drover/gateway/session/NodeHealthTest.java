package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.session.HeartbeatProgramHealth.ProbeState;
import drover.gateway.session.NodeHealth.Level;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeHealthTest {
    private static final Duration IDLE = Duration.ofSeconds(30);

    @ParameterizedTest
    @CsvSource({
        "HEALTHY,OK,''",
        "NONE,UNKNOWN,chain has not been probed since its start.",
        "SYNCING,DEGRADED,chain is catching up: door: refused",
        "DEGRADED,DEGRADED,chain is degraded: door: refused",
        "STALLED,CRITICAL,chain does not get on with its synchronisation: door: refused",
        "CRITICAL,CRITICAL,chain is critical: door: refused"
    })
    void reportsTheResultsOfProbes(ProbeState reported, Level level, String because) {
        var chain =
                new HeartbeatProgramHealth(
                        "chain", true, false, reported, List.of("door: refused"));

        assertThat(NodeHealth.worstOf(List.of(chain)))
                .isEqualTo(new NodeHealth(level, because, List.of("door: refused")));
    }

    @Test
    void aSentenceCountsTheProbesThatItDoesNotQuote() {
        List<String> details = List.of("a: 1", "b: 2", "c: 3", "d: 4", "e: 5");
        var chain = new HeartbeatProgramHealth("chain", true, false, ProbeState.CRITICAL, details);

        assertThat(NodeHealth.of(chain))
                .isEqualTo(
                        new NodeHealth(
                                Level.CRITICAL,
                                "chain is critical: a: 1; b: 2; c: 3; and 2 more",
                                details));
    }

    @Test
    void theWorstOfItsProgramsCounts() {
        var healthy = new HeartbeatProgramHealth("a", true, false, ProbeState.HEALTHY, List.of());
        var unknown = new HeartbeatProgramHealth("b", true, false, ProbeState.NONE, List.of());
        var degraded = new HeartbeatProgramHealth("c", true, false, ProbeState.DEGRADED, List.of());
        var critical = new HeartbeatProgramHealth("d", true, false, ProbeState.CRITICAL, List.of());
        var down = new HeartbeatProgramHealth("e", false, false, ProbeState.NONE, List.of());
        var crashing =
                new HeartbeatProgramHealth(
                        "f",
                        false,
                        true,
                        ProbeState.NONE,
                        List.of("its last run ended with exit code 3"));

        assertThat(NodeHealth.worstOf(List.of(healthy, unknown)).level()).isEqualTo(Level.UNKNOWN);
        assertThat(NodeHealth.worstOf(List.of(degraded, unknown)).level())
                .isEqualTo(Level.DEGRADED);
        assertThat(NodeHealth.worstOf(List.of(critical, degraded)).level())
                .isEqualTo(Level.CRITICAL);
        assertThat(NodeHealth.worstOf(List.of(critical, down, healthy)))
                .isEqualTo(new NodeHealth(Level.DOWN, "e does not run."));
        assertThat(NodeHealth.worstOf(List.of(crashing, down)))
                .isEqualTo(
                        new NodeHealth(
                                Level.CRASH_LOOP,
                                "f crashes repeatedly: its last run ended with exit code 3",
                                List.of("its last run ended with exit code 3")));
    }

    @Test
    void aNodeWithoutProgramsIsNotCalledHealthy() {
        assertThat(NodeHealth.worstOf(List.of()).level()).isEqualTo(Level.UNKNOWN);
    }

    @Test
    void missingDataIsNotHealthy() {
        NodeHealth ok = new NodeHealth(Level.OK, "");
        NodeSnapshot unresponsive = NodeSnapshot.EMPTY;
        NodeSnapshot beaten =
                unresponsive.withHeartbeat(
                        new LatestHeartbeat(new TestMessage("beat"), 0, ok), NodeInventory.NONE);

        assertThat(NodeHealth.of(unresponsive, 0, IDLE).level()).isEqualTo(Level.UNKNOWN);
        assertThat(NodeHealth.of(beaten, IDLE.multipliedBy(3).toNanos(), IDLE)).isEqualTo(ok);
        assertThat(NodeHealth.of(beaten, IDLE.multipliedBy(3).toNanos() + 1, IDLE))
                .isEqualTo(new NodeHealth(Level.UNKNOWN, "The latest heartbeat is 90 s old."));
    }
}
