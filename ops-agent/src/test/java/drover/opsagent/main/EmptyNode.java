package drover.opsagent.main;

import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.time.SystemTicker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A simulated node on which nothing is installed, and what its agent is started with. */
public final class EmptyNode {
    static final StateDirectoryAndRoot LAYOUT =
            new StateDirectoryAndRoot(Path.of("/state"), Path.of("/node"));

    private EmptyNode() {}

    /** With the two directories, which a disk has as soon as something lies in them. */
    public static SimulatedDisk disk() {
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(
                LAYOUT.stateDirectory().resolve("keep"), new byte[0], FileAttributes.PRIVATE);
        disk.putDurableFile(LAYOUT.root().resolve("keep"), new byte[0], FileAttributes.PRIVATE);
        return disk;
    }

    /** Programs that run. */
    public static SimulatedProcesses processes(SimulatedDisk disk) {
        return new SimulatedProcesses(
                disk, new SystemTicker(), _ -> SimulatedProcesses.ProgramBehavior.RUNS);
    }

    /**
     * Of an agent that dials a gateway in this process.
     *
     * @param address its name
     * @param reconnectCap the longest until it dials again
     */
    public static OpsAgentConfig config(String address, Duration reconnectCap) {
        return new OpsAgentConfig(
                LAYOUT.stateDirectory(),
                LAYOUT.root(),
                List.of(new GatewayAddress("in-process:" + address)),
                "secret",
                "simulated",
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                reconnectCap,
                "test");
    }
}
