package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.localenv.DataDirectory;
import drover.standalone.command.Main;
import drover.standalone.fleet.AgentlessProgramStopper;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.Waits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code up} on a terminal, as a separate process: Ctrl-C, and {@code down --keep-programs}. */
class UpOnTerminalIT {
    private static final Path PSEUDO_TERMINAL = Path.of("/usr/bin/script");
    private static final int CTRL_C = 3;
    private static final int INTERRUPTED = 130;

    @TempDir Path folder;

    private @Nullable Process up; // null before it is started

    @AfterEach
    void leaveNoProcess() throws Exception {
        if (data().isInitialized()) {
            drover("down");
        }
        if (up != null) {
            up.destroyForcibly();
        }
    }

    @Test
    @Timeout(300) // a missing line would be waited for without limit
    @DisplayName(
            "Programs outlive 'down --keep-programs', and Ctrl-C of the next start spares them")
    void keepsProgramsUntilTheyAreStopped() throws Exception {
        FullBuildAssumption.requireEverything();
        assumeTrue(
                Files.isExecutable(PSEUDO_TERMINAL),
                "Skipped: there is no " + PSEUDO_TERMINAL + " to make a terminal");
        Process first = startUp();
        try (BufferedReader output = outputOf(first)) {
            readUntil(output, "drover down --keep-programs --data " + data().root());
            assertThat(processes()).isEqualTo(2);
            assertThat(drover("down", "--keep-programs"))
                    .contains("2 processes of its nodes' programs still run");
            readUntil(output, "Left running: 2 processes");
            first.waitFor();
        }
        assertThat(processes()).isEqualTo(2);
        assertThat(drover("status"))
                .contains("No mesh runs on", "2 processes of its nodes' programs still run");

        Process second = startUp();
        try (BufferedReader output = outputOf(second);
                OutputStream keyboard = second.getOutputStream()) {
            readUntil(output, "Starting PostgreSQL");
            pressCtrlC(keyboard);
            readUntil(
                    output,
                    "Ctrl-C stops 2 processes of the nodes' programs if the start succeeds. Press");
            readUntil(output, "Drover is up with 2 nodes.");
            readUntil(output, "drover down --keep-programs");
            assertThat(processes()).isEqualTo(2);
            pressCtrlC(keyboard);
            readUntil(output, "Ctrl-C stops the services and the programs of 2 nodes. Press it");
            pressCtrlC(keyboard);
            readUntil(output, "Stopped 2 processes of the nodes' programs.");
            assertThat(second.waitFor()).isEqualTo(INTERRUPTED);
        }
        assertThat(processes()).isZero();
    }

    private DataDirectory data() {
        return new DataDirectory(folder.resolve("data"));
    }

    private int processes() {
        return AgentlessProgramStopper.processesOf(data().existingNodes()).size();
    }

    private Process startUp() throws IOException {
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(command("up"));
        command.addAll(List.of("--nodes=2", "--http-port=0", "--grpc-port=0", "--agent-port=0"));
        String line =
                command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Process started =
                new ProcessBuilder(PSEUDO_TERMINAL.toString(), "-qec", line, "/dev/null")
                        .redirectErrorStream(true)
                        .start();
        up = started;
        return started;
    }

    private String drover(String command, String... options) throws Exception {
        List<String> line = command(command);
        line.addAll(List.of(options));
        Path output = Files.createTempFile(folder, command, ".txt");
        Process process =
                new ProcessBuilder(line)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }

    private List<String> command(String command) {
        return new ArrayList<>(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        command,
                        "--data",
                        data().root().toString()));
    }

    private static BufferedReader outputOf(Process process) {
        return new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void pressCtrlC(OutputStream keyboard) throws IOException {
        keyboard.write(CTRL_C);
        keyboard.flush();
    }

    private static void readUntil(BufferedReader output, String text) throws IOException {
        List<String> lines = new ArrayList<>();
        String line;
        while ((line = output.readLine()) != null) {
            lines.add(line);
            if (line.contains(text)) {
                return;
            }
        }
        throw new AssertionError("The process ended without '" + text + "': " + lines);
    }
}
