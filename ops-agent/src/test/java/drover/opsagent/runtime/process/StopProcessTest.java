package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
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
import drover.opsagent.main.Waits;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Real processes that end by a signal of their own, or take their time. */
class StopProcessTest {
    private static final BinaryName APP = new BinaryName("app");

    @TempDir Path directory;
    private Path root;
    private final FastTicker ticker = new FastTicker();
    private ProcessRuntime runtime;

    /** Time that passes ten times as fast: the programs of this class take seconds of it. */
    private static final class FastTicker implements Ticker {
        private static final int FASTER = 10;
        private final SystemTicker real = new SystemTicker();

        @Override
        public long nanos() {
            return real.nanos() * FASTER;
        }

        @Override
        public Instant wallClock() {
            return real.wallClock();
        }

        @Override
        public void pause(Duration duration) {
            real.pause(duration.dividedBy(FASTER));
        }
    }

    @BeforeEach
    void aNode() throws IOException {
        directory = directory.toRealPath();
        root = Files.createDirectories(directory.resolve("root"));
        runtime =
                new ProcessRuntime(
                        "process",
                        new RuntimeContext(
                                new StateDirectory(
                                        directory.resolve("state"),
                                        new DurableFiles(new LocalDisk(), new Random())),
                                root,
                                new SimulatedFetcher(Map.of()),
                                new LinuxProcesses(ticker),
                                ticker,
                                Duration.ofSeconds(2)));
    }

    @ParameterizedTest
    @EnumSource
    void sendsTheSignalOfTheSettings(StopSignal signal) throws IOException {
        String others = "TERM INT QUIT HUP USR1 USR2".replace(signal.name(), "");
        start("trap 'echo asked > ended; exit' %s; trap '' %s;".formatted(signal, others));

        stop(new StopSettings(Optional.of(signal), Optional.empty()));

        assertThat(root.resolve("ended")).hasContent("asked");
    }

    @Test
    @DisplayName("A program that ends only on SIGINT is killed without the setting")
    void sendsTermByDefault() throws IOException {
        start("trap 'echo asked > ended; exit' INT; trap '' TERM;");

        stop(StopSettings.RUNTIME_DEFAULT);

        assertThat(root.resolve("ended")).doesNotExist();
    }

    @Test
    @DisplayName("A program that needs 35 s to end has them with a timeout of 30 min")
    void waitsForTheTimeoutOfTheSettings() throws IOException {
        start(endsAfter("3.5"));

        stop(new StopSettings(Optional.empty(), Optional.of(Duration.ofMinutes(30))));

        assertThat(root.resolve("ended")).hasContent("done");
    }

    @Test
    @DisplayName("A program that needs 10 min to end is killed after 20 s without the setting")
    void killsAfterTwentySecondsByDefault() throws IOException {
        start(endsAfter("60"));

        stop(StopSettings.RUNTIME_DEFAULT);

        assertThat(root.resolve("ended")).doesNotExist();
    }

    @Test
    void logsThatAProgramIsKilled() throws IOException {
        start("trap '' TERM;");
        StopSettings shortTimeout =
                new StopSettings(Optional.empty(), Optional.of(Duration.ofSeconds(1)));

        assertThat(warningsOf(() -> stop(shortTimeout)))
                .singleElement(STRING)
                .startsWith("Program does not stop and is killed program=app processes=");
    }

    @Test
    void reportsThatAProgramIsKilled() throws IOException {
        start("trap '' INT;");
        StopSettings oneSecond =
                new StopSettings(Optional.of(StopSignal.INT), Optional.of(Duration.ofSeconds(1)));

        assertThat(stop(oneSecond))
                .isEqualTo("app did not end within 1 s of SIGINT and was killed.");
    }

    @Test
    void logsNothingAboutAProgramThatEndsInTime() throws IOException {
        start("");

        assertThat(warningsOf(() -> stop(StopSettings.RUNTIME_DEFAULT))).isEmpty();
    }

    private static List<String> warningsOf(Runnable action) {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(Supervisor.class);
        Level level = log.getLevel();
        log.addAppender(lines);
        log.setLevel(Level.WARN);
        try {
            action.run();
        } finally {
            log.setLevel(level);
            log.detachAppender(lines);
        }
        String thread = Thread.currentThread().getName(); // an agent of another test may log, too
        return lines.list.stream()
                .filter(line -> line.getThreadName().equals(thread))
                .filter(line -> line.getLevel().equals(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    @DisplayName("D4: a deadline that comes before the timeout leaves time to kill the program")
    void killsBeforeTheDeadline() throws IOException {
        start("trap '' TERM;");

        runtime.stop(
                APP,
                new StopSettings(Optional.empty(), Optional.of(Duration.ofMinutes(30))),
                ticker.deadlineIn(Duration.ofSeconds(20)));

        assertThat(runtime.status(APP).desired()).isFalse();
    }

    @Test
    @DisplayName("{root} and {path} stand for places on the node in the environment, too")
    void replacesPlaceholdersInTheEnvironment() throws IOException {
        start("echo \"$HOME_DIR $SELF\" > env;");

        stop(StopSettings.RUNTIME_DEFAULT);

        assertThat(root.resolve("env")).hasContent(root + "/home " + root.resolve("app"));
    }

    /** A script's words that make it end so many real seconds after SIGTERM. */
    private static String endsAfter(String seconds) {
        return "finish() { trap '' TERM; sleep %s; echo done > ended; exit; }; trap finish TERM;"
                .formatted(seconds);
    }

    private String stop(StopSettings settings) {
        return runtime.stop(APP, settings, ticker.deadlineIn(Duration.ofMinutes(31)));
    }

    /** Starts a script that does this first and then runs until it is asked to end. */
    private void start(String first) throws IOException {
        Path file = root.resolve("app");
        Files.writeString(file, first + "\necho up > up\nwhile :; do sleep 0.05; done\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/app"),
                        "",
                        List.of("/bin/bash", "{path}"),
                        Map.of("HOME_DIR", "{root}/home", "SELF", "{path}"),
                        "",
                        ProgramDigestSource.FILE);
        runtime.start(
                new ProgramSpec(APP, "process", launch, List.of()),
                Digest.of("any"),
                Digest.of("config"),
                ticker.deadlineIn(Duration.ofMinutes(10)));
        await().atMost(Waits.LIMIT).until(() -> Files.exists(root.resolve("up")));
    }
}
