package drover.bench;

import drover.bench.baseline.SqlUpdateBaseline;
import drover.bench.deployment.StartedResources;
import drover.localenv.DataDirectory;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover bench sql}: the limit of the store. */
@Command(
        name = "sql",
        description =
                "Bare UPDATE … FROM unnest with the rows of a rollout: the limit of the store.")
final class BareSqlBenchmark extends BenchmarkCommandBase {
    /** How often a rollout writes a node's row: assigned, upgrading, settling, succeeded. */
    static final int TIMES = 4;

    @Option(
            names = "--agents",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Rows, one for each node (default: 1000).")
    private int agents;

    @Option(
            names = "--commits",
            paramLabel = "N",
            defaultValue = "60",
            description = "Transactions that the updates are spread over (default: 60).")
    private int commits;

    @Override
    void measure(Path directory, StartedResources running) {
        EmbeddedOrExternalDatabase database =
                running.start(
                        () ->
                                EmbeddedOrExternalDatabase.open(
                                        new DataDirectory(directory), Optional.empty()));
        Duration median = measureMedian(database.openPool("drover-bench", 1), agents, commits);
        print(
                new BenchTable("rows", "updates of each", "commits", "median", "per row")
                        .addRow(
                                Integer.toString(agents),
                                Integer.toString(TIMES),
                                Integer.toString(commits),
                                BenchTable.seconds(median),
                                BenchTable.millisPerPart(median, agents)));
    }

    /** The limit, also for the figures that are put beside it. */
    static Duration measureMedian(DataSource database, int rows, int commits) {
        try (SqlUpdateBaseline bare = SqlUpdateBaseline.create(database, rows)) {
            List<Duration> times = new ArrayList<>();
            for (int round = 0;
                    round < BareStreamBenchmark.WARM_UP + BareStreamBenchmark.ROUNDS;
                    round++) {
                times.add(bare.measureUpdates(TIMES, commits));
            }
            return lowerMedian(times.subList(BareStreamBenchmark.WARM_UP, times.size()));
        }
    }
}
