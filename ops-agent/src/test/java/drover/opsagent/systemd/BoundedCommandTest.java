package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.opsagent.main.Waits;
import drover.opsagent.systemd.BoundedCommand.Result;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.SystemTicker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Programs run for their answer. */
class BoundedCommandTest {
    @Test
    void returnsExitCodeAndOutput() {
        Result ended = BoundedCommand.run(List.of("/bin/ls", "/not/there"), in(90_000));
        assertThat(ended.exit()).isNotZero();
        assertThat(ended.lastLine()).contains("/not/there");
    }

    @Test
    @DisplayName("H15: an argument is an argument, whatever a shell would make of it")
    void passesArgumentsOnAsTheyAre() {
        Result ended = BoundedCommand.run(List.of("/bin/echo", "$(id); echo *"), in(90_000));
        assertThat(ended.output()).isEqualTo("$(id); echo *\n");
    }

    @Test
    void keepsTheEndOfALongOutput() {
        Result ended = BoundedCommand.run(List.of("/usr/bin/seq", "1", "200000"), in(90_000));
        assertThat(ended.output()).hasSize(256 * 1024).endsWith("199999\n200000\n");
    }

    @Test
    void endsAtItsDeadline() {
        Deadline soon = in(200);
        List<String> sleep = List.of("/bin/sleep", "1000.123");
        assertThatThrownBy(() -> BoundedCommand.run(sleep, soon))
                .isInstanceOf(SystemdUnits.SystemdCallFailed.class)
                .hasMessage("sleep 1000.123 did not end in time");
        await().atMost(Waits.LIMIT).until(() -> !isRunning("1000.123"));
    }

    private static boolean isRunning(String argument) {
        return ProcessHandle.current()
                .children()
                .map(child -> child.info().arguments().orElse(new String[0]))
                .anyMatch(arguments -> List.of(arguments).contains(argument));
    }

    @Test
    void reportsWhatDoesNotExist() {
        assertThatThrownBy(() -> BoundedCommand.run(List.of("/not/there", "show"), in(1_000)))
                .isInstanceOf(SystemdUnits.SystemdCallFailed.class)
                .hasMessage("there show cannot be run");
    }

    private static Deadline in(int millis) {
        return new SystemTicker().deadlineIn(Duration.ofMillis(millis));
    }
}
