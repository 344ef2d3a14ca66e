package drover.gateway.engine.session;

import drover.gateway.session.MessageToAgent;
import drover.gateway.session.PendingMessagesToAgent;
import drover.kit.grpc.Refused;
import java.time.Duration;

/**
 * What leaves for one agent: slots, emptied whenever the stream takes more (invariant I3). Never
 * blocks, so that no agent can delay another.
 */
public final class AgentOutboxWriter {
    private final StreamToAgent wire;
    private PendingMessagesToAgent outbox = PendingMessagesToAgent.EMPTY;

    /** A line over a stream. */
    public AgentOutboxWriter(StreamToAgent wire) {
        this.wire = wire;
    }

    /** Tells the agent, now or when it reads again. */
    synchronized void send(MessageToAgent outgoing) {
        outbox = outbox.with(outgoing);
        flush();
    }

    /** Asks the agent to dial again, this gateway or another, after a random time up to this. */
    public void requestReconnect(Duration within) {
        send(new MessageToAgent.Reconnect(within));
    }

    /** The stream takes more: call whenever it says so. */
    public synchronized void flush() {
        while (wire.isReady() && outbox.peek().isPresent()) { // bounded: one slot for each kind
            MessageToAgent next = outbox.peek().get();
            outbox = outbox.without(next);
            wire.send(next);
        }
    }

    /** Ends the stream; what waits is dropped, its senders derive it again (invariant C14). */
    synchronized void end(Refused reason) {
        outbox = PendingMessagesToAgent.EMPTY;
        wire.end(reason);
    }
}
