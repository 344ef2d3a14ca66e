package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("D15: a command whose first record meets one error of the disk is refused")
class FailingJournalTest {
    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();
    private boolean failing;
    private boolean failed;

    @ParameterizedTest(name = "{0} in {1}")
    @CsvSource({
        "createExclusive, /state/attempts/, /state/attempts/1.json",
        "attributes, /state/attempts/, /state/attempts/1.json",
        "rename, /state/attempts/, /state/attempts/1.json",
        "syncDirectory, /state/attempts, /state/attempts",
        "createExclusive, /state/contents/1/, /state/contents/1/"
    })
    @DisplayName("its sentence names the file, and no temporary one")
    void namesTheFile(String operation, String start, String named) {
        StateDirectory state =
                new StateDirectory(
                        SimulatedNode.STATE,
                        new DurableFiles(failingOnce(operation, start), new Random(3)));
        CommandProcessor processor =
                new CommandProcessor(state, agent.runtime, node.ticker, agent.slot, true);
        processor.startIncarnation();
        processor.recoverOpenAttempt();
        failing = true;
        processor.process(SimulatedNode.upgrade(1));

        assertThat(failed).isTrue();
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.DISK_ERROR);
        assertThat(journal.ending().detail())
                .contains(named, "Input/output error")
                .doesNotContain(".drover-");
        assertThat(node.spawned).as("the program runs on").hasSize(1);
    }

    /** The disk of the node, which rejects one call on a path that starts like this. */
    private Disk failingOnce(String operation, String start) {
        return (Disk)
                Proxy.newProxyInstance(
                        Disk.class.getClassLoader(),
                        new Class<?>[] {Disk.class},
                        (proxy, method, arguments) -> {
                            if (failing && !failed && method.getName().equals(operation)) {
                                String path = String.valueOf(arguments[arguments.length - 1]);
                                failed = path.startsWith(start);
                                if (failed) {
                                    throw newFailure(path);
                                }
                            }
                            try {
                                return method.invoke(node.disk, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static DiskFailure newFailure(String path) {
        String error = "Input/output error";
        return new DiskFailure(
                "Cannot write " + path + ": " + error, false, new IllegalStateException(error));
    }
}
