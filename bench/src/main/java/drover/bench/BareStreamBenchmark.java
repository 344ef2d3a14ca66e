package drover.bench;

import drover.bench.baseline.BareTlsFiles;
import drover.bench.baseline.StreamBaseline;
import drover.bench.baseline.StreamWorkload;
import drover.bench.deployment.StartedResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench stream}: the limit of the gateway. */
@Command(
        name = "stream",
        description = "Bare gRPC streams with the messages of a rollout: the limit of the gateway.")
final class BareStreamBenchmark extends BenchmarkCommandBase {
    static final int WARM_UP = 5;
    static final int ROUNDS = 9;

    @Option(
            names = "--agents",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many streams (default: 1000).")
    private int agents;

    @Option(
            names = "--per-connection",
            paramLabel = "N",
            defaultValue = "1",
            description = "Agents that share a connection; real ones have one each (default: 1).")
    private int perConnection;

    @Override
    void measure(Path directory, StartedResources running) {
        StreamWorkload shape = StreamWorkload.of(agents, perConnection);
        Duration median = measureMedian(directory, running, shape, Optional.empty());
        long messages = (long) agents * (shape.statuses() + 2);
        print(
                new BenchTable("bare streams", "connections", "messages", "median", "per agent")
                        .addRow(
                                Integer.toString(agents),
                                Integer.toString(Math.ceilDiv(agents, perConnection)),
                                Long.toString(messages),
                                BenchTable.seconds(median),
                                BenchTable.millisPerPart(median, agents)));
    }

    /** The limit, also for the figures that are put beside it. */
    static Duration measureMedian(
            Path directory,
            StartedResources running,
            StreamWorkload shape,
            Optional<BareTlsFiles> tls) {
        try (StreamBaseline bare = StreamBaseline.open(directory, running, shape, tls)) {
            List<Duration> times = new ArrayList<>();
            for (int round = 0; round < WARM_UP + ROUNDS; round++) {
                times.add(bare.measureRound());
            }
            return lowerMedian(times.subList(WARM_UP, times.size()));
        }
    }
}
