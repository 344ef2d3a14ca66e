package drover.opsagent.selfupgrade;

import drover.agent.v1.AgentUpgradeWork;
import drover.agent.v1.Artifact;
import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.RestoreWork;
import drover.model.Digest;
import drover.opsagent.main.RealProcessNode;

/** What a leader sends to an agent that is to replace itself. */
final class AgentUpgradeCommands {
    private static final String PROGRAM = "drover-agent";

    private AgentUpgradeCommands() {}

    /**
     * To another version.
     *
     * @param source digest of the jar that runs
     */
    static Command upgrade(long attempt, String version, String url, Digest jar, String source) {
        AgentUpgradeWork work =
                AgentUpgradeWork.newBuilder()
                        .setTargetVersion(version)
                        .setProgram(PROGRAM)
                        .setSourceDigest(source)
                        .setArtifact(Artifact.newBuilder().setUrl(url).setDigest(jar.value()))
                        .build();
        return RealProcessNode.command(
                CommandType.COMMAND_TYPE_AGENT_UPGRADE,
                RealProcessNode.body(attempt).setAgentUpgrade(work).build());
    }

    /** Back to the version before an attempt, whose jar is on the node. */
    static Command restore(long attempt, long of, Digest jar) {
        RestoreWork work =
                RestoreWork.newBuilder()
                        .setProgram(PROGRAM)
                        .setAttemptToUndo(of)
                        .setExpectedDigest(jar.value())
                        .setExpectedConfigDigest(AgentPackaging.CONFIG.value())
                        .build();
        return RealProcessNode.command(
                CommandType.COMMAND_TYPE_RESTORE,
                RealProcessNode.body(attempt).setRestore(work).build());
    }
}
