package drover.opsagent.store;

/** The agent's own record in memory and on the disk. Safe from any thread. */
public final class AgentRecordStore {
    private final StateDirectory state;
    private volatile AgentRecord current;

    /** Loads the record. */
    public AgentRecordStore(StateDirectory state) {
        this.state = state;
        this.current = state.loadAgentRecord();
    }

    /** The record; durable, except for the incarnation of a standby. */
    public AgentRecord current() {
        return current;
    }

    /** Counts a start of an agent that may not write. */
    public void startStandbyIncarnation() {
        current = current.withNextIncarnation();
    }

    /** Makes a record durable if it differs. */
    public synchronized void save(AgentRecord next) {
        if (!next.equals(current)) {
            state.saveRecord(next);
            current = next;
        }
    }
}
