package drover.coordinator.plan.model;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.program.BinaryName;
import java.util.List;

/**
 * What kind of program a rollout upgrades. The one place that tells the agent itself from the
 * programs that agents take care of: everything else asks for what it needs to know (seed 001; a
 * fleet-wide upgrade of agents is an ordinary rollout).
 */
public enum ProgramKind {
    /** A program of the nodes of one chain; their agents stop, replace and start it. */
    CARED_FOR,
    /** The agent itself, on nodes of every chain; it hands over to its successor. */
    AGENT;

    /** The chain profile whose rollouts upgrade agents. */
    public static final ChainProfileId AGENTS = new ChainProfileId(BinaryName.AGENT.value());

    private static final String UPGRADES_ITSELF = "agent-upgrade/1";

    /** The kind of a program, named by its chain as well: no other chain upgrades agents. */
    public static ProgramKind of(ChainProfileId chain, BinaryName program) {
        return chain.equals(AGENTS) && program.equals(BinaryName.AGENT) ? AGENT : CARED_FOR;
    }

    /** Chain whose nodes are targets; empty for the nodes of every chain that have the program. */
    public String targetChain(ChainProfileId own) {
        return switch (this) {
            case CARED_FOR -> own.value();
            case AGENT -> "";
        };
    }

    /**
     * Whether a node can be a target. One of the chain that lacks its program is shown as a target
     * that is left alone; a node without an agent of its own kind is nobody's concern.
     *
     * @param hasProgram whether it has ever reported the program
     */
    public boolean mayBeTarget(boolean hasProgram) {
        return switch (this) {
            case CARED_FOR -> true;
            case AGENT -> hasProgram;
        };
    }

    /** Whose nodes the targets are, for sentences: behind "node x" or "no node". */
    public String targetNodesPhrase(ChainProfileId own, String nodeType) {
        return switch (this) {
            case CARED_FOR ->
                    "of chain " + own + (nodeType.isEmpty() ? "" : " and type " + nodeType);
            case AGENT ->
                    (nodeType.isEmpty() ? "" : "of type " + nodeType + " ")
                            + "that reports a program "
                            + BinaryName.AGENT;
        };
    }

    /** Runtime that targets must have; empty for any: no runtime runs an agent. */
    public String targetRuntime(String ofProfile) {
        return switch (this) {
            case CARED_FOR -> ofProfile;
            case AGENT -> "";
        };
    }

    /**
     * Configuration digest that must be there afterwards. An agent's launch and configuration are
     * its owner's: a rollout leaves them as they are.
     */
    public Digest expectedConfigDigest(Digest before, Digest rendered) {
        return switch (this) {
            case CARED_FOR -> rendered;
            case AGENT -> before;
        };
    }

    /** Whether agents can look beforehand at what an upgrade would do (a preflight). */
    public boolean supportsPreflight() {
        return switch (this) {
            case CARED_FOR -> true;
            case AGENT -> false; // its new version tests itself, before anything is changed
        };
    }

    /** What an agent must be able to do, matched by the agent before it begins. */
    public List<String> requiredFeatures() {
        return switch (this) {
            case CARED_FOR -> List.of();
            case AGENT -> List.of(UPGRADES_ITSELF);
        };
    }
}
