package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;

import drover.bench.mesh.Running;
import drover.bench.secured.Handshakes;
import drover.bench.secured.Identities;
import drover.bench.secured.SecuredGateway;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That handshakes can be measured; their number is no promise of a machine that others use. */
class HandshakesIT {
    private static final int ENOUGH = 20; // of a second: it is no single one that was counted

    @TempDir Path directory;

    @Test
    @DisplayName("A gateway that admits all is dialled again and again, and its own time is told")
    void countsHandshakes() {
        Identities identities = new Identities(directory.resolve("identities"));
        try (Running running = new Running();
                SecuredGateway gateway =
                        SecuredGateway.admittingAll(directory, running, identities)) {
            Handshakes handshakes =
                    gateway.handshakes(8, Duration.ofMillis(500), Duration.ofSeconds(2));

            System.out.printf("%.0f handshakes a second%n", handshakes.aSecond());
            assertThat(handshakes.done()).isGreaterThan(ENOUGH);
            assertThat(handshakes.took()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
            assertThat(handshakes.ofGateway()).isPositive();
        }
    }
}
