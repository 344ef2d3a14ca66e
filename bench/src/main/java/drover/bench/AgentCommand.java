package drover.bench;

import drover.bench.agent.AgentArchive;
import drover.bench.agent.AgentMeasurements;
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
final class AgentCommand extends BenchCommand {
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
        AgentArchive unpacked = AgentArchive.unpack(archive, made(directory.resolve("archive")));
        AgentMeasurements figures =
                AgentMeasurements.measure(
                        unpacked, made(directory.resolve("node")), running, shape());
        print("Archive: " + mebi(unpacked.bytes() / 1024));
        print(
                new Table("", "agent", "bare client", "times")
                        .row(
                                "start to welcome, plaintext",
                                Table.seconds(figures.agent().welcome()),
                                Table.seconds(figures.bare().welcome()),
                                Table.ratio(figures.agent().welcome(), figures.bare().welcome()))
                        .row(
                                "start to welcome, TLS",
                                Table.seconds(figures.tls().agent()),
                                Table.seconds(figures.tls().bare()),
                                Table.ratio(figures.tls().agent(), figures.tls().bare()))
                        .row(
                                "processor until plaintext's",
                                Table.seconds(figures.agent().welcomeCpu()),
                                Table.seconds(figures.bare().welcomeCpu()),
                                Table.ratio(
                                        figures.agent().welcomeCpu(), figures.bare().welcomeCpu()))
                        .row(row("resident, idle", figures, side -> side.idle().resident()))
                        .row(row("  of it no file's", figures, side -> side.idle().anonymous()))
                        .row(row("  committed: heap", figures, side -> side.idle().heap()))
                        .row(row("  metaspace", figures, side -> side.idle().metaspace()))
                        .row(row("  native", figures, side -> side.idle().other()))
                        .row(
                                row(
                                        "resident at the most, download",
                                        figures,
                                        AgentMeasurements.Measurement::mostWhileLoading))
                        .row(row("  committed: heap", figures, side -> side.loading().heap()))
                        .row(row("  metaspace", figures, side -> side.loading().metaspace()))
                        .row(row("  native", figures, side -> side.loading().other()))
                        .row(
                                "processor, idle, a minute",
                                Table.seconds(perMinute(figures.agent().idleCpu())),
                                Table.seconds(perMinute(figures.bare().idleCpu())),
                                "")
                        .row(
                                "program down in its upgrade",
                                Table.seconds(figures.down()),
                                Table.seconds(figures.bareDown()),
                                Table.ratio(figures.down(), figures.bareDown())));
    }

    private AgentMeasurements.Workload shape() {
        return new AgentMeasurements.Workload(
                starts, Duration.ofSeconds(idle), (long) download << 20);
    }

    private Duration perMinute(Duration cpu) {
        return cpu.multipliedBy(60).dividedBy(Math.max(1, idle));
    }

    private static String[] row(
            String name,
            AgentMeasurements figures,
            java.util.function.ToLongFunction<AgentMeasurements.Measurement> kibi) {
        long agent = kibi.applyAsLong(figures.agent());
        long bare = kibi.applyAsLong(figures.bare());
        return new String[] {
            name,
            mebi(agent),
            mebi(bare),
            String.format(Locale.ROOT, "%.2f", (double) agent / Math.max(1, bare))
        };
    }

    private static String mebi(long kibi) {
        return String.format(Locale.ROOT, "%.1f MiB", kibi / 1024.0);
    }

    private static Path made(Path directory) {
        try {
            return Files.createDirectory(directory);
        } catch (java.io.IOException e) {
            throw new UserFacingError(directory + " cannot be made: " + e.getMessage(), e);
        }
    }
}
