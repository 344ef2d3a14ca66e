package drover.coordinator.plan;

/**
 * Something an agent noticed by itself, as its latest heartbeat says.
 *
 * @param code stable code: {@link #DRIFT}, {@link #CRASH_LOOP}, or one that decides nothing here
 * @param program program concerned; empty when the node as a whole is
 * @param detail one sentence
 */
public record AgentFinding(String code, String program, String detail) {
    /** Somebody changed something without an attempt. */
    public static final String DRIFT = "DRIFT";

    /** A program falls again and again. */
    public static final String CRASH_LOOP = "CRASH_LOOP";
}
