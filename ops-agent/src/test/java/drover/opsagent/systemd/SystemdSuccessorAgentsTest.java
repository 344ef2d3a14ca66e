package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.selfupgrade.AgentVersionNumber;
import drover.opsagent.time.AutoAdvancingTicker;
import drover.opsagent.time.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SystemdSuccessorAgentsTest {
    private static final AgentVersionNumber TWO = AgentVersionNumber.of("2.0.0");
    private static final UnitName UNIT = new UnitName("ops-agent@2.0.0.service");
    private static final UnitName WITH_THE_MACHINE = new UnitName("ops-agent@current.service");

    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SimulatedUnits units;

    SystemdSuccessorAgentsTest() {
        put(Path.of("/usr/bin/runs"), "runs");
        for (UnitName unit : List.of(UNIT, WITH_THE_MACHINE)) {
            put(StartGate.UNITS.resolve(unit.value()), "[Service]\nExecStart=/usr/bin/runs\n");
        }
        units =
                new SimulatedUnits(
                        disk, new SimulatedProcesses(disk, ticker, _ -> ProgramBehavior.RUNS));
    }

    private void put(Path file, String text) {
        disk.putDurableFile(file, text.getBytes(StandardCharsets.UTF_8), FileAttributes.PROGRAM);
    }

    private Deadline soon() {
        return ticker.deadlineIn(Duration.ofMinutes(1));
    }

    @Test
    void startsOnceAndStops() {
        SystemdSuccessorAgents successors = new SystemdSuccessorAgents(units, 999_999);
        assertThat(successors.isAlive(TWO)).isFalse();
        successors.startUnlessRunning(TWO, soon());
        assertThat(successors.isAlive(TWO)).isTrue();
        long first = units.readProperties(UNIT).mainPid();
        successors.startUnlessRunning(TWO, soon());
        assertThat(units.readProperties(UNIT).mainPid()).isEqualTo(first);
        successors.stopUnlessSelf(TWO, soon());
        assertThat(successors.isAlive(TWO)).isFalse();
        successors.stopUnlessSelf(TWO, soon());
    }

    @Test
    void neverStopsItself() {
        new SystemdSuccessorAgents(units, 0).startUnlessRunning(TWO, soon());
        SystemdSuccessorAgents itself =
                new SystemdSuccessorAgents(units, units.readProperties(UNIT).mainPid());
        itself.stopUnlessSelf(TWO, soon());
        assertThat(itself.isAlive(TWO)).isTrue();
    }

    @Test
    @DisplayName(
            "C8: one that the machine started, of whatever version, goes as well; never itself")
    void stopsTheOneThatTheMachineStarted() {
        units.start(WITH_THE_MACHINE, soon());
        long other = units.readProperties(WITH_THE_MACHINE).mainPid();
        new SystemdSuccessorAgents(units, other).stopUnlessSelf(TWO, soon());
        assertThat(units.readProperties(WITH_THE_MACHINE).mainPid()).isEqualTo(other);
        new SystemdSuccessorAgents(units, 0).stopUnlessSelf(TWO, soon());
        assertThat(units.readProperties(WITH_THE_MACHINE).isDown()).isTrue();
    }

    @Test
    @DisplayName("Nobody leaves the node to one that fell and that systemd will start again")
    void oneThatFellIsNotAlive() {
        SystemdUnits waiting = new FixedUnits(Map.of("ActiveState", "activating", "MainPID", "0"));
        assertThat(new SystemdSuccessorAgents(waiting, 0).isAlive(TWO)).isFalse();
        SystemdUnits up = new FixedUnits(Map.of("ActiveState", "active", "MainPID", "7"));
        assertThat(new SystemdSuccessorAgents(up, 0).isAlive(TWO)).isTrue();
    }

    @Test
    void reportsAContainerThatDoesNotStop() {
        SystemdUnits stuck =
                new FixedUnits(
                        Map.of("LoadState", "loaded", "ActiveState", "active", "MainPID", "7"));
        assertThatThrownBy(() -> new SystemdSuccessorAgents(stuck, 0).stopUnlessSelf(TWO, soon()))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.STOP_FAILED));
    }

    @Test
    @DisplayName("Nobody leaves the node to a successor of which systemd says nothing")
    void unresponsiveSystemdReportsNoState() {
        SystemdSuccessorAgents successors = new SystemdSuccessorAgents(units, 0);
        successors.startUnlessRunning(TWO, soon());
        units.setUnresponsive(true);
        assertThat(successors.isAlive(TWO)).isFalse();
        assertThatThrownBy(() -> successors.startUnlessRunning(TWO, soon()))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed ->
                                assertThat(failed.reason()).isEqualTo(ReasonCode.SUCCESSOR_FAILED));
    }

    @Test
    void reportsAnUnknownUnit() {
        SystemdSuccessorAgents successors = new SystemdSuccessorAgents(units, 0);
        assertThatThrownBy(
                        () -> successors.startUnlessRunning(AgentVersionNumber.of("3.0.0"), soon()))
                .hasMessageContaining("ops-agent@3.0.0.service");
    }

    /** A systemd whose units stand as they stand, whatever it is told. */
    private record FixedUnits(Map<String, String> values) implements SystemdUnits {
        @Override
        public UnitProperties readProperties(UnitName unit) {
            return new UnitProperties(values);
        }

        @Override
        public boolean isExecutableBy(String user, List<String> groups, Path file) {
            return true;
        }

        @Override
        public void start(UnitName unit, Deadline deadline) {}

        @Override
        public void stop(UnitName unit, Deadline deadline) {}

        @Override
        public void kill(UnitName unit) {}

        @Override
        public void resetFailed(UnitName unit) {}

        @Override
        public void reload(Deadline deadline) {}

        @Override
        public List<Long> members(String controlGroup) {
            return List.of();
        }

        @Override
        public OptionalInt exitCodeIfNonZero(UnitName unit, String invocation) {
            return OptionalInt.empty();
        }

        @Override
        public String journalTail(UnitName unit, String invocation, int bytes) {
            return "";
        }
    }
}
