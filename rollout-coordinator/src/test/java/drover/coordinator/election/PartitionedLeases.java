package drover.coordinator.election;

/**
 * Leases of one candidate that can be cut off from whoever grants them, without a farewell: to the
 * others it is dead.
 */
final class PartitionedLeases implements Lease.Factory {
    private final Lease.Factory source;
    private volatile boolean cut;

    PartitionedLeases(Lease.Factory source) {
        this.source = source;
    }

    void cut() {
        cut = true;
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
                answer();
                return lease.acquireOrRenew();
            }

            @Override
            public boolean checkHeld() {
                answer();
                return lease.checkHeld();
            }

            @Override
            public void close() {
                if (!cut) {
                    lease.close();
                }
            }
        };
    }

    private void answer() {
        if (cut) {
            throw new LeaseUnavailable("asking", new IllegalStateException("it is cut off"));
        }
    }
}
