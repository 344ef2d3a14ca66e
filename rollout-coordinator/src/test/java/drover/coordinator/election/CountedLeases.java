package drover.coordinator.election;

import java.util.concurrent.atomic.AtomicInteger;

/** Leases that count the requests that were granted, and those without a response. */
final class CountedLeases implements Lease.Factory {
    private final Lease.Factory source;
    private final AtomicInteger granted = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    CountedLeases(Lease.Factory source) {
        this.source = source;
    }

    int granted() {
        return granted.get();
    }

    int failed() {
        return failed.get();
    }

    @Override
    public Lease openFor(String candidate) {
        Lease lease = source.openFor(candidate);
        return new ForwardingLease() {
            @Override
            public Lease lease() {
                return lease;
            }

            @Override
            public boolean acquireOrRenew() {
                try {
                    boolean won = lease.acquireOrRenew();
                    if (won) {
                        granted.incrementAndGet();
                    }
                    return won;
                } catch (LeaseUnavailable e) {
                    failed.incrementAndGet();
                    throw e;
                }
            }
        };
    }
}
