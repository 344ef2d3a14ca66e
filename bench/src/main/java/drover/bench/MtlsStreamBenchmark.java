package drover.bench;

import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.MtlsGateway;
import drover.bench.mtls.ProcessMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench secured}: streams with certificates at both ends. */
@Command(
        name = "secured",
        description =
                "Streams with certificates on one gateway: the memory of each beside bare gRPC, and"
                        + " until all are back after it was killed.")
final class MtlsStreamBenchmark extends BenchmarkCommandBase {
    private static final double KIB = 1024;

    @Option(
            names = "--streams",
            paramLabel = "N",
            defaultValue = "500",
            description = "How many agents dial, each with a connection (default: 500).")
    private int streams;

    @Option(
            names = "--dial-again",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "Within which agents dial again (default: 60, as they usually do).")
    private int reconnectCount;

    @Override
    void measure(Path directory, StartedResources running) {
        BenchCa identities = new BenchCa(directory.resolve("identities"));
        try (MtlsGateway gateway = new MtlsGateway(directory, running, identities, streams)) {
            ProcessMemory bare = gateway.measureBaselinePerStream(directory);
            ProcessMemory before = gateway.measureMemory();
            Duration open = gateway.connectAgents(reconnectCount);
            ProcessMemory each = gateway.measureMemory().perStream(before, streams);
            Duration back = gateway.measureRestart();
            print(
                    new BenchTable(streams + " streams", "live heap of each", "resident of each")
                            .addRow("gateway", kibibytes(each.live()), kibibytes(each.resident()))
                            .addRow(
                                    "bare server",
                                    kibibytes(bare.live()),
                                    kibibytes(bare.resident())));
            print(
                    new BenchTable("all of them", "took")
                            .addRow("first dial", BenchTable.seconds(open))
                            .addRow("back after kill -9", BenchTable.seconds(back)));
        }
    }

    private static String kibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f KiB", bytes / KIB);
    }
}
