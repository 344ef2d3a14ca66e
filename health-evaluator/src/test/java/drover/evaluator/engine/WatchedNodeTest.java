package drover.evaluator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.evaluator.assess.HealthThresholds;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.ProgramObservation;
import drover.evaluator.assess.ProgramWatchSpec;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.kit.grpc.Address;
import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.SyncStatus;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** F1, F4: only what a node reported within an attempt counts for the verdict on the attempt. */
class WatchedNodeTest {
    private static final Address GATEWAY = Address.parse("in-process:watched-node-test");
    private static final Digest TARGET = Digest.of("new");
    private static final Duration SOAK_TIME = Duration.ofSeconds(10);
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(5);

    private final WatchedNode node = new WatchedNode(watch(7), 0);
    private long nanos;
    private Duration upFor = Duration.ZERO;

    private static ProgramWatchSpec watch(long attempt) {
        return watch(attempt, SOAK_TIME);
    }

    private static ProgramWatchSpec watch(long attempt, Duration hold) {
        return new ProgramWatchSpec(
                new NodeId("n1"),
                attempt,
                new BinaryName("web"),
                "run-" + attempt,
                TARGET,
                Optional.empty(),
                hold,
                HealthThresholds.DEFAULT);
    }

    private void heartbeat(long attempt, ApplicationHealth health) {
        nanos += HEARTBEAT_INTERVAL.toNanos();
        upFor = upFor.plus(HEARTBEAT_INTERVAL);
        ProgramObservation signal =
                new ProgramObservation(
                        "web",
                        "run-" + attempt,
                        TARGET.value(),
                        "",
                        upFor,
                        health == ApplicationHealth.OK ? upFor : Duration.ZERO,
                        0,
                        health,
                        SyncStatus.SYNCED,
                        List.of());
        node.recordHeartbeat(GATEWAY, new Heartbeat(attempt, List.of(signal)), nanos);
    }

    private void retry(long attempt) {
        upFor = Duration.ZERO;
        node.replaceWatch(watch(attempt), nanos);
    }

    private Optional<Verdict> unsentReport() {
        return node.takeUnsentReport(nanos, 1).map(VerdictReport::verdict);
    }

    @Test
    @DisplayName("F4: three critical heartbeats in a row make an attempt unhealthy")
    void threeCriticalHeartbeatsInARowAreUnhealthy() {
        heartbeat(7, ApplicationHealth.CRITICAL);
        heartbeat(7, ApplicationHealth.CRITICAL);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Settling.class);
        heartbeat(7, ApplicationHealth.CRITICAL);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Unhealthy.class);
    }

    @Test
    @DisplayName("F1: critical heartbeats of the attempt before a retry do not count")
    void criticalHeartbeatsOfAnEarlierAttemptDoNotCount() {
        heartbeat(7, ApplicationHealth.CRITICAL);
        heartbeat(7, ApplicationHealth.CRITICAL);
        retry(8);
        heartbeat(8, ApplicationHealth.CRITICAL);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Settling.class);
        heartbeat(8, ApplicationHealth.OK);
        heartbeat(8, ApplicationHealth.OK);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Healthy.class);
    }

    @Test
    @DisplayName("F4: a program that flapped in one attempt may be healthy in the next")
    void flapsOfAnEarlierAttemptDoNotCount() {
        for (int flap = 0; flap < 3; flap++) {
            heartbeat(7, ApplicationHealth.OK);
            heartbeat(7, ApplicationHealth.CRITICAL);
        }
        heartbeat(7, ApplicationHealth.OK);
        heartbeat(7, ApplicationHealth.OK);
        assertThat(unsentReport()).get().as("it flapped").isInstanceOf(Verdict.Unhealthy.class);

        retry(8);
        heartbeat(8, ApplicationHealth.OK);
        heartbeat(8, ApplicationHealth.OK);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Healthy.class);
    }

    @Test
    @DisplayName("F1: a heartbeat that still carries the earlier attempt is no data")
    void aHeartbeatOfTheEarlierAttemptIsNoData() {
        heartbeat(7, ApplicationHealth.OK);
        heartbeat(7, ApplicationHealth.OK);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Healthy.class);
        retry(8);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.NoData.class);
        heartbeat(7, ApplicationHealth.OK);
        assertThat(unsentReport()).as("still no data").isEmpty();
    }

    @Test
    @DisplayName("F4: what was learned of an attempt is kept when only the hold changes")
    void aLongerHoldKeepsTheHistory() {
        heartbeat(7, ApplicationHealth.CRITICAL);
        heartbeat(7, ApplicationHealth.CRITICAL);
        node.replaceWatch(watch(7, SOAK_TIME.multipliedBy(2)), nanos);
        heartbeat(7, ApplicationHealth.CRITICAL);
        assertThat(unsentReport()).get().isInstanceOf(Verdict.Unhealthy.class);
    }
}
