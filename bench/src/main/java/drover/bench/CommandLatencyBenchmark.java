package drover.bench;

import drover.bench.baseline.StreamRoundTripBaseline;
import drover.bench.baseline.StreamRoundTripBaseline.RoundTrip;
import drover.bench.deployment.MultiProcessBenchDeployment;
import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.MtlsDeploymentConnections;
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
final class CommandLatencyBenchmark extends BenchmarkCommandBase {
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
    record CommandAndBaselineLatencies(
            LatencyDistribution command, LatencyDistribution there, LatencyDistribution response) {}

    @Override
    void measure(Path directory, StartedResources running) {
        print(measureLatencies(directory, running, agents, warmUp, rounds));
    }

    static CommandAndBaselineLatencies measureLatencies(
            Path directory, StartedResources running, int agents, int warmUp, int rounds) {
        BenchCa identities = new BenchCa(directory.resolve("identities"));
        try (MultiProcessBenchDeployment deployment =
                MultiProcessBenchDeployment.startWithCommandTimes(
                        directory, running, new MtlsDeploymentConnections(identities))) {
            deployment.growTo(agents);
            LatencyDistribution command =
                    new CommandLatencyRolloutRunner(deployment, agents).measure(warmUp, rounds);
            try (StreamRoundTripBaseline bare =
                    StreamRoundTripBaseline.open(
                            directory, running, agents, identities.issueBare())) {
                bare.measureRoundTrips(agents * warmUp, REST);
                List<RoundTrip> trips = bare.measureRoundTrips(agents * rounds, REST);
                return new CommandAndBaselineLatencies(
                        command,
                        latencies(trips, RoundTrip::request),
                        latencies(trips, RoundTrip::response));
            }
        }
    }

    private static LatencyDistribution latencies(
            List<RoundTrip> trips, Function<RoundTrip, Duration> which) {
        return new LatencyDistribution(trips.stream().map(which).toList());
    }

    private void print(CommandAndBaselineLatencies measured) {
        BenchTable table =
                new BenchTable(measured.command().count() + " commands", "p50", "p99", "most");
        addRow(table, "from the commit to the agent's journal", measured.command());
        addRow(table, "bare gRPC, one way", measured.there());
        addRow(table, "bare gRPC, there and back", measured.response());
        print(table);
    }

    private static void addRow(BenchTable table, String what, LatencyDistribution latencies) {
        table.addRow(
                what,
                BenchTable.millisPerPart(latencies.percentile(50), 1),
                BenchTable.millisPerPart(latencies.percentile(99), 1),
                BenchTable.millisPerPart(latencies.max(), 1));
    }
}
