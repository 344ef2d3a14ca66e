package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.disk.FileMode;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.SimulatedProcesses;
import drover.opsagent.runtime.SimulatedProcesses.Behaviour;
import drover.opsagent.script.AgentVersion;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.ManualTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SystemdSuccessorsTest {
    private static final AgentVersion TWO = AgentVersion.of("2.0.0");
    private static final UnitName UNIT = new UnitName("ops-agent@2.0.0.service");

    private final ManualTicker ticker = new ManualTicker();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SimulatedUnits units;

    SystemdSuccessorsTest() {
        put(Path.of("/usr/bin/runs"), "runs");
        put(StartGate.UNITS.resolve(UNIT.value()), "[Service]\nExecStart=/usr/bin/runs\n");
        units = new SimulatedUnits(disk, new SimulatedProcesses(disk, ticker, _ -> Behaviour.RUNS));
    }

    private void put(Path file, String text) {
        disk.put(file, text.getBytes(StandardCharsets.UTF_8), FileMode.PROGRAM);
    }

    private Deadline soon() {
        return ticker.in(Duration.ofMinutes(1));
    }

    @Test
    void startsOnceAndStops() {
        SystemdSuccessors successors = new SystemdSuccessors(units, 999_999);
        assertThat(successors.isAlive(TWO)).isFalse();
        successors.start(TWO, soon());
        assertThat(successors.isAlive(TWO)).isTrue();
        long first = units.show(UNIT).mainPid();
        successors.start(TWO, soon());
        assertThat(units.show(UNIT).mainPid()).isEqualTo(first);
        successors.stop(TWO, soon());
        assertThat(successors.isAlive(TWO)).isFalse();
        successors.stop(TWO, soon());
    }

    @Test
    void neverStopsItself() {
        new SystemdSuccessors(units, 0).start(TWO, soon());
        SystemdSuccessors itself = new SystemdSuccessors(units, units.show(UNIT).mainPid());
        itself.stop(TWO, soon());
        assertThat(itself.isAlive(TWO)).isTrue();
    }

    @Test
    @DisplayName("Nobody leaves the node to a successor of which systemd says nothing")
    void aSilentSystemdSaysNothingOfLife() {
        SystemdSuccessors successors = new SystemdSuccessors(units, 0);
        successors.start(TWO, soon());
        units.silent(true);
        assertThat(successors.isAlive(TWO)).isFalse();
        assertThatThrownBy(() -> successors.start(TWO, soon()))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed ->
                                assertThat(failed.reason()).isEqualTo(ReasonCode.SUCCESSOR_FAILED));
    }

    @Test
    void saysWhenThereIsNoSuchUnit() {
        SystemdSuccessors successors = new SystemdSuccessors(units, 0);
        assertThatThrownBy(() -> successors.start(AgentVersion.of("3.0.0"), soon()))
                .hasMessageContaining("ops-agent@3.0.0.service");
    }

    @Test
    @DisplayName("Unit and template differ in description, jar and install section alone")
    void theUnitsAreEqual() throws IOException {
        List<String> unit = lines("ops-agent.service");
        List<String> template = lines("ops-agent@.service");
        List<String> expected =
                unit.stream()
                        .map(line -> line.replace("versions/current/", "versions/v%i/"))
                        .map(line -> line.replace("agent, the current version", "agent %i"))
                        .takeWhile(line -> !line.equals("[Install]"))
                        .toList();
        assertThat(template).isEqualTo(expected);
        assertThat(template).contains("Restart=on-failure", "KillMode=process");
    }

    /** From the first section on, without comments. */
    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(Path.of("..", "deploy", "systemd", file)).stream()
                .dropWhile(line -> !line.equals("[Unit]"))
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .toList();
    }
}
