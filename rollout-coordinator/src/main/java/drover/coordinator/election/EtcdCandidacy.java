package drover.coordinator.election;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.election.CampaignResponse;
import io.etcd.jetcd.election.NoLeaderException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lease in etcd with one candidacy under it, from the grant until either is gone. It is renewed
 * by calls that have a deadline: the client's own keepalive goes by the wall clock, and ends for
 * good after a long outage.
 */
final class EtcdCandidacy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdCandidacy.class);

    private final Client client;
    private final ByteSequence election;
    private final Duration timeout;
    private final long lease;
    private final CompletableFuture<CampaignResponse> decision;

    /** How a candidacy stands. */
    enum Status {
        /** It is elected. */
        LEADING,
        /** Another one is. */
        WAITING,
        /** Its lease, its key or its question is gone: a new one is needed. */
        ENDED
    }

    private EtcdCandidacy(
            Client client,
            ByteSequence election,
            ByteSequence name,
            LeaseDeadlineCalculator terms) {
        this.client = client;
        this.election = election;
        this.timeout = terms.requestTimeout();
        this.lease =
                awaitResponse(
                                "granting a lease",
                                client.getLeaseClient().grant(terms.ttl().toSeconds()))
                        .getID();
        this.decision = client.getElectionClient().campaign(election, lease, name);
    }

    /** Takes a lease and begins to campaign under it. */
    static EtcdCandidacy open(
            EtcdClientConfig clientConfig,
            ByteSequence election,
            ByteSequence name,
            LeaseDeadlineCalculator terms) {
        Client client = clientConfig.open(terms);
        try {
            return new EtcdCandidacy(client, election, name, terms);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Asks for the lease's whole length again; false when there is no such lease any more. */
    boolean renew() {
        try {
            awaitResponse("renewing the lease", client.getLeaseClient().keepAliveOnce(lease));
            return true;
        } catch (LeaseUnavailable e) {
            if (e.getCause() instanceof EtcdException refusal
                    && refusal.getErrorCode() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    /** Asks etcd, unless this candidacy waits for its election. */
    Status fetchStatus() {
        if (!decision.isDone()) {
            return Status.WAITING;
        }
        if (decision.isCompletedExceptionally()) {
            return Status.ENDED;
        }
        try {
            long leads =
                    awaitResponse("looking who leads", client.getElectionClient().leader(election))
                            .getKv()
                            .getLease();
            return leads == lease ? Status.LEADING : Status.ENDED;
        } catch (LeaseUnavailable e) {
            if (e.getCause() instanceof NoLeaderException) {
                return Status.ENDED;
            }
            throw e;
        }
    }

    boolean isDecided() {
        return decision.isDone();
    }

    /** Waits until it is elected, or for this long. */
    void awaitDecision(Duration atMost) throws InterruptedException {
        try {
            var _ = decision.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.trace("Not elected", e); // the next look says why
        }
    }

    private <T> T awaitResponse(String doing, CompletableFuture<T> requested) {
        try {
            return requested.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new LeaseUnavailable(doing, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new LeaseUnavailable(doing, new TimeoutException("etcd does not answer"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseUnavailable(doing, e);
        }
    }

    /** Revokes the lease, and with it the key, if etcd can be reached. */
    @Override
    public void close() {
        try {
            awaitResponse("giving the lease up", client.getLeaseClient().revoke(lease));
        } catch (LeaseUnavailable e) {
            LOG.debug("The lease ends by itself reason={}", e.getMessage());
        }
        client.close();
    }
}
