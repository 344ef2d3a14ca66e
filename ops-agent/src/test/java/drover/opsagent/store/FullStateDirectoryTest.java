package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.AgentFinding;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.engine.Withdrawal;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("D15: a command that finds the agent's directory full is refused durably")
class FullStateDirectoryTest {
    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    /** What the disk has none of. */
    enum Shortage {
        INODES,
        BYTES;

        void fill(SimulatedDisk disk) {
            switch (this) {
                case INODES -> disk.limitNewFiles(0);
                case BYTES ->
                        disk.limitCapacity(
                                disk.fileDigests().keySet().stream()
                                        .mapToLong(file -> disk.size(Path.of(file)))
                                        .sum());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Shortage.class)
    @DisplayName("several commands are refused, each with its reason, and the program runs on")
    void refusesSeveralCommands(Shortage shortage) {
        shortage.fill(node.disk);
        for (long attempt = 1; attempt <= 3; attempt++) {
            agent.processor.process(SimulatedNode.upgrade(attempt));
            requireReportedRefusal(agent, attempt);
        }
        assertThat(node.spawned).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Shortage.class)
    @DisplayName("an agent that starts on the full disk reports the refusal and refuses the next")
    void startsOnAFullDisk(Shortage shortage) {
        shortage.fill(node.disk);
        agent.processor.process(SimulatedNode.programOnly(1));
        SimulatedNode.Agent next = node.agent(2).boot();
        requireReportedRefusal(next, 1);
        assertThat(next.processor.agentRecord().floor()).isEqualTo(1);
        assertThat(next.processor.agentRecord().epoch()).isEqualTo(1);
        next.processor.process(SimulatedNode.programOnly(2));
        requireReportedRefusal(next, 2);
    }

    @Test
    @DisplayName("a withdrawal and a clear are recorded, too")
    void recordsAWithdrawalAndAClear() {
        node.disk.limitNewFiles(0);
        agent.processor.withdraw(new Withdrawal(1, 1));
        assertThat(reported(agent).ending().outcome()).isEqualTo(AttemptOutcome.WITHDRAWN);
        agent.processor.process(
                SimulatedNode.delivery(2, new Work.ClearFailure("repaired by hand")));
        assertThat(reported(agent).attempt()).isEqualTo(2);
        assertThat(reported(agent).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("what does not become durable is not reported, once the reserve is used up")
    void reportsNothingThatIsNotDurable() {
        node.disk.limitNewFiles(0);
        long refused = refuseUntilUsedUp();
        assertThat(refused).isGreaterThanOrEqualTo(3);
        assertThat(reported(agent).attempt()).isEqualTo(refused);
        assertThat(agent.processor.hasPendingWrites()).isTrue();
        node.disk.limitNewFiles(100);
        agent.processor.renewReserve();
        assertThat(agent.processor.hasPendingWrites()).isFalse();
        agent.processor.process(SimulatedNode.upgrade(refused + 2));
        assertThat(reported(agent).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    private long refuseUntilUsedUp() {
        for (long attempt = 1; attempt < 20; attempt++) {
            try {
                agent.processor.process(SimulatedNode.upgrade(attempt));
            } catch (DiskFailure _) {
                return attempt - 1;
            }
            requireReportedRefusal(agent, attempt);
        }
        throw new IllegalStateException("The reserve has no end");
    }

    @Test
    @DisplayName("R1: stopped anywhere, with or without the power, it ends as the same refusal")
    void endsRefusedWhereverItIsStopped() {
        node.disk.limitNewFiles(0);
        List<Stop> stops = new ArrayList<>();
        node.disk.setWriteHook(
                () -> stops.add(new Stop(node.snapshot(), agent.slot.currentStatus())));
        agent.processor.process(SimulatedNode.upgrade(1));
        agent.processor.process(SimulatedNode.upgrade(2));
        assertThat(stops).hasSizeGreaterThan(20);
        for (Stop stop : stops) {
            requireRefusedAfterRestart(stop.node(), stop.reported());
            int pending = stop.node().disk.pendingWriteCount();
            for (long kept = 0; kept < 1L << pending; kept++) {
                requireRefusedAfterRestart(stop.node().afterPowerFailure(kept), stop.reported());
            }
        }
    }

    private record Stop(SimulatedNode node, @Nullable AttemptStatus reported) {}

    private static void requireRefusedAfterRestart(
            SimulatedNode after, @Nullable AttemptStatus reported) {
        SimulatedNode.Agent next = after.agent(2).boot();
        if (reported != null) {
            Journal journal = reported.journal();
            assertThat(next.journal(journal.attempt())).as("R1").isEqualTo(journal);
        }
        next.processor.process(SimulatedNode.upgrade(2));
        requireReportedRefusal(next, 2);
        assertThat(after.violations).isEmpty();
        boolean old =
                after.isAll(
                        SimulatedNode.OLD,
                        SimulatedNode.OLD_CONFIG,
                        SimulatedNode.OLD_PEERS,
                        "old");
        assertThat(old).isTrue();
    }

    @Test
    @DisplayName("a disk that fails in another way is reported as a finding until it works again")
    void namesADiskThatFails() {
        node.disk.setWriteHook(
                () -> {
                    throw new DiskFailure(
                            "Read-only file system", false, new IllegalStateException());
                });
        assertThatThrownBy(() -> agent.processor.process(SimulatedNode.upgrade(1)))
                .isInstanceOf(DiskFailure.class);
        agent.processor.renewReserve();
        AgentFinding finding = Objects.requireNonNull(agent.processor.findDiskProblem());
        assertThat(finding.code()).isEqualTo("DISK_ERROR");
        assertThat(finding.detail()).contains("Read-only file system");
        node.disk.setWriteHook(() -> {});
        agent.processor.renewReserve();
        assertThat(agent.processor.findDiskProblem()).isNull();
        assertThat(agent.processor.hasPendingWrites()).isFalse();
    }

    private static void requireReportedRefusal(SimulatedNode.Agent agent, long attempt) {
        Journal reported = reported(agent);
        assertThat(reported.attempt()).isEqualTo(attempt);
        assertThat(reported.ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(reported.ending().reason()).isEqualTo(ReasonCode.DISK_FULL);
        assertThat(reported.ending().detail()).isNotEmpty();
        assertThat(agent.journal(attempt)).as("it is durable").isEqualTo(reported);
    }

    private static Journal reported(SimulatedNode.Agent agent) {
        AttemptStatus status = Objects.requireNonNull(agent.slot.currentStatus());
        return status.journal();
    }
}
