package drover.gateway.engine.session;

import drover.gateway.session.MessageToAgent;
import drover.kit.grpc.Refused;

/** The stream to one agent, as a door offers it. Called by one thread at a time. */
public interface StreamToAgent {
    /** Whether a message would leave at once; otherwise it would fill memory. */
    boolean isReady();

    /** Sends one message; does nothing once the stream has ended. */
    void send(MessageToAgent outgoing);

    /** Ends the stream with a reason; does nothing once it has ended. */
    void end(Refused reason);
}
