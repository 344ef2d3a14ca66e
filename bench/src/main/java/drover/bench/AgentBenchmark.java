package drover.bench;

import drover.bench.agent.AgentAndBareClientMeasurements;
import drover.bench.agent.UnpackedAgent;
import drover.bench.deployment.StartedResources;
import drover.localenv.UserFacingError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench agent}: what an agent costs its node. */
@Command(
        name = "agent",
        description = "One agent from its archive beside a bare gRPC client on the same Java.")
final class AgentBenchmark extends BenchmarkCommandBase {
    @Option(
            names = "--archive",
            required = true,
            paramLabel = "FILE",
            description = "What .ci/archive has made.")
    private Path archive = Path.of("");

    @Option(
            names = "--starts",
            paramLabel = "N",
            defaultValue = "7",
            description = "How often each is started (default: 7).")
    private int starts;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long both are left alone (default: 60).")
    private int idle;

    @Option(
            names = "--download",
            paramLabel = "MIB",
            defaultValue = "100",
            description = "How large the next version of the program is (default: 100).")
    private int download;

    @Override
    void measure(Path directory, StartedResources running) {
        if (!Files.isRegularFile(archive)) {
            throw new UserFacingError(
                    "There is no archive at " + archive + ": make one with .ci/archive.");
        }
        UnpackedAgent unpacked =
                UnpackedAgent.unpack(archive, createDirectory(directory.resolve("archive")));
        AgentAndBareClientMeasurements figures =
                AgentAndBareClientMeasurements.measure(
                        unpacked, createDirectory(directory.resolve("node")), running, workload());
        print("Archive: " + formatMebibytes(unpacked.bytes() / 1024));
        print(
                new BenchTable("", "agent", "bare client", "times")
                        .addRow(
                                "start to welcome, plaintext",
                                BenchTable.seconds(figures.agent().welcome()),
                                BenchTable.seconds(figures.bare().welcome()),
                                BenchTable.ratio(
                                        figures.agent().welcome(), figures.bare().welcome()))
                        .addRow(
                                "start to welcome, TLS",
                                BenchTable.seconds(figures.tls().agent()),
                                BenchTable.seconds(figures.tls().bare()),
                                BenchTable.ratio(figures.tls().agent(), figures.tls().bare()))
                        .addRow(
                                "processor until plaintext's",
                                BenchTable.seconds(figures.agent().welcomeCpu()),
                                BenchTable.seconds(figures.bare().welcomeCpu()),
                                BenchTable.ratio(
                                        figures.agent().welcomeCpu(), figures.bare().welcomeCpu()))
                        .addRow(
                                memoryRow(
                                        "resident, idle", figures, side -> side.idle().resident()))
                        .addRow(
                                memoryRow(
                                        "  of it no file's",
                                        figures,
                                        side -> side.idle().anonymous()))
                        .addRow(memoryRow("  committed: heap", figures, side -> side.idle().heap()))
                        .addRow(memoryRow("  metaspace", figures, side -> side.idle().metaspace()))
                        .addRow(memoryRow("  native", figures, side -> side.idle().other()))
                        .addRow(
                                memoryRow(
                                        "resident at the most, download",
                                        figures,
                                        AgentAndBareClientMeasurements.Measurement
                                                ::mostWhileLoading))
                        .addRow(
                                memoryRow(
                                        "  committed: heap",
                                        figures,
                                        side -> side.loading().heap()))
                        .addRow(
                                memoryRow(
                                        "  metaspace", figures, side -> side.loading().metaspace()))
                        .addRow(memoryRow("  native", figures, side -> side.loading().other()))
                        .addRow(
                                "processor, idle, a minute",
                                BenchTable.seconds(perMinute(figures.agent().idleCpu())),
                                BenchTable.seconds(perMinute(figures.bare().idleCpu())),
                                "")
                        .addRow(
                                "program down in its upgrade",
                                BenchTable.seconds(figures.down()),
                                BenchTable.seconds(figures.bareDowntime()),
                                BenchTable.ratio(figures.down(), figures.bareDowntime())));
    }

    private AgentAndBareClientMeasurements.WorkloadSize workload() {
        return new AgentAndBareClientMeasurements.WorkloadSize(
                starts, Duration.ofSeconds(idle), (long) download << 20);
    }

    private Duration perMinute(Duration cpu) {
        return cpu.multipliedBy(60).dividedBy(Math.max(1, idle));
    }

    private static String[] memoryRow(
            String name,
            AgentAndBareClientMeasurements figures,
            java.util.function.ToLongFunction<AgentAndBareClientMeasurements.Measurement> kibi) {
        long agent = kibi.applyAsLong(figures.agent());
        long bare = kibi.applyAsLong(figures.bare());
        return new String[] {
            name,
            formatMebibytes(agent),
            formatMebibytes(bare),
            String.format(Locale.ROOT, "%.2f", (double) agent / Math.max(1, bare))
        };
    }

    private static String formatMebibytes(long kibi) {
        return String.format(Locale.ROOT, "%.1f MiB", kibi / 1024.0);
    }

    private static Path createDirectory(Path directory) {
        try {
            return Files.createDirectory(directory);
        } catch (java.io.IOException e) {
            throw new UserFacingError(directory + " cannot be made: " + e.getMessage(), e);
        }
    }
}
