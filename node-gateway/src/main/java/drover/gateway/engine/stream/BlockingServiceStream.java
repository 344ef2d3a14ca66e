package drover.gateway.engine.stream;

import drover.kit.grpc.Refused;

/**
 * The stream to a neighbour that is written by a thread of its own.
 *
 * @param <T> what is sent
 */
public interface BlockingServiceStream<T> {
    /**
     * Sends once the stream takes more, waiting for it.
     *
     * @return false when the stream has ended
     */
    boolean send(T message) throws InterruptedException;

    /** Ends the stream with a reason; whoever waits to send is let go. */
    void end(Refused reason);
}
