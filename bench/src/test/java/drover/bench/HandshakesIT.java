package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.HandshakeThroughput;
import drover.bench.mtls.MtlsGateway;
import drover.coordinator.Faults;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench command {@code handshakes} measures; its figure depends on the machine. */
@Faults(
        rule = "N1 (benches report figures and assert none)",
        sample = "HelpTest.everyMeasurementExplainsItself")
class HandshakesIT {
    @TempDir Path directory;

    @Test
    @DisplayName("A gateway that admits all is dialled again and again, and its own time is told")
    void countsHandshakes() {
        BenchCa identities = new BenchCa(directory.resolve("identities"));
        try (StartedResources running = new StartedResources();
                MtlsGateway gateway = MtlsGateway.startUnlimited(directory, running, identities)) {
            HandshakeThroughput handshakes =
                    gateway.measureHandshakes(8, Duration.ofMillis(500), Duration.ofSeconds(2));

            System.out.printf("%.0f handshakes a second%n", handshakes.perSecond());
            assertThat(handshakes.done()).isPositive();
            assertThat(handshakes.took()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
            assertThat(handshakes.ofGateway()).isPositive();
        }
    }
}
