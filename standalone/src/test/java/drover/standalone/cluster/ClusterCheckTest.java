package drover.standalone.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.ClusterVerdict.AtRisk;
import drover.model.cluster.ClusterVerdict.NoData;
import drover.model.cluster.ClusterVerdict.Steady;
import drover.model.cluster.ReplicationLag;
import drover.model.cluster.StopSafety;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.cluster.VerbResult;
import drover.opsagent.time.AutoAdvancingTicker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Age of reports, with drivers that take a given time. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterCheckTest {
    private static final List<String> VOTERS = List.of("m-1", "m-2", "m-3");

    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final CountDownLatch othersReported = new CountDownLatch(2);
    private final AtomicInteger probes = new AtomicInteger();

    /** Driver of which only the probe is used. */
    private record Probe(Supplier<ProbeResult> result) implements ClusterDriver {
        @Override
        public ProbeResult probe() {
            return result.get();
        }

        @Override
        public VerbResult stepDown() {
            throw new IllegalStateException("a check changes nothing");
        }

        @Override
        public VerbResult stepDownTo(String target) {
            throw new IllegalStateException("a check changes nothing");
        }

        @Override
        public VerbResult snapshot(Path directory) {
            throw new IllegalStateException("a check changes nothing");
        }
    }

    private static ProbeResult report(String member, List<String> healthy) {
        return new ProbeResult.Reported(
                new ClusterReport(
                        "c1",
                        member,
                        member.equals("m-1") ? ClusterRole.LEADER : ClusterRole.FOLLOWER,
                        true,
                        7,
                        VOTERS,
                        healthy,
                        new ReplicationLag(0, "entries", true),
                        "",
                        StopSafety.YES,
                        ""));
    }

    private ProbeResult reportAtOnce(String member, List<String> healthy) {
        probes.incrementAndGet();
        othersReported.countDown();
        return report(member, healthy);
    }

    /** Ends this long after the other probes. */
    private ProbeResult end(ProbeResult result, Duration after) {
        try {
            othersReported.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        ticker.pause(after);
        return result;
    }

    private ClusterCheck check(ClusterDriver third, List<String> healthy) {
        Map<String, ClusterDriver> drivers = new LinkedHashMap<>();
        drivers.put("n-1", new Probe(() -> reportAtOnce("m-1", healthy)));
        drivers.put("n-2", new Probe(() -> reportAtOnce("m-2", healthy)));
        drivers.put("n-3", third);
        return ClusterCheck.run(drivers, Set.of(), ticker);
    }

    @Test
    @DisplayName("K4: data is as old as the start of its probe")
    void countsTheAgeFromTheStartOfTheProbe() {
        Probe slow = new Probe(() -> end(report("m-3", VOTERS), Duration.ofMillis(5_001)));
        assertThat(check(slow, VOTERS).assessment().verdict())
                .isInstanceOfSatisfying(
                        NoData.class, verdict -> assertThat(verdict.members()).contains("m-3"));
    }

    @Test
    void acceptsReportsThatAre5SecondsOld() {
        Probe slow = new Probe(() -> end(report("m-3", VOTERS), Duration.ofSeconds(5)));
        assertThat(check(slow, VOTERS).assessment().verdict()).isInstanceOf(Steady.class);
        assertThat(probes).hasValue(2);
    }

    @Test
    @DisplayName("A probe that runs into its timeout does not leave the other reports stale")
    void probesAgainWhatBecameStale() {
        Probe hanging =
                new Probe(
                        () ->
                                end(
                                        new ProbeResult.Failed("It did not end within 5 s."),
                                        Duration.ofSeconds(15)));
        ClusterCheck check = check(hanging, List.of("m-1", "m-2"));
        assertThat(check.assessment().verdict())
                .isInstanceOfSatisfying(
                        AtRisk.class,
                        verdict -> assertThat(verdict.missing()).containsExactly("m-3"));
        assertThat(probes).hasValue(4);
        assertThat(check.observations()).extracting("node").containsExactly("n-1", "n-2", "n-3");
    }
}
