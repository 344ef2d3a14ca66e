package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.journal.Journal;
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

/**
 * Stops the agent, or the whole machine, before every write and every effect of an attempt on a
 * unit that systemd starts with the machine and restarts by itself.
 */
class UnitCrashEnumerationTest {
    private static final int ALL_SUBSETS_UP_TO = 4;
    private static final int SAMPLED_SUBSETS = 8;

    private final Random sampling = new Random(20_26);
    private final Map<AttemptOutcome, Integer> outcomes = new EnumMap<>(AttemptOutcome.class);
    private final Set<String> seen = new HashSet<>();
    private int points;
    private int ends;

    @Test
    @DisplayName("C1 D3 D12: an upgrade under systemd, stopped anywhere, ends all old or all new")
    void anUpgradeEndsWholeWhereverItIsStopped() {
        UnitNode node = UnitNode.running();
        enumerate(node, UnitNode.upgrade(1), (after, _) -> after.isNew());
        assertThat(outcomes.keySet())
                .as("stopped once, it goes on forward")
                .containsExactly(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("D3 D12: one whose program falls ends all old, wherever it is stopped")
    void aFallingProgramEndsAllOldWhereverItIsStopped() {
        Map<Digest, ProgramBehavior> falls = Map.of(Digest.of(UnitNode.NEW), ProgramBehavior.FALLS);
        enumerate(
                UnitNode.running(falls, UnitNode.OLD_UNIT),
                UnitNode.upgrade(1),
                (after, outcome) -> outcome == AttemptOutcome.FAILED && after.isOld());
    }

    @Test
    @DisplayName("A13 D3 D12: a restore under systemd, stopped anywhere, brings everything back")
    void aRestoreEndsAllOldWhereverItIsStopped() {
        UnitNode node = UnitNode.running();
        node.agent(1).boot().processor.process(UnitNode.upgrade(1));
        enumerate(
                node,
                UnitNode.restore(2, 1),
                (after, outcome) -> outcome == AttemptOutcome.RESTORED && after.isOld());
    }

    @Test
    @DisplayName("D12 D20: an upgrade of a unit that cannot be stopped ends all old or all new")
    void anUpgradeOfAUnitThatCannotBeStoppedEndsWhole() {
        UnitNode node = UnitNode.running();
        String firstBoot = node.processes.bootId();
        node.units.setStopsDenied(true);
        enumerate(
                node,
                UnitNode.upgrade(1),
                (after, outcome) ->
                        switch (outcome) {
                            case SUCCEEDED -> after.isNew();
                            case FAILED -> after.isOld();
                            // systemd started another run with the machine
                            case FAILED_ROLLBACK ->
                                    after.isOld() && !after.processes.bootId().equals(firstBoot);
                            default -> false;
                        });
        assertThat(outcomes.keySet()).contains(AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED);
    }

    @Test
    @DisplayName("D12 D15: a restore of a unit that cannot be stopped ends all new or all old")
    void aRestoreOfAUnitThatCannotBeStoppedEndsWhole() {
        UnitNode node = UnitNode.running();
        String firstBoot = node.processes.bootId();
        node.agent(1).boot().processor.process(UnitNode.upgrade(1));
        node.units.setStopsDenied(true);
        enumerate(
                node,
                UnitNode.restore(2, 1),
                (after, outcome) ->
                        switch (outcome) {
                            case RESTORED -> after.isOld();
                            case REFUSED -> after.isNew();
                            // systemd started another run with the machine
                            case FAILED_ROLLBACK ->
                                    after.isNew() && !after.processes.bootId().equals(firstBoot);
                            default -> false;
                        });
        assertThat(outcomes.keySet()).contains(AttemptOutcome.RESTORED, AttemptOutcome.REFUSED);
    }

    private void enumerate(
            UnitNode start,
            CommandWithContents delivery,
            BiPredicate<UnitNode, AttemptOutcome> endsRight) {
        List<UnitNode> stopped = new ArrayList<>();
        Runnable stop = () -> stopped.add(start.snapshot());
        start.disk.setWriteHook(stop);
        start.processes.setBeforeStartOrEndHook(stop);
        runToTheEnd(start, delivery, endsRight);
        start.disk.setWriteHook(() -> {});
        start.processes.setBeforeStartOrEndHook(() -> {});
        for (UnitNode at : stopped) {
            points++;
            resume(at.snapshot(), delivery, endsRight);
            for (long kept : subsets(at.disk.pendingWriteCount())) {
                resume(at.afterPowerFailure(kept), delivery, endsRight);
            }
        }
        System.out.printf("counted %d crash points, %d distinct ends %s%n", points, ends, outcomes);
        assertThat(points).isGreaterThan(60);
    }

    private void resume(
            UnitNode after,
            CommandWithContents delivery,
            BiPredicate<UnitNode, AttemptOutcome> endsRight) {
        if (seen.add(after.whole())) {
            runToTheEnd(after, delivery, endsRight);
        }
    }

    private void runToTheEnd(
            UnitNode node,
            CommandWithContents delivery,
            BiPredicate<UnitNode, AttemptOutcome> endsRight) {
        ends++;
        UnitNode.Agent agent = node.agent(ends).boot();
        agent.processor.process(delivery);
        agent.supervise();
        long attempt = delivery.command().attempt();
        Journal journal = Objects.requireNonNull(agent.journal(attempt), "the journal is lost");
        AttemptOutcome outcome = journal.ending().outcome();
        outcomes.merge(outcome, 1, Integer::sum);
        assertThat(node.violations).isEmpty();
        assertThat(node.hasAttributes()).as("D11: %s", node.fingerprint()).isTrue();
        assertThat(endsRight.test(node, outcome))
                .as("ends %s as %s", journal.ending(), node.fingerprint())
                .isTrue();
        assertThat(node.disk.kind(UnitNode.GATE))
                .as("the gate stays closed only until an operator clears the node")
                .isEqualTo(
                        outcome == AttemptOutcome.FAILED_ROLLBACK
                                ? Disk.EntryKind.FILE
                                : Disk.EntryKind.ABSENT);
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
}
