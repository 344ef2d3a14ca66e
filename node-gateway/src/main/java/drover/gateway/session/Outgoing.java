package drover.gateway.session;

/** Something to tell an agent. */
public sealed interface Outgoing {
    /** The agent is admitted; always told first. */
    record Welcome(String sessionId) implements Outgoing {}

    /** The coordinator has committed a status. */
    record Acknowledgement(long attempt, long sequence) implements Outgoing {}

    /** Attempts that must not begin any more. */
    record Withdrawal(Relayed withdraw) implements Outgoing {}

    /** Work; its epoch and body are passed on unchanged. */
    record Work(Relayed command) implements Outgoing {}

    /** A command that asks for a look and for no attempt: it takes no work's place. */
    record Preflight(Relayed command) implements Outgoing {}
}
