package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.NodeRuntime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each of the eight actions has a time of its own (seed 000, Action Primitives). */
class ActionTimeoutTest {
    private final SimulatedNode node = SimulatedNode.running(new HashMap<>());
    private final SimulatedNode.Agent agent = node.agent(1);

    @ParameterizedTest
    @CsvSource({
        "BACKUP_STATE, 60",
        "ACQUIRE_ARTIFACT, 300",
        "VERIFY_ARTIFACT, 30",
        "STOP_NODE, 60",
        "INSTALL_ARTIFACT, 30",
        "WRITE_CONFIGS, 30",
        "RELOAD_DAEMON, 10",
        "START_NODE, 30"
    })
    @DisplayName("An action that exceeds its timeout fails, and the node is restored")
    void anActionThatTakesTooLongHasFailed(UpgradeAction action, int seconds) {
        assertThat(action.timeout()).isEqualTo(Duration.ofSeconds(seconds));

        upgrade(action, Duration.ofSeconds(seconds));

        Journal journal = journal();
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.ACTION_TIMED_OUT);
        assertThat(journal.ending().detail()).contains(action.wireName());
        assertThat(journal.actions().getLast().action()).isEqualTo(action);
        assertThat(isAll(SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS))
                .as("all old, running")
                .isTrue();
        assertThat(node.violations).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void anActionThatIsSlowAndInTimeIsDone(UpgradeAction action) {
        upgrade(action, action.timeout().minus(Duration.ofSeconds(5))); // what it does itself

        assertThat(journal().ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    private void upgrade(UpgradeAction action, Duration taken) {
        NodeRuntime slow = slow(method(action), taken);
        CommandProcessor processor =
                new CommandProcessor(agent.state, slow, node.ticker, agent.slot, true);
        processor.startIncarnation();
        processor.recoverOpenAttempt();
        processor.process(SimulatedNode.upgrade(1));
    }

    private static String method(UpgradeAction action) {
        return switch (action) {
            case BACKUP_STATE -> "backup";
            case ACQUIRE_ARTIFACT -> "acquire";
            case VERIFY_ARTIFACT -> "verify";
            case STOP_NODE -> "stop";
            case INSTALL_ARTIFACT -> "install";
            case WRITE_CONFIGS -> "writeConfig";
            case RELOAD_DAEMON -> "reload";
            case START_NODE -> "start";
        };
    }

    /** The real runtime, of which one method takes long the first time. */
    private NodeRuntime slow(String slow, Duration taken) {
        boolean[] wasSlow = new boolean[1];
        return (NodeRuntime)
                Proxy.newProxyInstance(
                        NodeRuntime.class.getClassLoader(),
                        new Class<?>[] {NodeRuntime.class},
                        (proxy, method, arguments) -> {
                            try {
                                return method.invoke(agent.runtime, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            } finally {
                                if (method.getName().equals(slow) && !wasSlow[0]) {
                                    wasSlow[0] = true;
                                    node.ticker.pause(taken);
                                }
                            }
                        });
    }

    private boolean isAll(byte[] program, byte[] config, byte[] peers) {
        return node.isAll(program, config, peers, "old");
    }

    private Journal journal() {
        return Objects.requireNonNull(agent.journal(1));
    }
}
