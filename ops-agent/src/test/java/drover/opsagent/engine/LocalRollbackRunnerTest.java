package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.AgentPair.Killed;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.JournalStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Somebody on the node asks for the last attempt to be taken back, while no agent runs (D17). */
class LocalRollbackRunnerTest {
    private static final AttemptOutcome FAILED = AttemptOutcome.FAILED;

    private SimulatedNode node = SimulatedNode.running(Map.of());

    /** What the command does: it looks, then begins as an agent does, then goes back. */
    private Journal rollBack(int number) {
        CommandProcessor processor = node.agent(number).processor;
        processor.requireLocalRollbackTarget();
        processor.startIncarnation();
        return processor.rollBackLastAttempt();
    }

    private boolean isAllOld() {
        return node.isAll(
                SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    private boolean isAllNew() {
        return node.isAll(
                SimulatedNode.NEW, SimulatedNode.NEW_CONFIG, SimulatedNode.NEW_PEERS, "new");
    }

    private @Nullable Journal journal(long attempt) {
        return node.agent(99).journal(attempt);
    }

    /** Whether an agent was killed at that write of what it does. */
    private boolean killedAt(int write, Runnable doing) {
        int[] left = {write};
        node.disk.setWriteHook(
                () -> {
                    if (left[0]-- == 0) {
                        throw new Killed();
                    }
                });
        try {
            doing.run();
            return false;
        } catch (Killed _) {
            return true;
        } finally {
            node.disk.setWriteHook(() -> {});
        }
    }

    private boolean killedInTheUpgradeAt(int write) {
        SimulatedNode.Agent agent = node.agent(1).boot();
        return killedAt(write, () -> agent.processor.process(SimulatedNode.upgrade(1)));
    }

    @Test
    @DisplayName("D17: an attempt that is open anywhere goes back, and is never brought forward")
    void turnsAnOpenAttemptBackWhereverItIs() {
        int open = 0;
        for (int write = 0; write < 400; write++) {
            node = SimulatedNode.running(Map.of());
            if (!killedInTheUpgradeAt(write)) {
                break;
            }
            if (journal(1) == null) {
                continue; // before its journal is durable an attempt has not begun
            }
            int started = node.spawned.size();
            open++;

            Journal back = rollBack(2);

            assertThat(back.ending().outcome()).as("write %d", write).isEqualTo(FAILED);
            assertThat(back.ending().reason()).isEqualTo(ReasonCode.ROLLED_BACK_LOCALLY);
            assertThat(isAllOld()).as("write %d", write).isTrue();
            assertThat(node.spawned.subList(started, node.spawned.size()))
                    .doesNotContain(Digest.of(SimulatedNode.NEW).shortHex());
        }
        assertThat(open).isGreaterThan(50);
    }

    @Test
    @DisplayName("D17: attempts that touched nothing are looked past")
    void skipsWhatModifiedNothing() {
        SimulatedNode.Agent agent = node.agent(1).boot();
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.restore(2, 9)); // refused: there is no such backup
        agent.processor.process(SimulatedNode.upgrade(3)); // there already
        agent.processor.withdraw(new Withdrawal(4, 9));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.REFUSED);

        assertThat(rollBack(2).attempt()).isEqualTo(1);

        assertThat(isAllOld()).isTrue();
        assertThatThrownBy(() -> rollBack(3))
                .hasMessage("Attempt 1 was the last one, and it is taken back. Nothing was done.");
    }

    @Test
    @DisplayName("D6 D17: an earlier attempt that is going back is taken up by the next agent")
    void anAgentTakesUpWhatWasStartedOnTheNode() {
        int takenUp = 0;
        for (int write = 0; write < 400; write++) {
            node = SimulatedNode.running(Map.of());
            SimulatedNode.Agent agent = node.agent(1).boot();
            agent.processor.process(SimulatedNode.upgrade(1));
            agent.processor.process(SimulatedNode.restore(2, 9));
            if (!killedAt(write, () -> rollBack(2))) {
                break;
            }
            SimulatedNode.Agent next = node.agent(3).boot();
            assertThat(outcome(1)).as("write %d", write).isIn(FAILED, AttemptOutcome.SUCCEEDED);
            assertThat(outcome(1) == FAILED ? isAllOld() : isAllNew()).as("%d", write).isTrue();
            assertThat(Objects.requireNonNull(next.slot.currentStatus()).journal().attempt())
                    .as("what the control plane is told of")
                    .isEqualTo(2);
            takenUp++;
        }
        assertThat(takenUp).isGreaterThan(20);
    }

    @Test
    @DisplayName("D17: while the agent's own replacement is open nothing is touched")
    void refusesWhileTheAgentItselfIsBeingReplaced() {
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1));
        SimulatedNode.Agent agent = node.agent(2);
        CommandWithContents own = AgentPair.upgrade(2);
        Work work = ProgramAttemptJournalCreator.workOrNoWork(own);
        ProgramAttemptJournalCreator preparation =
                new ProgramAttemptJournalCreator(
                        agent.state, new JournalStore(agent.state), agent.runtime);
        new JournalStore(agent.state)
                .save(
                        Journal.accepted(
                                preparation.newAssignment(own.command(), own.budget(), work),
                                new PreUpgradeState.NotNeeded()));
        Map<String, Digest> before = new TreeMap<>(node.disk.fileDigests());

        for (int again = 0; again < 4; again++) {
            assertThatThrownBy(() -> rollBack(3))
                    .isInstanceOf(ActionFailed.class)
                    .hasMessage(
                            "Attempt 2 replaces this node's agent and is not over: start the"
                                    + " agent, which ends it, then ask again. Nothing was done.");
        }

        assertThat(node.disk.fileDigests()).isEqualTo(before);
        assertThat(isAllNew()).isTrue();
    }

    @Test
    void refusesWhereNothingWasEverDone() {
        Map<String, Digest> before = new TreeMap<>(node.disk.fileDigests());
        assertThatThrownBy(() -> rollBack(2))
                .hasMessage("No attempt has changed this node. Nothing was done.");
        assertThat(node.disk.fileDigests()).isEqualTo(before);
    }

    @Test
    @DisplayName("D14 D17: what could not be undone is a person's to repair")
    void refusesAfterAFailureThatCouldNotBeUndone() {
        SimulatedNode.Agent agent = node.agent(1).boot();
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(
                SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/file-0"),
                SimulatedNode.bytes("x"),
                FileAttributes.PRIVATE);
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThatThrownBy(() -> rollBack(2))
                .hasMessage(
                        "Attempt 2 could not be undone: repair the node by hand, then clear it."
                                + " Nothing was done.");
    }

    @Test
    @DisplayName("D17: a download that failed touched nothing, so the upgrade before is the last")
    void skipsAnAttemptThatFailedBeforeItModifiedTheProgram() {
        SimulatedNode.Agent agent = node.agent(1).boot();
        agent.processor.process(SimulatedNode.configOnly(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        agent.processor.process(failingDownload());
        assertThat(outcome(2)).isEqualTo(FAILED);

        assertThat(rollBack(2).attempt()).isEqualTo(1);
        assertThat(isAllOld()).isTrue();
    }

    private static CommandWithContents failingDownload() {
        Work.Upgrade upgrade =
                new Work.Upgrade(
                        SimulatedNode.spec("new"),
                        "v3",
                        new Artifact(SimulatedNode.URL, Digest.of("else"), 4),
                        List.of(),
                        Digest.of(SimulatedNode.OLD),
                        SimulatedNode.newConfigDigest().value(),
                        SimulatedNode.newConfigDigest());
        CommandWithContents delivery = SimulatedNode.delivery(2, upgrade);
        return new CommandWithContents(delivery.command(), Duration.ofMinutes(5), Map.of());
    }

    private AttemptOutcome outcome(long attempt) {
        return Objects.requireNonNull(journal(attempt)).ending().outcome();
    }

    @Test
    @DisplayName("D15 D17: if the program cannot be stopped, the upgrade stays and can be undone")
    void leavesTheUpgradeInPlaceIfItCannotBeStopped() {
        Map<Digest, ProgramBehavior> behaviors = new HashMap<>();
        node = SimulatedNode.running(behaviors);
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1));
        for (int again = 0; again < 12; again++) {
            behaviors.put(Digest.of(SimulatedNode.NEW), ProgramBehavior.HANGS);

            Journal unchanged = rollBack(2);

            assertThat(unchanged.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
            assertThat(unchanged.ending().reason()).isEqualTo(ReasonCode.STOP_FAILED);
            assertThat(unchanged.direction()).isEqualTo(AttemptDirection.FORWARD);
            assertThat(unchanged.undos()).isEmpty();
            assertThat(isAllNew()).isTrue();
            behaviors.clear();
            node.processes.allProcesses().keySet().forEach(node.processes::crash);
            node.agent(3).boot();
            assertThat(isAllNew()).as("supervised").isTrue();
        }
        assertThat(rollBack(4).ending().outcome()).isEqualTo(FAILED);
        assertThat(isAllOld()).isTrue();
    }

    @Test
    @DisplayName("D15 D17: a rollback on the node that could not write leaves the program running")
    void touchesNothingIfTheOldFilesCannotBeWritten() {
        node.agent(1).boot().processor.process(SimulatedNode.upgrade(1));
        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("bin"));
        assertThatThrownBy(() -> rollBack(2))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.DISK_ERROR));
        assertThat(isAllNew()).isTrue();
    }
}
