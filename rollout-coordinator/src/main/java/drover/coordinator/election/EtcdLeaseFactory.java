package drover.coordinator.election;

import io.etcd.jetcd.ByteSequence;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Grants the lease by an election of etcd. A candidate's lease in etcd, its key and its connection
 * live and end together: after every loss all of them are made anew.
 */
public final class EtcdLeaseFactory implements Lease.Factory {
    private static final ByteSequence ELECTION =
            ByteSequence.from("drover/rollout-leader", StandardCharsets.UTF_8);

    private final EtcdClientConfig clientConfig;
    private final LeaseDeadlineCalculator terms;
    private final LongSupplier nanos;

    /**
     * Leases of this length.
     *
     * @param endpoints of the members, such as {@code http://10.0.0.1:2379}
     * @param ttl whole seconds; etcd itself grants none below two
     */
    public EtcdLeaseFactory(List<URI> endpoints, Duration ttl) {
        this(new EtcdClientConfig(endpoints, Optional.empty()), ttl);
    }

    EtcdLeaseFactory(EtcdClientConfig clientConfig, Duration ttl) {
        this.clientConfig = clientConfig;
        this.terms = new LeaseDeadlineCalculator(ttl);
        this.nanos = System::nanoTime;
    }

    @Override
    public Lease openFor(String candidate) {
        return new CandidateLease(ByteSequence.from(candidate, StandardCharsets.UTF_8));
    }

    private final class CandidateLease implements Lease {
        private final ByteSequence name;
        private @Nullable EtcdCandidacy candidacy;
        private long renewedNanos;

        CandidateLease(ByteSequence name) {
            this.name = name;
        }

        @Override
        public boolean acquireOrRenew() {
            long requested = nanos.getAsLong();
            EtcdCandidacy current = candidacy;
            if (current != null && isExpired(requested)) {
                closeCandidacy();
                current = null;
            }
            if (current == null) {
                current = EtcdCandidacy.open(clientConfig, ELECTION, name, terms);
                candidacy = current;
            } else if (!current.renew()) {
                closeCandidacy();
                return false;
            }
            renewedNanos = requested;
            return checkHeld();
        }

        /** Nobody knows whether etcd still has a lease that was not renewed for so long. */
        private boolean isExpired(long now) {
            return terms.remaining(renewedNanos, now).isZero();
        }

        @Override
        public boolean checkHeld() {
            EtcdCandidacy current = candidacy;
            if (current == null) {
                return false;
            }
            return switch (current.fetchStatus()) {
                case LEADING -> true;
                case WAITING -> false;
                case ENDED -> {
                    closeCandidacy();
                    yield false;
                }
            };
        }

        @Override
        public void awaitAvailable(Duration atMost) throws InterruptedException {
            EtcdCandidacy current = candidacy;
            if (current != null && !current.isDecided()) {
                current.awaitDecision(atMost);
            } else {
                var _ = new CountDownLatch(1).await(atMost.toNanos(), TimeUnit.NANOSECONDS);
            }
        }

        private void closeCandidacy() {
            EtcdCandidacy over = candidacy;
            candidacy = null;
            if (over != null) {
                over.close();
            }
        }

        @Override
        public void close() {
            boolean interrupted = Thread.interrupted(); // or its last words would not be heard
            closeCandidacy();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
