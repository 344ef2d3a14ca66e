package drover.bench;

import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.HandshakeResult;
import drover.bench.mtls.MtlsGateway;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench handshakes}: how many agents a gateway can let in. */
@Command(
        name = "handshakes",
        description =
                "Whole handshakes of TLS 1.3 with certificates at both ends, at the door of one"
                        + " gateway that admits all that dial.")
final class HandshakesCommand extends BenchCommand {
    private static final int NEEDED = 300; // a second (I1): --max-dials

    @Option(
            names = "--at-once",
            paramLabel = "N",
            defaultValue = "32",
            description = "Handshakes at a time (default: 32).")
    private int atOnce;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "What comes before the time that counts (default: 10).")
    private int warmUp;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "The time that counts (default: 20).")
    private int seconds;

    @Override
    void measure(Path directory, StartedResources running) {
        BenchCa identities = new BenchCa(directory.resolve("identities"));
        try (MtlsGateway gateway = MtlsGateway.admittingAll(directory, running, identities)) {
            HandshakeResult handshakes =
                    gateway.handshakes(
                            atOnce, Duration.ofSeconds(warmUp), Duration.ofSeconds(seconds));
            print(
                    new Table("handshakes, TLS 1.3 both ways", "figure")
                            .row("done", Integer.toString(handshakes.done()))
                            .row("a second", rate(handshakes))
                            .row("a second, that a gateway admits", Integer.toString(NEEDED))
                            .row("gateway's processor, of each", ofEach(handshakes))
                            .row(
                                    "processors, dialler included",
                                    Runtime.getRuntime().availableProcessors() + ""));
        }
    }

    private static String rate(HandshakeResult handshakes) {
        return String.format(Locale.ROOT, "%.0f", handshakes.aSecond());
    }

    private static String ofEach(HandshakeResult handshakes) {
        return Table.millis(handshakes.ofGateway(), Math.max(1, handshakes.done()));
    }
}
