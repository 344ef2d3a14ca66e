package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.MtlsGateway;
import drover.bench.mtls.ProcessMemory;
import drover.coordinator.Faults;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 5,000 streams with certificates on one real gateway. */
@Faults(
        rule = "I1 (all agents reconnect after a gateway is killed)",
        sample =
                "ReconnectPlanTest.aFleetThatLosesAGatewaySpreadsOverTheOthersAndOverTheWholeMinute")
class MtlsStreamsIT {
    private static final int STREAMS = 5_000;
    private static final int RECONNECT_WITHIN = 60; // seconds, as agents usually take
    private static final long KIB = 1024;
    private static final long MOST_LIVE = 150 * KIB; // 50,000 of them are 7.5 GiB of heap
    private static final long MOST_RESIDENT = 600 * KIB; // what garbage took since is counted, too

    @TempDir Path directory;

    @Test
    @DisplayName("I1: streams over TLS cost what is said, and all are back after a kill")
    void keepsManyStreamsAndGetsThemBack() {
        BenchCa identities = new BenchCa(directory.resolve("identities"));
        try (StartedResources running = new StartedResources();
                MtlsGateway gateway = new MtlsGateway(directory, running, identities, STREAMS)) {
            ProcessMemory before = gateway.measureMemory();
            Duration open = gateway.connectAgents(RECONNECT_WITHIN);
            ProcessMemory each = gateway.measureMemory().perStream(before, STREAMS);
            Duration back = gateway.measureRestart();
            System.out.printf(
                    "%d streams: %d KiB live and %d KiB resident each; open in %d ms, back in %d"
                            + " ms (guaranteed: 120 s)%n",
                    STREAMS,
                    each.live() / KIB,
                    each.resident() / KIB,
                    open.toMillis(),
                    back.toMillis());
            assertThat(each.live()).isLessThan(MOST_LIVE);
            assertThat(each.resident()).isLessThan(MOST_RESIDENT);
        }
    }
}
