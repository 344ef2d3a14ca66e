package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

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
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AutoAdvancingTicker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SupervisorTest {
    private static final Path ROOT = Path.of("/node");
    private static final Path FILE = ROOT.resolve("app");
    private static final BinaryName APP = new BinaryName("app");
    private static final Digest CONFIG = Digest.of("config");

    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SimulatedProcesses processes =
            new SimulatedProcesses(
                    disk,
                    ticker,
                    digest ->
                            digest.equals(Digest.of("bad"))
                                    ? SimulatedProcesses.ProgramBehavior.FALLS
                                    : SimulatedProcesses.ProgramBehavior.RUNS);
    private final List<Long> starts = new ArrayList<>();

    SupervisorTest() {
        install("good");
        processes.addStartObserver(_ -> starts.add(ticker.nanos()));
    }

    @Test
    @DisplayName("D3 D4: a stop in the middle of supervision's start wins: nothing runs after it")
    void nothingStartsWhatIsBeingStopped() throws InterruptedException {
        HeldProcesses held = new HeldProcesses(processes);
        ProcessRuntime runtime = runtime(held);
        runtime.setDesiredRunning(spec(ProgramDigestSource.EXE), Digest.of("good"), CONFIG);
        Thread stopping =
                Thread.ofVirtual()
                        .unstarted(
                                () ->
                                        runtime.stop(
                                                APP,
                                                StopSettings.RUNTIME_DEFAULT,
                                                ticker.deadlineIn(minutes(1))));
        held.beforeSpawn =
                () -> {
                    stopping.start();
                    held.joinShortly(stopping);
                };
        runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
        stopping.join();
        assertThat(processes.allProcesses()).isEmpty();
        assertThat(runtime.status(APP)).isEqualTo(new ProgramState.Down(false, 0));
        runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
        assertThat(processes.allProcesses()).isEmpty();
    }

    @Test
    @DisplayName("D5: a process that still runs keeps the configuration of its own start")
    void keepsTheConfigurationOfAProcessThatRuns() {
        ProcessRuntime runtime = runtime(processes);
        runtime.setDesiredRunning(spec(ProgramDigestSource.EXE), Digest.of("good"), CONFIG);
        runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
        runtime.setDesiredRunning(
                spec(ProgramDigestSource.EXE), Digest.of("good"), Digest.of("another"));
        assertThat(runtime.status(APP))
                .isInstanceOfSatisfying(
                        ProgramState.Up.class,
                        up -> assertThat(up.configDigest()).isEqualTo(CONFIG));
    }

    @Test
    void logsTheFirstStartOfAProgramAsAStart() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(Supervisor.class);
        Level level = log.getLevel();
        log.addAppender(lines);
        log.setLevel(Level.INFO);
        try {
            ProcessRuntime runtime = runtime(processes);
            runtime.setDesiredRunning(spec(ProgramDigestSource.EXE), Digest.of("good"), CONFIG);
            runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
            crashAndRestart(runtime);
        } finally {
            log.setLevel(level);
            log.detachAppender(lines);
        }
        String thread = Thread.currentThread().getName(); // an agent of another test may log, too
        assertThat(lines.list)
                .filteredOn(line -> line.getThreadName().equals(thread))
                .extracting(ILoggingEvent::getFormattedMessage)
                .contains("Program is started program=app")
                .filteredOn(line -> line.contains("crashed"))
                .hasSize(1);
    }

    @Test
    void waitsLongerBetweenStartsButNeverLongerThanHalfAMinute() {
        install("bad");
        ProcessRuntime runtime = runtime(processes);
        runtime.setDesiredRunning(spec(ProgramDigestSource.EXE), Digest.of("bad"), CONFIG);
        watchFor(runtime, Duration.ofMinutes(10));
        List<Long> waits = new ArrayList<>();
        for (int i = 1; i < starts.size(); i++) {
            waits.add(Duration.ofNanos(starts.get(i) - starts.get(i - 1)).toSeconds());
        }
        assertThat(waits.subList(0, 7)).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 32L);
        assertThat(waits).allMatch(seconds -> seconds <= 32);
        assertThat(runtime.isCrashLooping(APP)).isTrue();
        assertThat(((ProgramState.Down) runtime.status(APP)).startsSince())
                .isEqualTo(starts.size() - 1);
    }

    @Test
    void readsTheOutputOfTheCurrentRunAndOfTheRunBefore() {
        install("good");
        ProcessRuntime runtime = runtime(processes);
        runtime.start(
                spec(ProgramDigestSource.EXE),
                Digest.of("good"),
                CONFIG,
                ticker.deadlineIn(minutes(1)));
        append("first run\n");
        crashAndRestart(runtime);
        append("second run\n");

        assertThat(runtime.logTail(APP, 1_000)).isEqualTo("second run\n");
        assertThat(runtime.crashedLogTail(APP, 1_000)).isEqualTo("first run\n");
        assertThat(runtime.describeLastCrash(APP)).endsWith("(last line: \"first run\")");

        crashAndRestart(runtime);
        assertThat(runtime.logTail(APP, 1_000)).isEmpty();
        assertThat(runtime.describeLastCrash(APP)).endsWith("(last line: \"second run\")");
    }

    @Test
    void readsTheWholeLogAfterItWasTrimmed() {
        install("good");
        ProcessRuntime runtime = runtime(processes);
        append("x".repeat((int) ProgramLogTrimmer.LARGEST));
        runtime.start(
                spec(ProgramDigestSource.EXE),
                Digest.of("good"),
                CONFIG,
                ticker.deadlineIn(minutes(1)));
        append("printed\n");

        runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
        disk.putDurableFile(log(), bytes("after the trim\n"), FileAttributes.PRIVATE);

        assertThat(runtime.logTail(APP, 1_000)).isEqualTo("after the trim\n");
    }

    @Test
    void forgetsTheCrashLoopOfAProgramThatWasReplaced() {
        install("bad");
        ProcessRuntime runtime = runtime(processes);
        runtime.setDesiredRunning(spec(ProgramDigestSource.EXE), Digest.of("bad"), CONFIG);
        watchFor(runtime, Duration.ofSeconds(30));
        assertThat(runtime.isCrashLooping(APP)).isTrue();
        assertThat(runtime.describeLastCrash(APP))
                .startsWith("with ")
                .contains("it printed nothing");
        install("good");
        runtime.start(
                spec(ProgramDigestSource.EXE),
                Digest.of("good"),
                CONFIG,
                ticker.deadlineIn(minutes(1)));
        assertThat(runtime.isCrashLooping(APP)).isFalse();
        assertThat(runtime.describeLastCrash(APP)).isEmpty();
        assertThat(((ProgramState.Up) runtime.status(APP)).startsSince()).isZero();
    }

    @Test
    @DisplayName("D5: identity file: a start by supervision proves the file as it is by then")
    void measuresTheFileAtEachStart() {
        ProcessRuntime runtime = runtime(processes);
        ProgramSpec script = spec(ProgramDigestSource.FILE);
        runtime.start(script, Digest.of("good"), CONFIG, ticker.deadlineIn(minutes(1)));
        install("changed by hand");
        assertThat(running(runtime)).isEqualTo(Digest.of("good"));
        processes.allProcesses().keySet().forEach(processes::crash);
        runtime.supervise(List.of(script));
        assertThat(running(runtime)).isEqualTo(Digest.of("changed by hand"));
    }

    @Test
    void doesNotStartAProgramWhoseFileIsMissing() {
        ProcessRuntime runtime = runtime(processes);
        disk.delete(FILE);
        runtime.setDesiredRunning(spec(ProgramDigestSource.EXE), Digest.of("good"), CONFIG);
        runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
        assertThat(starts).isEmpty();
        assertThat(runtime.status(APP).desired()).isTrue();
    }

    private void watchFor(ProcessRuntime runtime, Duration duration) {
        long until = ticker.nanos() + duration.toNanos();
        while (ticker.nanos() < until) {
            runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
            ticker.pause(Duration.ofMillis(500));
        }
    }

    private static @Nullable Digest running(ProcessRuntime runtime) {
        return ((ProgramState.Up) runtime.status(APP)).digest();
    }

    private static Path log() {
        return Path.of("/state/run/app").resolve(LaunchCommandBuilder.LOG);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void append(String text) {
        boolean exists = disk.kind(log()) == Disk.EntryKind.FILE;
        String before = exists ? new String(disk.readAll(log()), StandardCharsets.UTF_8) : "";
        disk.putDurableFile(log(), bytes(before + text), FileAttributes.PRIVATE);
    }

    private void crashAndRestart(ProcessRuntime runtime) {
        ticker.pause(Duration.ofMinutes(1));
        processes.allProcesses().keySet().forEach(processes::crash);
        runtime.supervise(List.of(spec(ProgramDigestSource.EXE)));
        assertThat(processes.allProcesses()).hasSize(1);
    }

    private void install(String program) {
        disk.putDurableFile(FILE, program.getBytes(StandardCharsets.UTF_8), FileAttributes.PROGRAM);
    }

    private ProcessRuntime runtime(Processes on) {
        disk.putDurableFile(Path.of("/state/keep"), new byte[0], FileAttributes.PRIVATE);
        StateDirectory state =
                new StateDirectory(Path.of("/state"), new DurableFiles(disk, new Random(1)));
        return new ProcessRuntime(
                "simulated",
                new RuntimeContext(
                        state,
                        ROOT,
                        new SimulatedFetcher(Map.of()),
                        on,
                        ticker,
                        Duration.ofSeconds(1)));
    }

    private static ProgramSpec spec(ProgramDigestSource identity) {
        return new ProgramSpec(
                APP,
                "simulated",
                new LaunchSpec(new NodePath("/app"), "", List.of(), Map.of(), "", identity),
                List.of());
    }

    private static Duration minutes(int minutes) {
        return Duration.ofMinutes(minutes);
    }

    /** Lets a test act between the decision to start a program and its start. */
    private static final class HeldProcesses extends ForwardingProcesses {
        Runnable beforeSpawn = () -> {};

        HeldProcesses(Processes processes) {
            super(processes);
        }

        void joinShortly(Thread thread) {
            try {
                // With the lock it waits for us; without it, it would be done by now.
                CountDownLatch over = new CountDownLatch(1);
                Thread.startVirtualThread(
                        () -> {
                            join(thread);
                            over.countDown();
                        });
                var _ = over.await(500, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Pid spawn(LaunchRequest order) {
            beforeSpawn.run();
            return super.spawn(order);
        }
    }
}
