package drover.gateway.engine.credential;

import drover.gateway.engine.TaskScheduler;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.identity.StreamCredential;
import drover.gateway.store.NodeCertificateStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends streams whose certificate or token was ended while they live, whatever ended it and
 * whichever gateway was told: a revocation, a retirement, a machine that was enrolled anew, an
 * identity in use at two places (invariant H3: within 5 s).
 */
public final class RevocationMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationMonitor.class);
    private static final Duration CHECK_INTERVAL =
            Duration.ofSeconds(2); // two looks and a slow statement

    /** Between two looks that are asked for: four statements a second, whoever dials in vain. */
    static final Duration MIN_INTERVAL = Duration.ofMillis(250);

    private final NodeCertificateStore store;
    private final SessionTable table;
    private final NodeTokenAuthenticator tokens;
    private final CopyDetectingCertificateAuthenticator certificates;
    private final OpenAgentStreams streams = new OpenAgentStreams();
    private final LongSupplier clock;
    private final ReentrantLock looking = new ReentrantLock();
    private final Condition turn = looking.newCondition(); // waited for, and signalled by nobody
    private long started; // the last look, by the clock

    /**
     * Over the sessions of this gateway.
     *
     * @param clock in nanoseconds, which never goes back
     */
    public RevocationMonitor(
            NodeCertificateStore store,
            SessionTable table,
            NodeTokenAuthenticator tokens,
            CopyDetectingCertificateAuthenticator certificates,
            LongSupplier clock) {
        this.store = store;
        this.table = table;
        this.tokens = tokens;
        this.certificates = certificates;
        this.clock = clock;
        this.started = clock.getAsLong() - MIN_INTERVAL.toNanos();
    }

    /** The streams that it looks after. */
    public OpenAgentStreams openStreams() {
        return streams;
    }

    /** Looks until the ticker is closed. */
    public void start(TaskScheduler ticker) {
        ticker.scheduleRepeated(CHECK_INTERVAL, this::applyRevocations);
    }

    /**
     * One look, for the whole gateway, and no other meanwhile.
     *
     * @throws StoreUnavailable when the database is away: nothing ends then
     */
    void applyRevocations() {
        looking.lock();
        try {
            started = clock.getAsLong();
            applyRevocationsUnderLock();
        } finally {
            looking.unlock();
        }
    }

    private void applyRevocationsUnderLock() {
        Set<StreamCredential.NodeTokenDigest> shown = new HashSet<>(streams.tokens());
        shown.addAll(tokens.cachedTokens());
        Set<StreamCredential> over = store.findRevokedCredentials(shown);
        certificates.evict(over);
        tokens.evict(over);
        for (StreamCredential proof : over) {
            for (OpenAgentStreams.OpenStream stream : streams.findByCredential(proof)) {
                LOG.info(
                        "A stream is ended because what it began with was nodeId={} proof={}",
                        stream.node(),
                        proof.kind());
                stream.end(credentialRevoked());
            }
        }
        table.setLockedNodes(store.listLockedNodes());
    }

    /**
     * Returns after a look that began since it was called: a thousand that come at once, as after
     * an outage, share one. The next one comes anyway when the database is away.
     */
    public void awaitFreshCheck() {
        long called = clock.getAsLong();
        looking.lock();
        try {
            while (started - called < 0) {
                long early = started + MIN_INTERVAL.toNanos() - clock.getAsLong();
                if (early <= 0) {
                    applyRevocations();
                } else {
                    long _ = turn.awaitNanos(early); // others wait too; the first looks for all
                }
            }
        } catch (StoreUnavailable e) {
            LOG.debug("What was ended could not be looked for between two looks", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the call is over; whoever asked comes again
        } finally {
            looking.unlock();
        }
    }

    private static Refused credentialRevoked() {
        return new Refused(
                RefusalCode.NODE_REVOKED,
                "What this connection began with was ended: the node was revoked or retired, or its"
                        + " machine was enrolled anew. Enroll the machine anew.");
    }
}
