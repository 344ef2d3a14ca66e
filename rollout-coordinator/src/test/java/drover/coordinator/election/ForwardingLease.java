package drover.coordinator.election;

import java.time.Duration;

/** Hands everything on to another lease; who extends it says what is different. */
interface ForwardingLease extends Lease {
    /** The other one. */
    Lease lease();

    @Override
    default boolean campaign() {
        return lease().campaign();
    }

    @Override
    default boolean isHeld() {
        return lease().isHeld();
    }

    @Override
    default void await(Duration atMost) throws InterruptedException {
        lease().await(atMost);
    }

    @Override
    default void close() {
        lease().close();
    }
}
