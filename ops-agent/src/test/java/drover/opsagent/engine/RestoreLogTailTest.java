package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a restore says about the program that it takes away. */
class RestoreLogTailTest {
    private static final Path LOG = SimulatedNode.STATE.resolve("run/app/output.log");
    private static final String WORDS = "x".repeat(10_000) + "panic: no such peer\n";

    private final SimulatedNode node = SimulatedNode.running(new HashMap<>());
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName("A restore from a program that fell carries the end of its output, 8 KiB at most")
    void keepsTheLastWordsOfAProgramThatFell() {
        upgradeThatSpeaks();
        fall(agent);
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(restored(agent).logTail()).hasSize(8 * 1024).endsWith("panic: no such peer\n");
    }

    @Test
    @DisplayName("The fall is known to the agent that comes after the one that saw it")
    void keepsThemAcrossARestartOfTheAgent() {
        upgradeThatSpeaks();
        fall(agent);
        SimulatedNode.Agent next = node.agent(2).boot();
        next.processor.process(SimulatedNode.restore(2, 1));
        assertThat(restored(next).logTail()).endsWith("panic: no such peer\n");
    }

    @Test
    void hasNoLastWordsOfAProgramThatNeverFell() {
        upgradeThatSpeaks();
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(restored(agent).logTail()).isEmpty();
    }

    private void upgradeThatSpeaks() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(LOG, SimulatedNode.bytes(WORDS), FileAttributes.PRIVATE);
    }

    private void fall(SimulatedNode.Agent observer) {
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        observer.runtime.supervise(
                observer.state.loadProfile().programs().stream()
                        .map(ProgramProfile::spec)
                        .toList());
        assertThat(node.processes.allProcesses()).hasSize(1); // up again, between two falls
    }

    private static AttemptResult restored(SimulatedNode.Agent by) {
        AttemptResult ending = Objects.requireNonNull(by.journal(2)).ending();
        assertThat(ending.outcome()).isEqualTo(AttemptOutcome.RESTORED);
        return ending;
    }
}
