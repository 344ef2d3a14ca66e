package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import drover.bench.CommandLatencyBenchmark.CommandAndBaselineLatencies;
import drover.bench.deployment.StartedResources;
import drover.coordinator.Faults;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How soon agents have what was committed, over a real mesh of six processes whose connections all
 * have certificates at both ends.
 */
@Faults(
        rule = "N1 (benches report figures and assert none)",
        sample = "HelpTest.everyMeasurementExplainsItself")
class LatencyIT {
    private static final int AGENTS = 10;
    private static final int ROUNDS = 2;

    @TempDir Path directory;

    /**
     * A few milliseconds on a quiet machine, and more than bare gRPC takes; sixty with ten times
     * the processors' work. A command that is not pushed takes seconds.
     */
    @Test
    void aCommandIsTakenSoonAfterItsCommit() {
        CommandAndBaselineLatencies measured;
        try (StartedResources running = new StartedResources()) {
            measured =
                    CommandLatencyBenchmark.measureLatencies(directory, running, AGENTS, 1, ROUNDS);
        }
        System.out.printf(
                "%d commands: p50 %d us, p99 %d us; bare gRPC one way p50 %d us, and back %d us%n",
                measured.command().count(),
                micros(measured.command().percentile(50)),
                micros(measured.command().percentile(99)),
                micros(measured.there().percentile(50)),
                micros(measured.response().percentile(50)));
        assertThat(measured.command().count()).isEqualTo(AGENTS * ROUNDS);
        assertThat(measured.there().count()).isEqualTo(AGENTS * ROUNDS);
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }
}
