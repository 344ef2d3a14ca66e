package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionName;
import drover.model.ActionOutcome;
import drover.model.BinaryName;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.script.Journal;
import drover.opsagent.script.UndoStep;
import drover.opsagent.script.UpgradeScript;
import drover.opsagent.script.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every runtime keeps to, generated from the actions: each may be done twice, each step back
 * may be done twice, and after the way back the node is as it was.
 */
abstract class ActionsContract {
    private static final long ATTEMPT = 1;
    private Node node;
    private UpgradeActions actions;
    private WayBack wayBack;
    private Work.Upgrade upgrade;
    private Journal accepted;

    /**
     * A node on which the old version runs, with an agent that has taken it over.
     *
     * @param upgrade of program and configuration, as the attempt of that number
     * @param fingerprint every file with its mode, and what runs; nothing that only a new start
     *     changes
     */
    record Node(
            NodeRuntime runtime,
            StateDirectory state,
            Ticker ticker,
            BinaryName program,
            LongFunction<Delivery> upgrade,
            Supplier<String> fingerprint) {}

    /** A fresh node. */
    abstract Node node();

    @BeforeEach
    void aNodeThatHasTakenTheWork() {
        node = node();
        JournalStore journals = new JournalStore(node.state());
        actions = new UpgradeActions(node.runtime(), node.state(), journals);
        wayBack = new WayBack(node.runtime(), node.state(), journals, actions);
        Delivery delivery = node.upgrade().apply(ATTEMPT);
        upgrade = (Work.Upgrade) Preparation.workOf(delivery);
        Journal journal =
                new Preparation(node.state(), journals, node.runtime()).upgrade(delivery, upgrade);
        assertThat(journal.isOver()).as("accepted: %s", journal.ending()).isFalse();
        journals.save(journal);
        accepted = journal;
    }

    @ParameterizedTest
    @EnumSource(ActionName.class)
    @DisplayName("An action that was done is done again without another effect")
    void eachActionMayBeDoneTwice(ActionName action) {
        Journal journal = doneUpTo(action);
        String once = node.fingerprint().get();
        ActionOutcome again = perform(journal, action);
        assertThat(node.fingerprint().get()).isEqualTo(once);
        assertThat(again).isIn(ActionOutcome.DONE, ActionOutcome.ALREADY_DONE);
    }

    @ParameterizedTest
    @EnumSource(ActionName.class)
    @DisplayName("D3 D7 D11: after the way back from any action the node is as it was")
    void theWayBackFromEachActionLeavesTheNodeAsItWas(ActionName action) {
        String before = node.fingerprint().get();
        Journal journal = doneUpTo(action);
        for (UndoStep step : UpgradeScript.wayBack(journal)) {
            wayBack.perform(step, journal, deadline());
            String once = node.fingerprint().get();
            wayBack.perform(step, journal, deadline());
            assertThat(node.fingerprint().get()).as("%s done twice", step).isEqualTo(once);
        }
        assertThat(node.fingerprint().get()).isEqualTo(before);
        assertThat(wayBack.isAsBefore(journal)).isTrue();
    }

    @Test
    @DisplayName("D4: a stopped program runs no more and is not started by supervision")
    void whatIsStoppedStaysDown() {
        Journal journal = doneUpTo(ActionName.STOP_NODE);
        node.runtime().supervise(List.of(upgrade.spec()));
        assertThat(node.runtime().status(node.program()))
                .isInstanceOfSatisfying(
                        ProgramState.Down.class, down -> assertThat(down.wanted()).isFalse());
        assertThat(journal.hasMutated()).isTrue();
    }

    @Test
    @DisplayName("D5: what runs in the end is proven to be the target")
    void theTargetIsProven() {
        doneUpTo(ActionName.START_NODE);
        assertThat(node.runtime().status(node.program()))
                .isInstanceOfSatisfying(
                        ProgramState.Up.class,
                        up -> {
                            assertThat(up.digest()).isEqualTo(upgrade.artifact().digest());
                            assertThat(up.configDigest()).isEqualTo(upgrade.targetConfigDigest());
                            assertThat(up.startsSince()).isZero();
                        });
    }

    private Journal doneUpTo(ActionName last) {
        Journal journal = accepted;
        for (ActionName action : ActionName.values()) {
            journal = journal.begun(action, Instant.EPOCH);
            ActionOutcome outcome = perform(journal, action);
            journal = journal.done(action, outcome, Instant.EPOCH);
            if (action == last) {
                return journal;
            }
        }
        throw new IllegalStateException(last + " is no action");
    }

    private ActionOutcome perform(Journal journal, ActionName action) {
        return actions.perform(action, journal, upgrade, deadline(), _ -> {});
    }

    private Deadline deadline() {
        return node.ticker().in(Duration.ofMinutes(5));
    }
}
