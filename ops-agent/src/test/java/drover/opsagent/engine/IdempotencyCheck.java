package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.engine.attempt.AttemptOperations;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * An upgrade up to some action and all the way back, everything in it done twice: the second time
 * changes nothing, and in the end the node is as it was (D19). Needs no test engine, so that it
 * runs inside a machine as well.
 */
public final class IdempotencyCheck {
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(5);

    private final Node node;
    private final JournalStore journals;
    private final AttemptOperations deeds;

    /**
     * A node on which the old version runs, with an agent that has taken it over and does nothing.
     *
     * @param upgrade of program and configuration, as the attempt of that number
     */
    public record Node(
            NodeRuntime runtime,
            StateDirectory state,
            Ticker ticker,
            LongFunction<CommandWithContents> upgrade,
            Supplier<NodeSnapshot> picture) {
        Deadline soon() {
            return ticker.deadlineIn(LONG_ENOUGH);
        }
    }

    /** An upgrade that the node has taken, and its program as it was. */
    private record Taken(
            CommandWithContents delivery,
            Work.Upgrade upgrade,
            Journal journal,
            ProgramProfile previous) {
        PreUpgradeState.Recorded before() {
            return journal.before().requireRecorded();
        }
    }

    /** On this node; one rehearsal after another finds it as the first did. */
    public IdempotencyCheck(Node node) {
        this.node = node;
        this.journals = new JournalStore(node.state());
        this.deeds = new ProgramAttemptOperations(node.state(), journals, node.runtime());
    }

    /** All that a real part has the time for: there each start takes its while. */
    public void whole() {
        for (UpgradeAction last : UpgradeAction.values()) {
            asTheExecutorDoes(last);
        }
        byBareOperations(UpgradeAction.START_NODE);
    }

    /** As the executor does it, which looks whether an action is done. */
    public void asTheExecutorDoes(UpgradeAction last) {
        Taken taken = take();
        AttemptActions hands = new ExecutorActions(node, deeds, taken.journal());
        check(hands, taken, last, EnumSet.of(last)); // the others have their own rehearsals
    }

    /** The same by the runtime's operations alone, and every action on the way is done twice. */
    public void byBareOperations(UpgradeAction last) {
        Taken taken = take();
        UpgradeActionRunner places =
                new UpgradeActionRunner(node.runtime(), node.state(), journals);
        AttemptActions hands =
                new RuntimeActions(
                        node,
                        taken.upgrade(),
                        taken.previous(),
                        taken.before(),
                        taken.delivery().contents(),
                        places.backupPath(taken.journal()),
                        places.stagingPath(taken.journal()));
        check(hands, taken, last, EnumSet.allOf(UpgradeAction.class));
    }

    private Taken take() {
        Journal latest = journals.loadLatest();
        CommandWithContents delivery =
                node.upgrade().apply(latest == null ? 1 : latest.attempt() + 1);
        Work.Upgrade upgrade = (Work.Upgrade) ProgramAttemptJournalCreator.workOrNoWork(delivery);
        ProgramProfile previous =
                Objects.requireNonNull(
                        node.state().loadProfile().findProgram(upgrade.programName()));
        Journal journal =
                new ProgramAttemptJournalCreator(node.state(), journals, node.runtime())
                        .prepareUpgrade(delivery, upgrade);
        assertThat(journal.hasEnded()).as("accepted: %s", journal.ending()).isFalse();
        journals.save(journal);
        node.runtime().resetRestartCounters(upgrade.spec().name());
        return new Taken(delivery, upgrade, journal, previous);
    }

    private void check(
            AttemptActions hands, Taken taken, UpgradeAction last, Set<UpgradeAction> doneTwice) {
        NodeSnapshot before = node.picture().get();
        for (UpgradeAction action : EnumSet.range(UpgradeAction.BACKUP_STATE, last)) {
            hands.perform(action);
            if (doneTwice.contains(action)) {
                again(action.wireName(), () -> hands.perform(action));
                assertState(action, taken);
            }
        }
        for (UndoStep step : hands.wayBack()) {
            hands.undo(step);
            again(last.wireName() + ", " + step.wireName(), () -> hands.undo(step));
        }
        deeds.cleanUp(taken.journal());
        assertThat(before.differencesFrom(node.picture().get()))
                .as("%s and all the way back", last.wireName())
                .isEmpty();
        assertThat(deeds.isRestored(taken.journal())).isTrue();
    }

    private void again(String what, Runnable step) {
        NodeSnapshot once = node.picture().get();
        step.run();
        assertThat(once.differencesFrom(node.picture().get())).as("%s done twice", what).isEmpty();
    }

    /**
     * D4: stopped, it is not started by supervision; D5: started, it is proven to be the target.
     */
    private void assertState(UpgradeAction action, Taken taken) {
        NodeRuntime runtime = node.runtime();
        Work.Upgrade upgrade = taken.upgrade();
        PreUpgradeState.Recorded before = taken.before();
        runtime.supervise(List.of(upgrade.spec()));
        ProgramState found = runtime.status(upgrade.spec().name());
        if (action == UpgradeAction.START_NODE) {
            assertRuns(found, upgrade.artifact().digest().value(), upgrade.targetConfigDigest());
        } else if (action.mutates()) {
            assertThat(found).as("after %s", action).isEqualTo(new ProgramState.Down(false, 0));
        } else {
            assertRuns(found, before.digest(), before.configDigest());
        }
    }

    private static void assertRuns(ProgramState found, String digest, Digest configDigest) {
        assertThat(found)
                .isInstanceOfSatisfying(
                        ProgramState.Up.class,
                        up -> {
                            assertThat(up.digest()).isEqualTo(new Digest(digest));
                            assertThat(up.configDigest()).isEqualTo(configDigest);
                            assertThat(up.startsSince()).isZero();
                        });
    }
}
