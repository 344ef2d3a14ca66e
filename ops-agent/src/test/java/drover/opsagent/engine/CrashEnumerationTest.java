package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.opsagent.journal.Journal;
import drover.opsagent.main.Faults;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stops the agent before every write and every process effect of an attempt, and again before every
 * one of its recovery: by itself (its processes live on, nothing is lost) and with the whole
 * machine (every subset of un-synced writes is lost). A state met before is not run twice: what
 * follows from it is the same. For an agent that is not stopped again, what an earlier one was
 * still writing makes no other state.
 */
@Execution(ExecutionMode.CONCURRENT) // scenarios that share nothing
class CrashEnumerationTest {
    private static final int ALL_SUBSETS_UP_TO = 6;
    private static final int SAMPLED_SUBSETS = 64;
    private static final int CRASHES = 2;

    /** The default suite stops the agent at each single point and at each tenth pair. */
    private static final int EACH_PAIR = Faults.FULL_SUITE ? 1 : 10;

    private final Random sampling = new Random(20_26);
    private final Map<AttemptOutcome, Integer> outcomes = new EnumMap<>(AttemptOutcome.class);
    private final Set<String> seen = new HashSet<>();
    private final int[] crashPoints = new int[CRASHES];
    private int metPairs;
    private int runs;

    private record Scenario(
            String name,
            CommandWithContents delivery,
            boolean configOnly,
            boolean changesConfig,
            BiPredicate<SimulatedNode, AttemptOutcome> endsRight) {}

    @Test
    @DisplayName("C1 D1 D2 D3 D6 D7 D12: an upgrade, stopped anywhere, ends all old or all new")
    void anUpgradeEndsWholeWhereverItIsStopped() {
        enumerate(
                SimulatedNode.running(Map.of()),
                new Scenario(
                        "upgrade",
                        SimulatedNode.upgrade(1),
                        false,
                        false,
                        (node, outcome) ->
                                outcome == AttemptOutcome.SUCCEEDED ? isNew(node) : isOld(node)));
        // An artifact has its staged name only when its bytes are durable: none is lost later.
        assertThat(outcomes.keySet())
                .contains(AttemptOutcome.SUCCEEDED)
                .isSubsetOf(AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED);
    }

    @Test
    @DisplayName("A14 D3: so does an upgrade of the configuration alone")
    void aConfigurationUpgradeEndsWholeWhereverItIsStopped() {
        enumerate(
                SimulatedNode.running(Map.of()),
                new Scenario(
                        "config-only",
                        SimulatedNode.configOnly(1),
                        true,
                        false,
                        (node, outcome) ->
                                outcome == AttemptOutcome.SUCCEEDED
                                        ? node.isAll(
                                                SimulatedNode.OLD,
                                                SimulatedNode.NEW_CONFIG,
                                                SimulatedNode.NEW_PEERS,
                                                "new")
                                        : isOld(node)));
        assertThat(outcomes.keySet()).contains(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("D3 D6 D7: an upgrade whose program falls ends all old, wherever it is stopped")
    void aFallingProgramEndsAllOldWhereverItIsStopped() {
        enumerate(
                SimulatedNode.running(Map.of(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS)),
                new Scenario(
                        "start fails",
                        SimulatedNode.upgrade(1),
                        false,
                        false,
                        (node, outcome) -> outcome == AttemptOutcome.FAILED && isOld(node)));
    }

    @Test
    @DisplayName("A13 D3: a restore, stopped anywhere, brings program and configuration back")
    void aRestoreEndsAllOldWhereverItIsStopped() {
        SimulatedNode node = SimulatedNode.running(Map.of());
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1));
        enumerate(
                node,
                new Scenario(
                        "restore",
                        SimulatedNode.restore(2, 1),
                        false,
                        false,
                        (after, outcome) -> outcome == AttemptOutcome.RESTORED && isOld(after)));
    }

    @Test
    @DisplayName("D14 D20: an upgrade of a program that cannot be stopped ends all old or all new")
    void anUpgradeOfAProgramThatCannotBeStoppedEndsWhole() {
        enumerate(
                SimulatedNode.running(Map.of(Digest.of(SimulatedNode.OLD), ProgramBehavior.HANGS)),
                new Scenario(
                        "stop fails",
                        SimulatedNode.upgrade(1),
                        false,
                        false,
                        (node, outcome) ->
                                outcome == AttemptOutcome.SUCCEEDED ? isNew(node) : isOld(node)));
        assertThat(outcomes.keySet())
                .contains(AttemptOutcome.FAILED)
                .isSubsetOf(AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED);
    }

    @Test
    @DisplayName("D14 D15: a restore of a program that cannot be stopped ends all new or all old")
    void aRestoreOfAProgramThatCannotBeStoppedEndsWhole() {
        SimulatedNode node =
                SimulatedNode.running(Map.of(Digest.of(SimulatedNode.NEW), ProgramBehavior.HANGS));
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1));
        enumerate(
                node,
                new Scenario(
                        "stop of a restore fails",
                        SimulatedNode.restore(2, 1),
                        false,
                        false,
                        (after, outcome) ->
                                outcome == AttemptOutcome.RESTORED ? isOld(after) : isNew(after)));
        assertThat(outcomes.keySet())
                .contains(AttemptOutcome.REFUSED)
                .isSubsetOf(AttemptOutcome.RESTORED, AttemptOutcome.REFUSED);
    }

    @Test
    @DisplayName("B15 D3: an upgrade of a program that changes its configuration at each start")
    void anUpgradeOfAProgramThatChangesItsConfigurationEndsWhole() {
        enumerate(
                SimulatedNode.running(Map.of()),
                new Scenario(
                        "upgrade, configuration changed by the program",
                        SimulatedNode.upgrade(1),
                        false,
                        true,
                        (node, outcome) ->
                                outcome == AttemptOutcome.SUCCEEDED ? isNew(node) : isOld(node)));
        assertThat(outcomes.keySet())
                .contains(AttemptOutcome.SUCCEEDED)
                .doesNotContain(AttemptOutcome.FAILED_ROLLBACK);
    }

    @ParameterizedTest(name = "changes allowed: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("B15 D3 D12: a restore of a program that changes its configuration at each start")
    void aRestoreOfAProgramThatChangesItsConfigurationEndsAllOld(boolean allowed) {
        SimulatedNode node = SimulatedNode.running(Map.of());
        node.changesConfig = true;
        List<NodePath> changed = allowed ? List.of(SimulatedNode.CONFIG) : List.of();
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1, changed));
        enumerate(
                node,
                new Scenario(
                        "restore, configuration changed by the program",
                        SimulatedNode.restore(2, 1),
                        false,
                        true,
                        (after, outcome) -> outcome == AttemptOutcome.RESTORED && isOld(after)));
    }

    private void enumerate(SimulatedNode start, Scenario scenario) {
        explore(start, scenario, 0);
        System.out.printf(
                "%s: counted %d crash points, %d pairs, %d distinct runs, outcomes %s%n",
                scenario.name(), crashPoints[0], crashPoints[1], runs, outcomes);
        assertThat(crashPoints[0]).isGreaterThan(60);
        assertThat(crashPoints[1]).isGreaterThan(Faults.FULL_SUITE ? 3_600 : 360);
    }

    private void explore(SimulatedNode node, Scenario scenario, int crashes) {
        List<SimulatedNode> stopped = runToTheEnd(node, scenario, crashes);
        if (crashes == CRASHES) {
            return;
        }
        for (SimulatedNode at : stopped) {
            if (crashes > 0 && ++metPairs % EACH_PAIR != 0) {
                continue;
            }
            crashPoints[crashes]++;
            for (long kept : subsets(at.disk.pendingWriteCount())) {
                resume(at.afterPowerFailure(kept), scenario, crashes);
            }
            resume(at, scenario, crashes); // the agent alone was stopped
        }
    }

    private void resume(SimulatedNode after, Scenario scenario, int crashes) {
        boolean last = crashes + 1 == CRASHES; // it is stopped no more
        Digest met = last ? after.fingerprintForTheLast() : after.fingerprint();
        if (seen.add(crashes + " " + met.value())) {
            explore(after, scenario, crashes + 1);
        }
    }

    /** Starts the agent, delivers the command as a leader would, and checks how it ends. */
    private List<SimulatedNode> runToTheEnd(SimulatedNode node, Scenario scenario, int crashes) {
        runs++;
        List<SimulatedNode> stopped = new ArrayList<>();
        Runnable stop = () -> record(node, stopped, crashes);
        node.configOnly = scenario.configOnly();
        node.changesConfig = scenario.changesConfig();
        node.checkWhole();
        node.disk.setWriteHook(stop);
        node.processes.setBeforeStartOrEndHook(stop);
        SimulatedNode.Agent agent = node.agent(crashes + 10).boot();
        agent.processor.process(scenario.delivery());
        stop.run();
        long attempt = scenario.delivery().command().attempt();
        Journal journal = Objects.requireNonNull(agent.journal(attempt), "the journal is lost");
        AttemptOutcome outcome = journal.ending().outcome();
        outcomes.merge(outcome, 1, Integer::sum);
        node.checkWhole();
        assertThat(node.violations).isEmpty();
        assertThat(scenario.endsRight().test(node, outcome))
                .as("%s ends %s", scenario.name(), journal.ending())
                .isTrue();
        assertThat(starts(node, scenario)).as("C1: starts of the new program").isTrue();
        return stopped;
    }

    private void record(SimulatedNode node, List<SimulatedNode> stopped, int crashes) {
        if (crashes < CRASHES) {
            stopped.add(node.snapshot());
        }
    }

    /**
     * A program that runs is never started twice; one that fell may be, for it proved no effect.
     */
    private static boolean starts(SimulatedNode node, Scenario scenario) {
        String target = Digest.of(SimulatedNode.NEW).shortHex();
        long count = node.spawned.stream().filter(target::equals).count();
        return count <= 1 || scenario.name().equals("start fails");
    }

    private List<Long> subsets(int pending) {
        List<Long> masks = new ArrayList<>();
        if (pending <= ALL_SUBSETS_UP_TO) {
            for (long mask = 0; mask < 1L << pending; mask++) {
                masks.add(mask);
            }
        } else {
            for (int i = 0; i < SAMPLED_SUBSETS; i++) {
                masks.add(sampling.nextLong());
            }
        }
        return masks;
    }

    private static boolean isOld(SimulatedNode node) {
        return node.isAll(
                SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    private static boolean isNew(SimulatedNode node) {
        return node.isAll(
                SimulatedNode.NEW, SimulatedNode.NEW_CONFIG, SimulatedNode.NEW_PEERS, "new");
    }
}
