package drover.standalone.command;

import drover.kit.log.Logging;
import drover.simulation.Simulation;
import drover.simulation.SimulationFailed;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover simulate}: the whole mesh in virtual time, with everything going wrong. */
@Command(
        name = "simulate",
        description = {
            "Plays the whole mesh in virtual time, one story per seed, with everything going wrong,",
            "and stops at the first story in which a rule does not hold."
        })
public final class SimulateCommand extends StandaloneCommandBase {
    private static final long REPORT_EVERY = 1_000;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many stories to play (default: ${DEFAULT-VALUE}).")
    private long seeds;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Begin with this story; without --seeds, play it alone.")
    private @Nullable Long seed;

    @Option(names = "--verbose", description = "Tell every story line by line.")
    private boolean verbose;

    private final Map<String, Long> ends = new TreeMap<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private final AtomicLong played = new AtomicLong();
    private final AtomicLong events = new AtomicLong();

    @Override
    int run() {
        long first = seed == null ? 1 : seed;
        boolean alone = seed != null && !isGiven("--seeds");
        long last = alone ? first : first + seeds - 1;
        Logging.disable(); // a story that fails tells of itself
        LongStream all = LongStream.rangeClosed(first, last);
        try {
            (verbose ? all : all.parallel()).forEach(this::runSeed);
        } catch (SimulationFailed e) {
            printError(String.valueOf(e.getMessage()));
            return FAILED;
        }
        print(
                "Played "
                        + played
                        + (played.get() == 1 ? " story" : " stories")
                        + ", "
                        + events
                        + " events; every rule held. Rollouts ended "
                        + ends
                        + ".");
        print("How often: " + counts + ".");
        return DONE;
    }

    private void runSeed(long number) {
        if (verbose) {
            print("Seed " + number);
        }
        Simulation.RunStatistics ending =
                Simulation.run(number, verbose ? this::print : line -> {});
        synchronized (ends) {
            ending.ends().forEach(end -> ends.merge(end, 1L, Long::sum));
            ending.counts().forEach((what, often) -> counts.merge(what, (long) often, Long::sum));
        }
        events.addAndGet(ending.events());
        long count = played.incrementAndGet();
        if (count % REPORT_EVERY == 0) {
            print(count + " stories played.");
        }
    }
}
