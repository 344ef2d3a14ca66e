package drover.bench;

import drover.bench.RepeatedRolloutRunner.RolloutMeasurement;
import drover.bench.deployment.DeploymentConnections;
import drover.bench.deployment.DeploymentCpuAndWriteUsage;
import drover.bench.deployment.MultiProcessBenchDeployment;
import drover.bench.deployment.StartedResources;
import drover.bench.fleet.BenchNode;
import drover.localenv.Await;
import drover.rollout.v1.CreateRolloutRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench idle}: the same small batch beside more and more nodes that do nothing. */
@Command(name = "idle", description = "Upgrades the same few nodes beside more and more idle ones.")
final class RolloutWithIdleNodesBenchmark extends BenchmarkCommandBase {
    private static final Duration QUIET = Duration.ofSeconds(10);

    @Option(
            names = "--idle",
            paramLabel = "N",
            split = ",",
            defaultValue = "10,100,1000,10000",
            description = "How many idle nodes, growing (default: 10,100,1000,10000).")
    private List<Integer> idle = List.of();

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many nodes are upgraded beside them (default: 10).")
    private int batch;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "20",
            description = "Measured rollouts for each number of idle nodes (default: 20).")
    private int rounds;

    @Override
    void measure(Path directory, StartedResources running) {
        BenchTable table =
                new BenchTable(
                        "idle nodes",
                        "median",
                        "commits",
                        "writes",
                        "coordinator",
                        "gateway",
                        "PostgreSQL",
                        "quiet: coordinator",
                        "gateway",
                        "PostgreSQL");
        try (MultiProcessBenchDeployment deployment =
                MultiProcessBenchDeployment.start(
                        directory, running, DeploymentConnections.plaintext())) {
            deployment.growTo(batch);
            RepeatedRolloutRunner few =
                    new RepeatedRolloutRunner(deployment, smallBatchRequest(), batch);
            few.run(rounds);
            for (int size : idle.stream().sorted().toList()) {
                deployment.growTo(batch + size);
                few.run(rounds / 2); // the new ones have calmed down meanwhile
                DeploymentCpuAndWriteUsage quiet = measureIdleUsage(deployment);
                addRow(table, size, few.run(rounds), quiet);
            }
        }
        print("Processor time is that of one rollout, and of one quiet second.");
        print(table);
    }

    private CreateRolloutRequest smallBatchRequest() {
        return FleetBenchmark.singleBatchRequest(batch).toBuilder()
                .addAllNodeIds(
                        IntStream.range(0, batch)
                                .mapToObj(number -> new BenchNode(number).id().value())
                                .toList())
                .build();
    }

    private static DeploymentCpuAndWriteUsage measureIdleUsage(
            MultiProcessBenchDeployment deployment) {
        DeploymentCpuAndWriteUsage before = deployment.usage();
        Await.until(QUIET, QUIET, () -> false);
        return deployment.usage().since(before);
    }

    private static void addRow(
            BenchTable table,
            int size,
            List<RolloutMeasurement> measured,
            DeploymentCpuAndWriteUsage quiet) {
        List<DeploymentCpuAndWriteUsage> used =
                measured.stream().map(RolloutMeasurement::usage).toList();
        table.addRow(
                Integer.toString(size),
                BenchTable.seconds(
                        lowerMedian(used.stream().map(DeploymentCpuAndWriteUsage::time).toList())),
                mean(measured.stream().mapToLong(RolloutMeasurement::commits).average().orElse(0)),
                mean(
                        used.stream()
                                .mapToLong(DeploymentCpuAndWriteUsage::writes)
                                .average()
                                .orElse(0)),
                formatMean(used, DeploymentCpuAndWriteUsage::coordinator),
                formatMean(used, DeploymentCpuAndWriteUsage::gateway),
                formatMean(used, DeploymentCpuAndWriteUsage::postgres),
                BenchTable.millisPerPart(quiet.coordinator(), QUIET.toSeconds()),
                BenchTable.millisPerPart(quiet.gateway(), QUIET.toSeconds()),
                BenchTable.millisPerPart(quiet.postgres(), QUIET.toSeconds()));
    }

    private static String formatMean(
            List<DeploymentCpuAndWriteUsage> used,
            Function<DeploymentCpuAndWriteUsage, Duration> what) {
        return BenchTable.millisPerPart(
                used.stream().map(what).reduce(Duration.ZERO, Duration::plus), used.size());
    }

    private static String mean(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
