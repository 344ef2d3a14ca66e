package drover.bench;

import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.HandshakeThroughput;
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
final class HandshakeBenchmark extends BenchmarkCommandBase {
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
        try (MtlsGateway gateway = MtlsGateway.startUnlimited(directory, running, identities)) {
            HandshakeThroughput handshakes =
                    gateway.measureHandshakes(
                            atOnce, Duration.ofSeconds(warmUp), Duration.ofSeconds(seconds));
            print(
                    new BenchTable("handshakes, TLS 1.3 both ways", "figure")
                            .addRow("done", Integer.toString(handshakes.done()))
                            .addRow("a second", rate(handshakes))
                            .addRow("a second, that a gateway admits", Integer.toString(NEEDED))
                            .addRow(
                                    "gateway's processor, of each",
                                    formatCpuPerHandshake(handshakes))
                            .addRow(
                                    "processors, dialler included",
                                    Runtime.getRuntime().availableProcessors() + ""));
        }
    }

    private static String rate(HandshakeThroughput handshakes) {
        return String.format(Locale.ROOT, "%.0f", handshakes.perSecond());
    }

    private static String formatCpuPerHandshake(HandshakeThroughput handshakes) {
        return BenchTable.millisPerPart(handshakes.ofGateway(), Math.max(1, handshakes.done()));
    }
}
