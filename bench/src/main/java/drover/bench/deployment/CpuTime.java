package drover.bench.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Processor time of processes, from {@code /proc/PID/stat}. Its unit is 10 ms, so that a figure is
 * good only over many of those.
 */
final class CpuTime {
    private static final Duration TICK = Duration.ofMillis(10); // USER_HZ is 100 on Linux

    // Fields of proc(5), counted from after the name: utime 14, stime 15, cutime 16, cstime 17.
    private static final int OWN = 11;
    private static final int OF_ENDED_CHILDREN = 13;

    private CpuTime() {}

    /** That of one process. */
    static Duration of(long pid) {
        return ticks(pid, OWN);
    }

    /**
     * That of a server which has a process for each connection: all its children, ended ones too.
     */
    static Duration ofProcessTree(long pid) {
        Duration parent = of(pid).plus(ticks(pid, OF_ENDED_CHILDREN));
        try (Stream<ProcessHandle> children =
                ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children)) {
            return children.map(child -> of(child.pid())).reduce(parent, Duration::plus);
        }
    }

    private static Duration ticks(long pid, int field) {
        Path file = Path.of("/proc", Long.toString(pid), "stat");
        try {
            String stat = Files.readString(file);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return TICK.multipliedBy(
                    Long.parseLong(fields[field]) + Long.parseLong(fields[field + 1]));
        } catch (java.nio.file.NoSuchFileException e) {
            return Duration.ZERO; // it has just ended; its parent counts it now
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }
}
