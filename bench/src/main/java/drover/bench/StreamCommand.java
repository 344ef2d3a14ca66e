package drover.bench;

import drover.bench.baseline.BareStream;
import drover.bench.baseline.BareTls;
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
final class StreamCommand extends BenchCommand {
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
        Duration median = median(directory, running, shape, Optional.empty());
        long messages = (long) agents * (shape.statuses() + 2);
        print(
                new Table("bare streams", "connections", "messages", "median", "per agent")
                        .row(
                                Integer.toString(agents),
                                Integer.toString(Math.ceilDiv(agents, perConnection)),
                                Long.toString(messages),
                                Table.seconds(median),
                                Table.millis(median, agents)));
    }

    /** The limit, also for the figures that are put beside it. */
    static Duration median(
            Path directory, StartedResources running, StreamWorkload shape, Optional<BareTls> tls) {
        try (BareStream bare = BareStream.open(directory, running, shape, tls)) {
            List<Duration> times = new ArrayList<>();
            for (int round = 0; round < WARM_UP + ROUNDS; round++) {
                times.add(bare.once());
            }
            return median(times.subList(WARM_UP, times.size()));
        }
    }
}
