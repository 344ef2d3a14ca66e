package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.main.Waits;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Real processes: what is ours, what is not, and that nothing of ours is left. */
class LinuxProcessesTest {
    private static final BinaryName APP = new BinaryName("app");
    // A child that ignores termination, one that sheds its environment, one with its own session,
    // and one with neither environment nor session.
    private static final String FORKS =
            """
            (trap '' TERM; sleep 801.TAG; sleep 802.TAG) &
            env -i sleep 803.TAG &
            setsid sleep 804.TAG &
            env -i setsid sleep 805.TAG &
            wait
            """;

    // Processes of other tests and of earlier runs are none of this one's.
    private final String tag = Long.toString(ProcessHandle.current().pid());
    @TempDir Path directory;
    private final SystemTicker ticker = new SystemTicker();
    private final LinuxProcesses processes = new LinuxProcesses(ticker);
    private ProcessRuntime runtime;

    @BeforeEach
    void aNode() throws IOException {
        directory = directory.toRealPath();
        Files.createDirectories(directory.resolve("root"));
        runtime = runtime();
    }

    @AfterEach
    void nothingIsLeft() {
        runtime.stop(APP, StopSettings.RUNTIME_DEFAULT, ticker.deadlineIn(Duration.ofSeconds(30)));
    }

    @Test
    @DisplayName("D4: after a stop no child or grandchild of the program is left")
    void stopsEverythingAProgramForked() throws IOException {
        program("app", FORKS);
        start("/bin/sh", "{path}");
        await().atMost(Waits.LIMIT).until(() -> sleepers().size() == 4);
        runtime.stop(APP, StopSettings.RUNTIME_DEFAULT, ticker.deadlineIn(Duration.ofSeconds(40)));
        assertThat(sleepers()).isEmpty();
        assertThat(runtime.status(APP)).isInstanceOf(ProgramState.Down.class);
    }

    @Test
    @DisplayName("D4: a child that outlives its program is ended, not taken for the program")
    void endsWhatAFallenProgramLeftBehind() throws IOException {
        program("app", "sleep 801.TAG & echo started; exec sleep 806.TAG");
        start("/bin/sh", "{path}");
        await().atMost(Waits.LIMIT).until(() -> sleepers().size() == 2);
        sleepers("806").forEach(ProcessHandle::destroyForcibly);
        await().atMost(Waits.LIMIT).until(() -> sleepers("806").isEmpty());
        Pid worker = pid(sleepers("801").getFirst());
        assertThat(processes.isAlive(worker)).isTrue();
        runtime = runtime(); // another agent takes over
        runtime.adopt(APP);
        assertThat(runtime.status(APP)).isInstanceOf(ProgramState.Down.class);
        runtime.supervise(List.of(spec("/bin/sh", "{path}")));
        assertThat(processes.isAlive(worker)).isFalse();
        await().atMost(Waits.LIMIT).until(() -> sleepers("806").size() == 1);
        await().atMost(Waits.LIMIT).until(() -> sleepers("801").size() == 1);
        assertThat(runtime.status(APP)).isInstanceOf(ProgramState.Up.class);
    }

    @Test
    @DisplayName("A number that was given to another process is never signalled")
    void neverSignalsAReusedNumber() throws IOException {
        Process stranger = new ProcessBuilder("/bin/sleep", "807").start();
        try {
            long ticks = Objects.requireNonNull(ProcStat.read(stranger.pid())).startTicks();
            Pid earlier = new Pid(stranger.pid(), ticks - 100);
            assertThat(processes.isAlive(earlier)).isFalse();
            assertThat(processes.findRunProcesses("no such marker", earlier)).isEmpty();
            processes.terminate(earlier, StopSignal.TERM);
            processes.kill(earlier);
            await().atMost(Waits.LIMIT).during(Duration.ofMillis(300)).until(stranger::isAlive);
            assertThat(processes.isAlive(new Pid(stranger.pid(), ticks))).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    @DisplayName("A program is alive whatever its name: the kernel cuts it inside a character")
    void readsAProcessWhoseNameIsNoText() throws IOException {
        String renames = "printf 'a) S 1 \\303' > /proc/$$/comm; echo done; sleep 808; true";
        Process process = new ProcessBuilder("/bin/sh", "-c", renames).start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("done");
            ProcStat stat = Objects.requireNonNull(ProcStat.read(process.pid()));
            assertThat(stat.parent()).isEqualTo(ProcessHandle.current().pid());
            assertThat(processes.isAlive(stat.pid())).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    @DisplayName("A chatty program cannot fill the disk with its output")
    void keepsTheLogOfARunningProgramSmall() throws IOException {
        program("app", "while :; do echo line; sleep 0.05; done");
        start("/bin/sh", "{path}");
        Path log = directory.resolve("state/run/app/output.log");
        try (RandomAccessFile large = new RandomAccessFile(log.toFile(), "rw")) {
            large.setLength(ProgramLogTrimmer.LARGEST + 1);
        }
        runtime.supervise(List.of(spec("/bin/sh", "{path}")));
        assertThat(Files.size(log)).isLessThan(1 << 20);
        await().atMost(Waits.LIMIT).until(() -> runtime.logTail(APP, 100).startsWith("line\nline"));
        assertThat(log.resolveSibling("output.log.1")).exists();
    }

    @Test
    @DisplayName("The copy of earlier output has a bound, however large the log became unseen")
    void keepsTheEndOfALargeLog() throws IOException {
        Path log =
                Files.createDirectories(directory.resolve("state/run/app")).resolve("output.log");
        writeLarge(log, "the last line\n");
        program("app", "echo started; exec sleep 801.TAG");
        start("/bin/sh", "{path}");
        await().atMost(Waits.LIMIT).until(() -> runtime.logTail(APP, 100).equals("started\n"));
        Path earlier = log.resolveSibling("output.log.1");
        assertThat(Files.size(earlier)).isEqualTo(8L << 20);
        assertThat(endOf(earlier)).isEqualTo("the last line\n");

        writeLarge(log, "another last line\n");
        runtime.supervise(List.of(spec("/bin/sh", "{path}")));
        assertThat(Files.size(log)).isZero();
        assertThat(Files.size(earlier)).isEqualTo(8L << 20);
        assertThat(endOf(earlier)).isEqualTo("her last line\n");
    }

    @Test
    @DisplayName("A log that was deleted under its program is reported once and kept small")
    void reportsADeletedLog() throws IOException {
        program("app", "exec sleep 801.TAG");
        start("/bin/sh", "{path}");
        await().atMost(Waits.LIMIT).until(() -> sleepers("801").size() == 1);
        Path log = directory.resolve("state/run/app/output.log");
        Path output = Path.of("/proc", "" + sleepers("801").getFirst().pid(), "fd/1");
        Pid first = pid(sleepers("801").getFirst());
        assertThat(processes.trimLogAndDetectDeletion(log, first)).isFalse();
        Files.delete(log);
        writeLarge(output, "the last line\n");
        assertThat(processes.trimLogAndDetectDeletion(log, first)).isTrue();
        assertThat(Files.size(output)).isZero();
        assertThat(endOf(log.resolveSibling("output.log.1"))).isEqualTo("the last line\n");
        assertThat(linesOfSupervisor(2))
                .containsExactly("A program writes into a deleted log program={} file={}");
    }

    @Test
    void emptiesALargeLogThatCannotBeCopied() throws IOException {
        Path log = directory.resolve("output.log");
        writeLarge(log, "the last line\n");
        Files.createDirectories(directory.resolve("output.log.1/not empty"));
        assertThat(processes.trimLogAndDetectDeletion(log, Pid.NONE)).isFalse();
        assertThat(Files.size(log)).isZero();
    }

    private List<String> linesOfSupervisor(int rounds) {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(Supervisor.class);
        Level level = log.getLevel();
        log.setLevel(Level.WARN);
        log.addAppender(lines);
        try {
            for (int i = 0; i < rounds; i++) {
                runtime.supervise(List.of(spec("/bin/sh", "{path}")));
            }
        } finally {
            log.detachAppender(lines);
            log.setLevel(level);
        }
        return lines.list.stream().map(ILoggingEvent::getMessage).toList();
    }

    /** Three times as much as a program's output may have. */
    private static void writeLarge(Path log, String end) throws IOException {
        try (RandomAccessFile large = new RandomAccessFile(log.toFile(), "rw")) {
            large.setLength(3 * (8L << 20));
            large.seek(large.length() - end.length());
            large.writeBytes(end);
        }
    }

    private static String endOf(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] end = new byte["the last line\n".length()];
            in.seek(in.length() - end.length);
            in.readFully(end);
            return new String(end, StandardCharsets.UTF_8);
        }
    }

    @Test
    void aFailedStartNamesExitCodeAndLastLine() throws IOException {
        program("app", "echo 'unknown key prot'; exit 3");
        assertThat(failureOfStart())
                .isEqualTo(
                        "app ended within 60.0 s of its start with exit code 3 (last line: \"unknown"
                                + " key prot\"): correct the cause.");
        program("app", "kill -9 $$");
        assertThat(failureOfStart())
                .as("the line of the run before does not count")
                .isEqualTo(
                        "app ended within 60.0 s of its start by SIGKILL (it printed"
                                + " nothing): correct the cause.");
    }

    private String failureOfStart() {
        runtime = runtime(Duration.ofMinutes(1));
        Throwable failure = catchThrowable(() -> start("/bin/sh", "{path}"));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.START_FAILED));
        return String.valueOf(failure.getMessage());
    }

    @Test
    void theTailOfTheLogIsOfThePresentRun() throws IOException {
        program("app", "echo before; exec sleep 801.TAG");
        start("/bin/sh", "{path}");
        await().atMost(Waits.LIMIT).until(() -> runtime.logTail(APP, 100).equals("before\n"));
        runtime.stop(APP, StopSettings.RUNTIME_DEFAULT, ticker.deadlineIn(Duration.ofSeconds(30)));
        program("app", "echo after; exec sleep 801.TAG");
        start("/bin/sh", "{path}");
        await().atMost(Waits.LIMIT).until(() -> runtime.logTail(APP, 100).equals("after\n"));
        assertThat(runtime.logTail(APP, 3)).isEqualTo("er\n");
        assertThat(directory.resolve("state/run/app/output.log")).hasContent("before\nafter");
    }

    private static Pid pid(ProcessHandle process) {
        return Objects.requireNonNull(ProcStat.read(process.pid())).pid();
    }

    private List<ProcessHandle> sleepers() {
        return sleepers("80");
    }

    private List<ProcessHandle> sleepers(String argument) {
        return ProcessHandle.allProcesses()
                .filter(
                        one -> {
                            String[] arguments = one.info().arguments().orElse(new String[0]);
                            return arguments.length == 1
                                    && arguments[0].startsWith(argument)
                                    && arguments[0].endsWith("." + tag);
                        })
                .toList();
    }

    private void program(String name, String script) throws IOException {
        Path file = directory.resolve("root").resolve(name);
        Files.writeString(file, script.replace("TAG", tag));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private void start(String... command) {
        runtime.start(
                spec(command),
                Digest.of("any"),
                Digest.of("config"),
                ticker.deadlineIn(Duration.ofSeconds(30)));
    }

    private ProcessRuntime runtime() {
        return runtime(Duration.ofMillis(200));
    }

    private ProcessRuntime runtime(Duration settle) {
        DurableFiles files = new DurableFiles(new LocalDisk(), new Random());
        return new ProcessRuntime(
                "process",
                new RuntimeContext(
                        new StateDirectory(directory.resolve("state"), files),
                        directory.resolve("root"),
                        new SimulatedFetcher(Map.of()),
                        processes,
                        ticker,
                        settle));
    }

    private static ProgramSpec spec(String... command) {
        return new ProgramSpec(
                APP,
                "process",
                new LaunchSpec(
                        new NodePath("/app"),
                        "",
                        List.of(command),
                        Map.of(),
                        "",
                        ProgramDigestSource.FILE),
                List.of());
    }
}
