package drover.bench;

import drover.bench.baseline.BareLatency;
import drover.bench.baseline.BareLatency.Trip;
import drover.bench.deployment.BenchDeployment;
import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.MtlsConnections;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench latency}: how soon an agent has its command after the commit. */
@Command(
        name = "latency",
        description =
                "From the commit of a decision until the agent has taken the command, one node"
                        + " after the other, every connection with certificates.")
final class LatencyCommand extends BenchCommand {
    /** About as far apart as commands are in the mesh, where each upgrade lasts as long. */
    private static final Duration REST = Duration.ofMillis(50);

    @Option(
            names = "--agents",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many simulated nodes, of which one has work (default: 100).")
    private int agents;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "5",
            description = "Rollouts before the measured ones (default: 5).")
    private int warmUp;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Measured rollouts, each a sample for every node (default: 5).")
    private int rounds;

    /**
     * @param command from the commit until the agent's journal is in place
     * @param there bare gRPC, one way
     * @param response bare gRPC, there and back
     */
    record Measured(Latencies command, Latencies there, Latencies response) {}

    @Override
    void measure(Path directory, StartedResources running) {
        print(measured(directory, running, agents, warmUp, rounds));
    }

    static Measured measured(
            Path directory, StartedResources running, int agents, int warmUp, int rounds) {
        BenchCa identities = new BenchCa(directory.resolve("identities"));
        try (BenchDeployment deployment =
                BenchDeployment.timed(directory, running, new MtlsConnections(identities))) {
            deployment.growTo(agents);
            Latencies command = new CommandLatency(deployment, agents).measure(warmUp, rounds);
            try (BareLatency bare =
                    BareLatency.open(directory, running, agents, identities.bare())) {
                bare.trips(agents * warmUp, REST);
                List<Trip> trips = bare.trips(agents * rounds, REST);
                return new Measured(
                        command, latencies(trips, Trip::request), latencies(trips, Trip::response));
            }
        }
    }

    private static Latencies latencies(List<Trip> trips, Function<Trip, Duration> which) {
        return new Latencies(trips.stream().map(which).toList());
    }

    private void print(Measured measured) {
        Table table = new Table(measured.command().count() + " commands", "p50", "p99", "most");
        row(table, "from the commit to the agent's journal", measured.command());
        row(table, "bare gRPC, one way", measured.there());
        row(table, "bare gRPC, there and back", measured.response());
        print(table);
    }

    private static void row(Table table, String what, Latencies latencies) {
        table.row(
                what,
                Table.millis(latencies.percentile(50), 1),
                Table.millis(latencies.percentile(99), 1),
                Table.millis(latencies.most(), 1));
    }
}
