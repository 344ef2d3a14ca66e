package drover.gateway.session;

import java.time.Duration;

/** Something to tell an agent. */
public sealed interface MessageToAgent {
    /** The agent is admitted; always told first. */
    record Welcome(String sessionId) implements MessageToAgent {}

    /**
     * The coordinator has committed a status.
     *
     * @param successorSeen whether it has written down too that it heard the successor of the agent
     */
    record Acknowledgement(long attempt, long sequence, boolean successorSeen)
            implements MessageToAgent {
        /** Of an attempt in which no agent is replaced. */
        public Acknowledgement(long attempt, long sequence) {
            this(attempt, sequence, false);
        }
    }

    /** Attempts that must not begin any more. */
    record Withdrawal(OpaqueMessage withdraw) implements MessageToAgent {}

    /** The old agent of a self-upgrade shall exit, because its successor was seen. */
    record ExitForSuccessor(OpaqueMessage order) implements MessageToAgent {}

    /** Work; its epoch and body are passed on unchanged. */
    record Command(OpaqueMessage command) implements MessageToAgent {}

    /** A command that asks for a look and for no attempt: it takes no work's place. */
    record PreflightCommand(OpaqueMessage command) implements MessageToAgent {}

    /** Requests the end of a program's output. */
    record ReadLog(String requestId, String program) implements MessageToAgent {}

    /**
     * The gateway is about to end, or the connection is old: the agent shall dial again, another
     * gateway where it knows one.
     *
     * @param within a random time up to this
     */
    record Reconnect(Duration within) implements MessageToAgent {}
}
