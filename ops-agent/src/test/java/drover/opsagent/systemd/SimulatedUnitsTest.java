package drover.opsagent.systemd;

import drover.model.Digest;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.time.AutoAdvancingTicker;
import drover.opsagent.time.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The double keeps what the real systemd keeps. */
class SimulatedUnitsTest extends UnitsContract {
    private static final Path GATE = StartGate.UNITS.resolve(PROBE + ".d").resolve(StartGate.FILE);
    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SimulatedProcesses processes;
    private final SimulatedUnits units;

    SimulatedUnitsTest() {
        put(Path.of("/usr/bin/runs"), "runs");
        put(Path.of("/usr/bin/falls"), "falls");
        Map<Digest, ProgramBehavior> behaviours = Map.of(Digest.of("falls"), ProgramBehavior.FALLS);
        processes =
                new SimulatedProcesses(
                        disk,
                        ticker,
                        digest -> behaviours.getOrDefault(digest, ProgramBehavior.RUNS));
        units = new SimulatedUnits(disk, processes);
    }

    private void put(Path file, String text) {
        disk.putDurableFile(file, text.getBytes(StandardCharsets.UTF_8), FileAttributes.PROGRAM);
    }

    @Override
    SystemdUnits units() {
        return units;
    }

    @Override
    Deadline deadline() {
        return ticker.deadlineIn(Duration.ofMinutes(1));
    }

    @Override
    void write(String unitFile) {
        put(StartGate.UNITS.resolve(PROBE.value()), unitFile);
    }

    @Override
    void gate(boolean closed) {
        if (closed) {
            put(GATE, "a condition");
        } else {
            disk.delete(GATE);
        }
    }

    @Override
    String runs() {
        return "ExecStart=/usr/bin/runs";
    }

    @Override
    String leavesBehind() {
        return runs();
    }

    @Override
    String falls() {
        return "ExecStart=/usr/bin/falls";
    }

    @Override
    void fall(long pid) {
        processes.crash(processes.identify(pid));
    }
}
