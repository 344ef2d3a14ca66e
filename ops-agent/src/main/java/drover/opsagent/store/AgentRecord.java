package drover.opsagent.store;

/**
 * What the agent remembers of itself.
 *
 * @param incarnation counts its starts
 * @param nodeId node of the credential, as last welcomed; empty before
 * @param floor highest attempt ever accepted or withdrawn
 * @param epoch highest epoch ever seen
 * @param clearedThrough failures up to this attempt have been cleared
 */
public record AgentRecord(
        long incarnation, String nodeId, long floor, long epoch, long clearedThrough) {
    /** A node that never had an agent. */
    public static final AgentRecord NEW = new AgentRecord(0, "", 0, 0, 0);

    /** One start later. */
    public AgentRecord withNextIncarnation() {
        return new AgentRecord(incarnation + 1, nodeId, floor, epoch, clearedThrough);
    }

    /** The node was welcomed under this name. */
    public AgentRecord withNodeId(String id) {
        return new AgentRecord(incarnation, id, floor, epoch, clearedThrough);
    }

    /** An attempt and an epoch were seen; neither ever goes down. */
    public AgentRecord withHighestSeen(long attempt, long seenEpoch) {
        return new AgentRecord(
                incarnation,
                nodeId,
                Math.max(floor, attempt),
                Math.max(epoch, seenEpoch),
                clearedThrough);
    }

    /** Failures up to this attempt are cleared. */
    public AgentRecord withClearedThrough(long attempt) {
        return new AgentRecord(
                incarnation, nodeId, floor, epoch, Math.max(clearedThrough, attempt));
    }
}
