package drover.opsagent;

import drover.opsagent.adopt.NodeLayout;
import drover.opsagent.engine.NodePicture;
import drover.opsagent.engine.SomebodysFile;
import drover.opsagent.fetch.DownloadPolicy;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The agent's runtime for processes of its own, with real ones. */
class ProcessRuntimeIT extends SleepingNode {
    @Test
    @DisplayName(
            "D11 D19: each action done twice and each step back taken twice leave it as it was")
    void eachActionMayBeRepeatedAndTakenBack() throws IOException {
        agent.close(); // just one cares for the program, which runs on
        SomebodysFile.make(root.resolve("etc/app.toml"), "rw-r-----");
        SomebodysFile.make(root.resolve("bin/app"), "rwxr-x--x");
        OpsAgent.Parts parts = OpsAgent.Parts.local(DownloadPolicy.localMachine());
        RehearsedNode.open("process", parts, new NodeLayout(state, root))
                .rehearsal(
                        attempt -> upgrade(attempt, newProgram, "601"),
                        () ->
                                NodePicture.blank()
                                        .andFiles(parts.disk(), root, state)
                                        .andProcesses(parts.processes(), root))
                .whole();
    }
}
