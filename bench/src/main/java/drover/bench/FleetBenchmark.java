package drover.bench;

import drover.bench.RepeatedRolloutRunner.RolloutMeasurement;
import drover.bench.baseline.StreamWorkload;
import drover.bench.deployment.DeploymentConnections;
import drover.bench.deployment.DeploymentCpuAndWriteUsage;
import drover.bench.deployment.MultiProcessBenchDeployment;
import drover.bench.deployment.StartedResources;
import drover.bench.mtls.BenchCa;
import drover.bench.mtls.MtlsDeploymentConnections;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Strategy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench fleet}: one batch of everybody, from the start to the last success. */
@Command(name = "fleet", description = "Upgrades a whole fleet of simulated nodes in one batch.")
final class FleetBenchmark extends BenchmarkCommandBase {
    @Option(
            names = "--agents",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many simulated nodes (default: 1000).")
    private int agents;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "6",
            description = "Rollouts before the measured ones (default: 6).")
    private int warmUp;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rollouts, of which the median is told (default: 7).")
    private int rounds;

    @Option(
            names = "--secured",
            description =
                    "Every connection over TLS with certificates at both ends, also that of the"
                            + " bare streams; agents are enrolled.")
    private boolean secured;

    @Override
    void measure(Path directory, StartedResources running) {
        Optional<BenchCa> identities =
                secured
                        ? Optional.of(new BenchCa(directory.resolve("identities")))
                        : Optional.empty();
        DeploymentConnections edges =
                identities
                        .<DeploymentConnections>map(MtlsDeploymentConnections::new)
                        .orElseGet(DeploymentConnections::plaintext);
        try (MultiProcessBenchDeployment deployment =
                MultiProcessBenchDeployment.start(directory, running, edges)) {
            deployment.growTo(agents);
            RepeatedRolloutRunner fleet =
                    new RepeatedRolloutRunner(deployment, singleBatchRequest(agents), agents);
            fleet.run(warmUp);
            List<RolloutMeasurement> measured = fleet.run(rounds);
            long commits = measured.stream().mapToLong(RolloutMeasurement::commits).max().orElse(0);
            print(measured, commits);
            Duration sql =
                    BareSqlBenchmark.measureMedian(deployment.database(), agents, (int) commits);
            Duration stream =
                    BareStreamBenchmark.measureMedian(
                            directory,
                            running,
                            StreamWorkload.of(agents, 1),
                            identities.map(BenchCa::issueBare));
            printBaseline(measured, sql, stream);
        }
    }

    /** Everything at once; nothing is waited for but the agents' proof. */
    static CreateRolloutRequest singleBatchRequest(int agents) {
        return CreateRolloutRequest.newBuilder()
                .setStrategy(Strategy.STRATEGY_ALL_AT_ONCE)
                .setSkipValidation(true)
                .setMaxInFlight(agents)
                .build();
    }

    private void print(List<RolloutMeasurement> measured, long commits) {
        print(
                new BenchTable(
                                "agents",
                                "median",
                                "best",
                                "most commits",
                                "writing transactions",
                                "WAL")
                        .addRow(
                                Integer.toString(agents),
                                BenchTable.seconds(
                                        lowerMedian(
                                                mapUsage(
                                                        measured,
                                                        DeploymentCpuAndWriteUsage::time))),
                                BenchTable.seconds(
                                        mapUsage(measured, DeploymentCpuAndWriteUsage::time)
                                                .stream()
                                                .min(Duration::compareTo)
                                                .orElse(Duration.ZERO)),
                                Long.toString(commits),
                                mean(measured, DeploymentCpuAndWriteUsage::writes) + "",
                                mean(measured, DeploymentCpuAndWriteUsage::walBytes) / 1024 / agents
                                        + " KiB a node"));
        BenchTable cpu = new BenchTable("processor time", "of a rollout", "per node");
        addCpuRow(cpu, "coordinator", measured, DeploymentCpuAndWriteUsage::coordinator);
        addCpuRow(cpu, "gateway", measured, DeploymentCpuAndWriteUsage::gateway);
        addCpuRow(cpu, "PostgreSQL", measured, DeploymentCpuAndWriteUsage::postgres);
        addCpuRow(cpu, "agents, all", measured, DeploymentCpuAndWriteUsage::agents);
        print(cpu);
    }

    private void addCpuRow(
            BenchTable table,
            String who,
            List<RolloutMeasurement> measured,
            Function<DeploymentCpuAndWriteUsage, Duration> what) {
        Duration one =
                mapUsage(measured, what).stream()
                        .reduce(Duration.ZERO, Duration::plus)
                        .dividedBy(measured.size());
        table.addRow(who, BenchTable.seconds(one), BenchTable.millisPerPart(one, agents));
    }

    private void printBaseline(List<RolloutMeasurement> measured, Duration sql, Duration stream) {
        Duration time = lowerMedian(mapUsage(measured, DeploymentCpuAndWriteUsage::time));
        print(
                new BenchTable("limit", "median", "the fleet's is so many times that")
                        .addRow(
                                "bare streams",
                                BenchTable.seconds(stream),
                                BenchTable.ratio(time, stream))
                        .addRow(
                                "bare updates",
                                BenchTable.seconds(sql),
                                BenchTable.ratio(time, sql))
                        .addRow(
                                "both, one after the other",
                                BenchTable.seconds(stream.plus(sql)),
                                BenchTable.ratio(time, stream.plus(sql))));
    }

    private static List<Duration> mapUsage(
            List<RolloutMeasurement> measured,
            Function<DeploymentCpuAndWriteUsage, Duration> what) {
        return measured.stream().map(RolloutMeasurement::usage).map(what).toList();
    }

    private static long mean(
            List<RolloutMeasurement> measured,
            java.util.function.ToLongFunction<DeploymentCpuAndWriteUsage> what) {
        return Math.round(
                measured.stream()
                        .map(RolloutMeasurement::usage)
                        .mapToLong(what)
                        .average()
                        .orElse(0));
    }
}
