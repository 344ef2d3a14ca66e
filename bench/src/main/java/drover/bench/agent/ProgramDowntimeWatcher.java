package drover.bench.agent;

import drover.localenv.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How long no process executed a file, as good as one look at all processes: a few milliseconds.
 */
final class ProgramDowntimeWatcher implements AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(1);
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final FutureTask<Duration> longest;

    private ProgramDowntimeWatcher(Path program) {
        longest = new FutureTask<>(() -> watch(program));
        Thread.ofPlatform().daemon().name("outage").start(longest);
    }

    /** Begins to look. */
    static ProgramDowntimeWatcher startWatching(Path program) {
        return new ProgramDowntimeWatcher(program);
    }

    /** The longest time without it until now. */
    Duration stopAndGetLongest() {
        stopped.set(true);
        try {
            return longest.get();
        } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException("Nobody looked", e);
        }
    }

    private Duration watch(Path program) {
        long seen = System.nanoTime();
        long most = 0;
        while (!stopped.get()) {
            boolean runs = pid(program) > 0;
            long now = System.nanoTime();
            if (runs) {
                most = Math.max(most, now - seen);
                seen = now;
            }
            Await.until(POLL_INTERVAL, POLL_INTERVAL, () -> false);
        }
        return Duration.ofNanos(most);
    }

    /** Of the process that executes the file, replaced or not; 0 when none does. */
    static long pid(Path program) {
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (executes(process, program)) {
                    return Long.parseLong(process.getFileName().toString());
                }
            }
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException("/proc cannot be read", e);
        }
    }

    private static boolean executes(Path process, Path program) {
        try {
            String link = Files.readSymbolicLink(process.resolve("exe")).toString();
            return link.startsWith(program.toString());
        } catch (IOException _) {
            return false; // it has ended, or is none of ours
        }
    }

    @Override
    public void close() {
        stopped.set(true);
    }
}
