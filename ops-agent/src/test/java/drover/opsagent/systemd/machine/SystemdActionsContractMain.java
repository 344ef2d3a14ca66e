package drover.opsagent.systemd.machine;

import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.adopt.ProgramAdopter;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.ForeignOwnedFile;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.RuntimeTestNode;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.systemd.SystemctlUnits;
import drover.opsagent.systemd.SystemdUnits;
import drover.opsagent.systemd.UnitName;
import drover.opsagent.systemd.UnitSnapshot;
import drover.opsagent.systemd.machine.UnitCommands.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Holds the runtime for systemd to its contract where a real one runs. Inside a machine that {@code
 * SystemdRuntimeIT} boots, where there is no test engine: says {@code kept}, or fails.
 */
final class SystemdActionsContractMain {
    private static final Path ROOT = Path.of("/");
    private static final Path OWN = Path.of("/var/lib/drover-rehearsal");
    private static final Path INSIDE = Path.of("/run/host/container-manager"); // nspawn's own mark

    /** Where a node's own files are: the rest is the system's, or changes while it runs. */
    private static final List<Path> NODE =
            List.of(Path.of("/etc"), Path.of("/usr/local"), Path.of("/srv"), Path.of("/root"));

    private SystemdActionsContractMain() {}

    /** Rehearses the upgrade of {@code app.service}, which runs, from one artifact to the other. */
    public static void main(String[] arguments) throws IOException {
        if (!Files.exists(INSIDE)) {
            throw new IllegalStateException("This is no machine of a test: nothing is done on it.");
        }
        Version from = Version.on(ROOT, "old", "a = 1", SystemdMachineNode.unit("600"));
        Version to = Version.on(ROOT, "new", "a = 2", SystemdMachineNode.unit("700"));
        OpsAgent.Dependencies parts =
                OpsAgent.Dependencies.local(
                        LocalDisk.withJail(ROOT, OWN),
                        DownloadPolicy.forLocalMachine(),
                        new AgentMetrics(),
                        RuntimeRegistry.builtIn(Map.of()).withPolicy(MachineAgentMain.POLICY));
        ForeignOwnedFile.make(Path.of(UnitCommands.CONFIG.value()), "rw-r-----");
        RuntimeTestNode node =
                RuntimeTestNode.open("systemd", parts, new StateDirectoryAndRoot(OWN, ROOT));
        takeIn(node);
        SystemdUnits units = new SystemctlUnits(parts.ticker());
        node.idempotencyCheck(
                        attempt -> UnitCommands.upgrade(attempt, from, to),
                        () -> picture(parts.disk(), units))
                .whole();
        System.out.println("kept");
    }

    private static void takeIn(RuntimeTestNode node) {
        ProgramAdopter adopter = new ProgramAdopter(node.state(), node.runtime());
        ProgramProfile program =
                new ProgramProfile(
                        UnitCommands.spec(), List.of(UnitCommands.CONFIG, UnitCommands.UNIT));
        adopter.recordAndAdopt(adopter.inspect(new AdoptionRequest(program, "v1", "", List.of())));
    }

    private static NodeSnapshot picture(Disk disk, SystemdUnits units) {
        NodeSnapshot picture = NodeSnapshot.blank();
        for (Path part : NODE) {
            picture = picture.andFiles(disk, part, OWN);
        }
        UnitName app = new UnitName(UnitCommands.spec().launch().service());
        return picture.and(UnitSnapshot.of(units, app));
    }
}
