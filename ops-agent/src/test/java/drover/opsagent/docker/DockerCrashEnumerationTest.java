package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.journal.Journal;
import drover.opsagent.main.Faults;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Stops the agent before every write and every change of a container, in the full suite again
 * before every one of its recovery: by itself, with the engine (which then starts containers by
 * their restart policy), and with the machine (which also loses writes that were not synced).
 */
class DockerCrashEnumerationTest {
    /** One crash in the default suite; pairs of crashes, six minutes, in the full suite. */
    private static final int CRASHES = Faults.FULL_SUITE ? 2 : 1;

    private final Set<String> seen = new HashSet<>();
    private final Set<AttemptOutcome> outcomes = EnumSet.noneOf(AttemptOutcome.class);
    private int crashes;

    private String runBefore = "";

    private enum Ends {
        NEW_OR_OLD,
        NEW_UNLESS_RESTORED,
        OLD
    }

    @Test
    @DisplayName("D3 D7 D12: an upgrade, stopped anywhere, ends all old or all new, never two")
    void anUpgradeEndsWholeWhereverItIsStopped() {
        DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
        explore(node, node.upgrade(1), Ends.NEW_OR_OLD, CRASHES);
        assertThat(outcomes).contains(AttemptOutcome.SUCCEEDED);
        assertThat(crashes).isGreaterThan(60);
    }

    @Test
    @DisplayName("D3 D12 A14: so does one of the configuration and the launch alone")
    void aConfigurationUpgradeEndsWholeWhereverItIsStopped() {
        DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
        node.imageAfter = DockerNode.OLD;
        explore(node, node.upgrade(1), Ends.NEW_OR_OLD, CRASHES);
        assertThat(outcomes).contains(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("D6 D7 D12: an upgrade whose program falls ends all old, wherever it is stopped")
    void aFallingProgramEndsAllOldWhereverItIsStopped() {
        DockerNode node = DockerNode.running(ProgramBehavior.FALLS);
        explore(node, node.upgrade(1), Ends.OLD, CRASHES);
        assertThat(outcomes).containsExactly(AttemptOutcome.FAILED);
    }

    @Test
    @DisplayName("A13 D12: a restore, stopped anywhere, brings container and configuration back")
    void aRestoreEndsAllOldWhereverItIsStopped() {
        DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
        node.agent(1).boot().processor.process(node.upgrade(1));
        explore(node, DockerNode.restore(2, 1), Ends.OLD, CRASHES);
        assertThat(outcomes).containsExactly(AttemptOutcome.RESTORED);
    }

    @Test
    @DisplayName("D12 D15: a restore whose stop fails ends all new or all old")
    void aRestoreWhoseStopFailsEndsWholeWhereverItIsStopped() {
        DockerNode node = DockerNode.running(ProgramBehavior.CANNOT_BE_STOPPED);
        node.agent(1).boot().processor.process(node.upgrade(1));
        runBefore = node.app().runId();
        explore(node, DockerNode.restore(2, 1), Ends.NEW_UNLESS_RESTORED, CRASHES);
        assertThat(outcomes).contains(AttemptOutcome.REFUSED, AttemptOutcome.RESTORED);
    }

    private void explore(DockerNode node, CommandWithContents delivery, Ends ends, int depth) {
        List<DockerNode> stopped = new ArrayList<>();
        Runnable stop =
                () -> {
                    if (depth > 0) {
                        stopped.add(node.snapshot());
                    }
                };
        node.disk.setWriteHook(stop);
        node.engine.setChangeHook(stop);
        DockerNode.Agent agent = node.agent(depth + 10).boot();
        agent.processor.process(delivery);
        agent.supervise();
        check(node, agent.journal(delivery.command().attempt()), ends);
        for (DockerNode at : stopped) {
            crashes++;
            resume(at.snapshot(), delivery, ends, depth);
            DockerNode engineRestarted = at.snapshot();
            engineRestarted.engine.restartEngine();
            resume(engineRestarted, delivery, ends, depth);
            for (long kept : new long[] {0, -1}) {
                resume(at.afterPowerFailure(kept), delivery, ends, depth);
            }
        }
    }

    private void resume(DockerNode after, CommandWithContents delivery, Ends ends, int depth) {
        if (seen.add(depth + " " + after.fingerprint().value())) {
            explore(after, delivery, ends, depth - 1);
        }
    }

    private void check(DockerNode node, Journal journal, Ends ends) {
        AttemptOutcome outcome = journal.ending().outcome();
        outcomes.add(outcome);
        assertThat(node.violations).isEmpty();
        assertThat(node.engine.sharedMountViolations()).isEmpty();
        boolean isNew =
                switch (ends) {
                    case NEW_OR_OLD -> outcome == AttemptOutcome.SUCCEEDED;
                    case NEW_UNLESS_RESTORED -> outcome != AttemptOutcome.RESTORED;
                    case OLD -> false;
                };
        if (ends == Ends.NEW_UNLESS_RESTORED && outcome == AttemptOutcome.FAILED_ROLLBACK) {
            assertThat(node.app().runId()).as("another run is in doubt").isNotEqualTo(runBefore);
            return;
        }
        assertThat(isNew ? node.isNew() : node.isOld())
                .as("ends %s with %s", journal.ending(), shown(node))
                .isTrue();
    }

    private static List<String> shown(DockerNode node) {
        return node.engine.allContainers().stream()
                .map(it -> it.name() + " " + it.isRunning() + " " + it.restartPolicy())
                .toList();
    }
}
