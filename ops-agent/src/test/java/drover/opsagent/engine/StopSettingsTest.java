package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.time.Deadline;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each stop of an attempt: with which settings, and within which time. */
class StopSettingsTest {
    private static final StopSettings SLOW =
            new StopSettings(Optional.of(StopSignal.INT), Optional.of(Duration.ofMinutes(30)));

    private final Map<Digest, ProgramBehavior> behaviours = new HashMap<>();
    private final SimulatedNode node = SimulatedNode.running(behaviours);
    private final SimulatedNode.Agent agent = node.agent(1);
    private final List<Stop> stops = new ArrayList<>();
    private Duration taken = Duration.ZERO;

    private record Stop(StopSettings settings, Duration limit) {}

    @Test
    @DisplayName("The version that is replaced is stopped by the settings of the upgrade")
    void stopsByTheSettingsOfTheUpgrade() {
        process(SimulatedNode.upgrade(1, SLOW));

        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(stops.getFirst()).isEqualTo(new Stop(SLOW, Duration.ofSeconds(60 + 1_780)));
    }

    @Test
    void waitsForAStopThatTakesHalfAnHour() {
        taken = Duration.ofMinutes(30);

        process(SimulatedNode.upgrade(1, SLOW));

        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    void failsAfterTheTimeoutAndItsMargin() {
        taken = Duration.ofSeconds(60 + 1_780);

        process(SimulatedNode.upgrade(1, SLOW));

        assertThat(journal(1).ending().reason()).isEqualTo(ReasonCode.ACTION_TIMED_OUT);
        assertThat(journal(1).ending().detail())
                .startsWith("stop_node took longer than it may (1840 s at the most)");
    }

    @Test
    @DisplayName("Compensation and rollback have the same settings and the same time more")
    void stopsByTheSameSettingsOnTheWayBack() {
        behaviours.put(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS);
        process(SimulatedNode.upgrade(1, SLOW));
        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(stops).extracting(Stop::settings).containsOnly(SLOW);
        assertThat(stops.getLast().limit()).isEqualTo(Duration.ofSeconds(120 + 1_780));
    }

    @Test
    void rollsBackByTheSettingsOfWhatRuns() {
        process(SimulatedNode.upgrade(1, SLOW));
        stops.clear();

        process(SimulatedNode.restore(2, 1));

        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(stops.getFirst().settings()).isEqualTo(SLOW);
    }

    @Test
    void stopsByTheDefaultWithoutSettings() {
        process(SimulatedNode.upgrade(1));

        assertThat(stops.getFirst())
                .isEqualTo(new Stop(StopSettings.RUNTIME_DEFAULT, Duration.ofSeconds(60)));
    }

    @Test
    @DisplayName("A program that had to be killed is reported by the step that stopped it")
    void reportsAProgramThatHadToBeKilled() {
        behaviours.put(Digest.of(SimulatedNode.OLD), ProgramBehavior.IGNORES_TERMINATION);
        behaviours.put(Digest.of(SimulatedNode.NEW), ProgramBehavior.IGNORES_TERMINATION);
        process(SimulatedNode.upgrade(1, SLOW));
        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(stepDetails(1))
                .containsExactly(
                        "stop_node: app did not end within 1800 s of SIGINT and was killed.");

        process(SimulatedNode.restore(2, 1));
        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(stepDetails(2))
                .as("within the 550 s of this restore")
                .containsExactly(
                        "restore:stop_node: app did not end within 545 s of SIGINT"
                                + " and was killed.");
    }

    @Test
    void reportsNothingAboutAProgramThatEndsInTime() {
        process(SimulatedNode.upgrade(1, SLOW));

        assertThat(stepDetails(1)).isEmpty();
    }

    private List<String> stepDetails(long attempt) {
        return AttemptStatus.of(journal(attempt), 0, 0).steps().stream()
                .filter(step -> !step.detail().isEmpty())
                .map(step -> step.name() + ": " + step.detail())
                .toList();
    }

    private void process(CommandWithContents command) {
        CommandProcessor processor =
                new CommandProcessor(agent.state, recorded(), node.ticker, agent.slot, true);
        processor.startIncarnation();
        processor.recoverOpenAttempt();
        processor.process(command);
    }

    /** The real runtime, each stop noted; the first takes a while. */
    private NodeRuntime recorded() {
        return (NodeRuntime)
                Proxy.newProxyInstance(
                        NodeRuntime.class.getClassLoader(),
                        new Class<?>[] {NodeRuntime.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("stop")) {
                                Deadline deadline = (Deadline) arguments[2];
                                stops.add(new Stop((StopSettings) arguments[1], deadline.left()));
                            }
                            try {
                                return method.invoke(agent.runtime, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            } finally {
                                boolean first = stops.size() == 1;
                                if (method.getName().equals("stop") && first) {
                                    node.ticker.pause(taken);
                                }
                            }
                        });
    }

    private Journal journal(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt));
    }
}
