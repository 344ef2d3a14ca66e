package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.localenv.UserFacingError;
import drover.standalone.command.InterruptConfirmation.Effect;
import drover.standalone.command.InterruptConfirmation.PartsToStop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InterruptConfirmationTest {
    private static final Path PSEUDO_TERMINAL = Path.of("/usr/bin/script");
    private static final int CTRL_C = 3;

    /** A background job of a shell ignores interrupts, and so do its children, such as tests. */
    private static final String DEFAULT_INTERRUPTS = "--default-signal=INT";

    private static final String QUESTION =
            "Ctrl-C stops 2 programs. Press it again within 10 s to confirm. Or do less.";

    private final List<String> events = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private Effect effect = new Effect(PartsToStop.PROGRAMS, "stops 2 programs");
    private final InterruptConfirmation confirmation =
            new InterruptConfirmation(
                    () -> now, () -> effect, "Or do less.", events::add, () -> events.add("exit"));

    @Test
    void theSecondInterruptExits() {
        confirmation.onInterrupt();
        assertThat(events).containsExactly(QUESTION);
        now = now.plus(InterruptConfirmation.VALIDITY).minusMillis(1);
        confirmation.onInterrupt();
        assertThat(events).containsExactly(QUESTION, "exit");
    }

    @Test
    @DisplayName("During a start that has started nothing yet, the first Ctrl-C exits")
    void theFirstInterruptExitsIfNothingRuns() {
        effect = Effect.NONE;
        confirmation.onInterrupt();
        assertThat(events).containsExactly("exit");
    }

    @Test
    @DisplayName("A Ctrl-C during the start does not confirm one that stops more")
    void needsAnotherConfirmationIfMoreWouldStop() {
        confirmation.onInterrupt();
        effect = new Effect(PartsToStop.SERVICES_AND_PROGRAMS, "stops the services");
        confirmation.onInterrupt();
        assertThat(events)
                .containsExactly(
                        QUESTION,
                        "Ctrl-C stops the services. Press it again within 10 s to confirm. Or do"
                                + " less.");
    }

    @Test
    @DisplayName("A number of processes that changes meanwhile needs no other confirmation")
    void confirmsAlsoIfTheNumbersChange() {
        confirmation.onInterrupt();
        effect = new Effect(PartsToStop.PROGRAMS, "stops 3 programs");
        confirmation.onInterrupt();
        assertThat(events).containsExactly(QUESTION, "exit");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("An effect that cannot be determined is confirmed, too")
    void exitsAlsoIfTheEffectIsUnknown(boolean onlyAtTheSecond) {
        boolean[] fails = {!onlyAtTheSecond};
        InterruptConfirmation unreadable =
                new InterruptConfirmation(
                        () -> now,
                        () -> {
                            if (fails[0]) {
                                throw new UserFacingError("The nodes cannot be read.");
                            }
                            return effect;
                        },
                        "Or do less.",
                        events::add,
                        () -> events.add("exit"));
        unreadable.onInterrupt();
        fails[0] = true;
        unreadable.onInterrupt();
        assertThat(events).hasSize(2).endsWith("exit");
        assertThat(events.getFirst()).contains("Press it again within 10 s to confirm");
    }

    @Test
    void aLateSecondInterruptIsAFirstOne() {
        confirmation.onInterrupt();
        now = now.plus(InterruptConfirmation.VALIDITY);
        confirmation.onInterrupt();
        now = now.plus(Duration.ofSeconds(1));
        confirmation.onInterrupt();
        assertThat(events).containsExactly(QUESTION, QUESTION, "exit");
    }

    @Test
    void aProcessWithoutATerminalEndsAtTheFirstInterrupt() throws Exception {
        Process process =
                new ProcessBuilder(
                                "env",
                                DEFAULT_INTERRUPTS,
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Waiting.class.getName())
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            readUntil(output, "ready");
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
            assertThat(process.waitFor()).isEqualTo(130);
            assertThat(output.readLine()).isNull();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aProcessOnATerminalExitsAtTheSecondInterrupt() throws Exception {
        assumeTrue(
                Files.isExecutable(PSEUDO_TERMINAL),
                "Skipped: there is no " + PSEUDO_TERMINAL + " to make a terminal");
        String command =
                String.join(
                        " ",
                        "env",
                        DEFAULT_INTERRUPTS,
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "'" + Waiting.class.getName() + "'"); // its '$' is no variable
        Process process =
                new ProcessBuilder(PSEUDO_TERMINAL.toString(), "-qec", command, "/dev/null")
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader output =
                        new BufferedReader(
                                new InputStreamReader(
                                        process.getInputStream(), StandardCharsets.UTF_8));
                OutputStream keyboard = process.getOutputStream()) {
            readUntil(output, "ready");
            keyboard.write(CTRL_C);
            keyboard.flush();
            readUntil(output, "question");
            assertThat(process.isAlive()).isTrue();
            keyboard.write(CTRL_C);
            keyboard.flush();
            assertThat(process.waitFor()).isEqualTo(130);
        } finally {
            process.destroyForcibly();
        }
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

    /** A process that runs until it is interrupted twice. */
    static final class Waiting {
        private Waiting() {}

        public static void main(String[] arguments) throws InterruptedException {
            InterruptConfirmation.installIfTerminal(
                    System.out::println,
                    () -> new Effect(PartsToStop.SERVICES, "stops the question"),
                    "Or do less.");
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }
}
