package drover.coordinator.election;

import java.time.Duration;

/** Hands everything on to another lease; who extends it says what is different. */
interface ForwardingLease extends Lease {
    /** The other one. */
    Lease lease();

    @Override
    default boolean acquireOrRenew() {
        return lease().acquireOrRenew();
    }

    @Override
    default boolean checkHeld() {
        return lease().checkHeld();
    }

    @Override
    default void awaitAvailable(Duration atMost) throws InterruptedException {
        lease().awaitAvailable(atMost);
    }

    @Override
    default void close() {
        lease().close();
    }
}
