package drover.opsagent.main;

import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.engine.ForeignOwnedFile;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.fetch.DownloadPolicy;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The agent's runtime for processes of its own, with real ones. */
class ProcessRuntimeIT extends RealProcessNode {
    @Test
    @DisplayName(
            "D11 D19: each action done twice and each step back taken twice leave it as it was")
    void eachActionMayBeRepeatedAndTakenBack() throws IOException {
        agent.close(); // just one cares for the program, which runs on
        ForeignOwnedFile.make(root.resolve("etc/app.toml"), "rw-r-----");
        ForeignOwnedFile.make(root.resolve("bin/app"), "rwxr-x--x");
        OpsAgent.Dependencies parts = OpsAgent.Dependencies.local(DownloadPolicy.forLocalMachine());
        RuntimeTestNode.open("process", parts, new StateDirectoryAndRoot(state, root))
                .idempotencyCheck(
                        attempt -> upgrade(attempt, newProgram, "601"),
                        () ->
                                NodeSnapshot.blank()
                                        .andFiles(parts.disk(), root, state)
                                        .andProcesses(parts.processes(), root))
                .whole();
    }
}
