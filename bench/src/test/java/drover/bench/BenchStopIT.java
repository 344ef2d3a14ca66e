package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Faults;
import drover.coordinator.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real signal to a real measurement, whose database and services name its directory. */
@Faults(
        rule = "N1 (benches report figures and assert none)",
        sample = "HelpTest.everyMeasurementExplainsItself")
class BenchStopIT {
    private static final Duration START = Duration.ofMinutes(2);

    @TempDir Path folder;
    private @Nullable Process bench;

    @AfterEach
    void endWhatATestLeft() {
        if (bench != null) {
            bench.descendants().forEach(ProcessHandle::destroyForcibly);
            bench.destroyForcibly();
        }
    }

    @Test
    void aSignalInTheMiddleOfTheDatabasesStartLeavesNothingBehind() throws Exception {
        Process started = start();
        await().atMost(START).until(() -> !processes("postgres").isEmpty());
        endsAndLeavesNothing(started);
    }

    @Test
    void aSignalInTheMiddleOfTheServicesStartLeavesNothingBehind() throws Exception {
        Process started = start();
        await().atMost(START).until(() -> !processes("ManifestServiceMain").isEmpty());
        endsAndLeavesNothing(started);
    }

    private Process start() throws IOException {
        bench =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Djava.io.tmpdir=" + folder,
                                "-Xmx256m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "fleet",
                                "--agents",
                                "2")
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output").toFile())
                        .start();
        return bench;
    }

    private void endsAndLeavesNothing(Process started) throws Exception {
        List<ProcessHandle> children = started.descendants().toList();
        // Not INT: where the build itself runs in the background, it and its children ignore that.
        new ProcessBuilder("kill", "-TERM", Long.toString(started.pid())).start().waitFor();

        assertThat(started.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(children).isNotEmpty().noneMatch(ProcessHandle::isAlive);
        assertThat(processes("")).isEmpty();
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).noneMatch(path -> path.toString().contains("drover-bench-"));
        }
    }

    /** Other processes with the test's directory and this word on their command line. */
    private List<String> processes(String word) {
        return ProcessHandle.allProcesses()
                .filter(process -> bench == null || process.pid() != bench.pid())
                .flatMap(process -> commandLine(process.pid()).stream())
                .filter(line -> line.contains(folder.toString()) && line.contains(word))
                .toList();
    }

    private static List<String> commandLine(long pid) {
        try {
            return List.of(Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")));
        } catch (IOException e) {
            return List.of(); // it has just ended
        }
    }
}
