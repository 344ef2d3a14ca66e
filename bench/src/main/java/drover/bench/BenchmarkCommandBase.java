package drover.bench;

import drover.bench.deployment.StartedResources;
import drover.localenv.UserFacingError;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all figures share: a directory of their own, one sentence when something is wrong. */
abstract class BenchmarkCommandBase implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli fills it before the command runs
    private CommandSpec spec;

    /** Measures and tells; what is below the directory is deleted afterwards. */
    abstract void measure(Path directory, StartedResources running);

    @Override
    public final Integer call() {
        Path directory = null;
        try {
            directory = Files.createTempDirectory("drover-bench-");
            try (StartedResources running = new StartedResources()) {
                stopOnSignal(running, directory);
                measure(directory, running);
            }
            delete(directory);
            return 0;
        } catch (IOException e) {
            return printError("No temporary directory can be made; make room, or set TMPDIR.");
        } catch (UserFacingError e) {
            return printError(e.message() + " What is there stays in " + directory + ".");
        } catch (StatusRuntimeException e) { // a door refused, in the operator's words
            return printError(e.getStatus() + " What is there stays in " + directory + ".");
        }
    }

    /** Ctrl-C leaves no process, no database and no files behind. */
    private static void stopOnSignal(StartedResources running, Path directory) {
        Runnable end =
                () -> {
                    if (!running.isEnded()) {
                        running.close();
                        delete(directory);
                    }
                };
        Runtime.getRuntime().addShutdownHook(new Thread(end, "end-when-asked"));
    }

    private int printError(String sentence) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(sentence);
        err.flush();
        return FAILED;
    }

    void print(Object text) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(text);
        out.flush();
    }

    /** The middle one; of an even number the better of the two in the middle. */
    static Duration lowerMedian(List<Duration> times) {
        return times.stream().sorted().toList().get((times.size() - 1) / 2);
    }

    private static void delete(Path tree) {
        try (Stream<Path> entries = Files.walk(tree)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(tree + " could not be deleted; delete it by hand.", e);
        }
    }
}
