package drover.opsagent.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.program.Probe;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.probe.LocalProbeRunner;
import drover.opsagent.runtime.Processes;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs and probes inherit of an agent that was started with unusual attributes. */
class InheritedAttributeDefaultsTest {
    /** The C library ignores these two of its own in each process that the JDK starts. */
    private static final long SIGNALS_OF_C_LIBRARY = 1L << 31 | 1L << 32;

    private static final List<String> SHOW_STATUS =
            List.of("/bin/grep", "-E", "^(Umask|SigBlk|SigIgn)", "/proc/self/status");

    @TempDir Path directory;

    @BeforeEach
    void probesMayWrite() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @Test
    @DisplayName(
            "A program has the umask 0022 and no ignored or blocked signal, however the agent is started")
    void programsAndProbesGetDefaults() throws IOException, InterruptedException {
        Process agent =
                new ProcessBuilder(
                                "/bin/sh",
                                "-c",
                                "umask 0077; exec env --ignore-signal=HUP,INT,QUIT,USR1,PIPE"
                                        + " --block-signal=TERM,ALRM \"$@\"",
                                "sh",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                StartsPrograms.class.getName(),
                                directory.toString())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(agent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(agent.waitFor()).as(output).isZero();

        for (String status : List.of("program", "probe")) {
            assertThat(directory.resolve(status)).isNotEmptyFile();
            String text = Files.readString(directory.resolve(status));
            assertThat(text).as(status).contains("Umask:\t0022\n");
            assertThat(signals("SigBlk", text)).as(status).isZero();
            assertThat(signals("SigIgn", text) & ~SIGNALS_OF_C_LIBRARY).as(status).isZero();
        }
    }

    private static long signals(String field, String status) {
        var line = Pattern.compile(field + ":\\s+([0-9a-f]+)").matcher(status);
        assertThat(line.find()).as(field + " in " + status).isTrue();
        return Long.parseUnsignedLong(line.group(1), 16);
    }

    /** An agent's process as far as it starts programs. */
    static final class StartsPrograms {
        private StartsPrograms() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            Path directory = Path.of(arguments[0]);
            SystemTicker ticker = new SystemTicker();
            LinuxProcesses processes = new LinuxProcesses(ticker);
            Processes.Pid program =
                    processes.spawn(
                            new Processes.LaunchRequest(
                                    Path.of(SHOW_STATUS.getFirst()),
                                    SHOW_STATUS,
                                    Map.of(),
                                    directory,
                                    directory.resolve("program"),
                                    "a run"));
            while (processes.isAlive(program)) {
                ticker.pause(Duration.ofMillis(10));
            }
            String problem =
                    new LocalProbeRunner(LocalPolicy.WHOLE_ROOT)
                            .runAndFindProblem(
                                    new Probe.Check.Exec(
                                            List.of(
                                                    "/bin/cp",
                                                    "--no-preserve=mode",
                                                    "/proc/self/status",
                                                    directory.resolve("probe").toString())),
                                    Duration.ofMinutes(2),
                                    true);
            if (!problem.isEmpty()) {
                throw new IllegalStateException(problem);
            }
            Process hangup = new ProcessBuilder("/bin/sh", "-c", "kill -HUP $PPID").start();
            hangup.waitFor(); // ends this process if the hangup is not survived any more
        }
    }
}
