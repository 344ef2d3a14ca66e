package drover.opsagent.selfupgrade;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What an agent is to itself: a jar that can be replaced, or part of something else. */
public sealed interface AgentPackaging {
    /** The version of an agent whose jar does not say it. */
    String UNKNOWN = "unknown";

    /**
     * How an agent is launched, as far as a control plane may know: how it really is depends on the
     * node and never changes by an upgrade. Equal on all nodes, so that a profile can name it.
     */
    LaunchSpec LAUNCH =
            new LaunchSpec(
                    new NodePath("/" + AgentVersionsDirectory.JAR),
                    "",
                    List.of(),
                    Map.of(),
                    "",
                    ProgramDigestSource.FILE);

    /** What an agent's configuration amounts to: no managed files, and that launch. */
    Digest CONFIG = ConfigDigest.of(Map.of(), LAUNCH.digest());

    /** Has no jar of its own: it neither reports itself as a program nor replaces itself. */
    record Embedded() implements AgentPackaging {}

    /**
     * Runs from a jar of its own, among its other versions.
     *
     * @param version as its jar says, with build metadata; {@value #UNKNOWN} when it says none
     * @param directoryVersion which of the versions it is
     * @param digest of the jar that it was started from
     * @param runId boot, process and when it started
     * @param uptime how long it has been up
     * @param handoverTimeout how long the control plane may be there without hearing a successor
     */
    record SelfUpgradable(
            String version,
            AgentVersionNumber directoryVersion,
            Digest digest,
            String runId,
            Supplier<Duration> uptime,
            AgentVersionsDirectory versions,
            SuccessorAgents successors,
            VersionSelfTest selfTest,
            Duration handoverTimeout)
            implements AgentPackaging {}
}
