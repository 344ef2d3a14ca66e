package drover.opsagent.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.model.program.Probe;
import drover.opsagent.main.Waits;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes of a probe: nothing that a probe starts outlives it. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProbeProcessesTest {
    private static final Duration SHORT = Duration.ofMillis(700);

    // Processes of other tests and of earlier runs are none of this one's.
    private final String sleeper = "86400." + ProcessHandle.current().pid() + System.nanoTime();
    private final LocalProbeRunner check = new LocalProbeRunner(LocalPolicy.WHOLE_ROOT);

    @AfterEach
    void endSleepers() {
        sleepers().forEach(ProcessHandle::destroyForcibly);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sleep TAG & exit 0",
                "(sleep TAG & sleep TAG) & exit 0",
                "setsid sleep TAG & exit 0",
                "nohup sleep TAG & exit 0",
                "env -i sleep TAG & sleep 0.3; exit 0",
                "setsid sh -c 'trap \"\" TERM; sleep TAG; true' & sleep 0.3; exit 0"
            })
    void aProbeThatEndsLeavesNoProcess(String script) {
        assertThat(run(script, Waits.LIMIT)).isEmpty();
        assertThat(sleepers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sleep TAG",
                "trap '' TERM; sleep TAG & sleep TAG; sleep TAG",
                "(setsid sleep TAG &) ; sleep TAG",
                "env -i setsid sleep TAG & wait"
            })
    void aProbeThatTimesOutLeavesNoProcess(String script) {
        assertThat(run(script, SHORT)).isEqualTo("it did not end in time");
        assertThat(sleepers()).isEmpty();
    }

    @Test
    void theInputOfAProbeIsEmpty() {
        assertThat(run("cat > /dev/null; exit 0", Waits.LIMIT)).isEmpty();
    }

    @Test
    void aProbeEndsWithTheAgent() throws InterruptedException {
        AtomicReference<String> problem = new AtomicReference<>("");
        Thread probing =
                Thread.ofVirtual()
                        .start(() -> problem.set(run("setsid sleep TAG & wait", Waits.LIMIT)));
        await().atMost(Waits.LIMIT).until(() -> sleepers().size() == 1);
        probing.interrupt();
        probing.join();
        assertThat(problem.get()).isEqualTo("the agent is being closed");
        assertThat(sleepers()).isEmpty();
    }

    @Test
    @DisplayName("A probe of an agent that was killed ends with the first probe of the next agent")
    void killsWhatAKilledAgentLeft() throws IOException {
        String namespace =
                Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                        .toString()
                        .replaceAll("\\D", "");
        long self = ProcessHandle.current().pid();
        Process left = sleep("probe-" + namespace + "-" + self + "-1-1"); // an earlier process
        Process elsewhere = sleep("probe-1-" + self + "-1-1");
        Process program = sleep("an ordinary run");
        assertThat(run("exit 0", Waits.LIMIT)).isEmpty();
        await().atMost(Waits.LIMIT).until(() -> !left.isAlive());
        assertThat(elsewhere.isAlive()).as("process of another container").isTrue();
        assertThat(program.isAlive()).isTrue();
    }

    private Process sleep(String marker) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sleep", sleeper);
        builder.environment().put(Processes.MARKER, marker);
        return builder.start();
    }

    private String run(String script, Duration timeout) {
        List<String> command = List.of("/bin/sh", "-c", script.replace("TAG", sleeper));
        return check.runAndFindProblem(new Probe.Check.Exec(command), timeout, true);
    }

    private List<ProcessHandle> sleepers() {
        return ProcessHandle.allProcesses()
                .filter(
                        one ->
                                List.of(one.info().arguments().orElse(new String[0]))
                                        .contains(sleeper))
                .toList();
    }
}
