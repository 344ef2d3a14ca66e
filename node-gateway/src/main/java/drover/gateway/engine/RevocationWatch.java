package drover.gateway.engine;

import drover.gateway.identity.Proof;
import drover.gateway.store.CertificateStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends streams whose certificate or token was ended while they live, whatever ended it and
 * whichever gateway was told: a revocation, a retirement, a machine that was enrolled anew, an
 * identity in use at two places (invariant H3: within 5 s).
 */
public final class RevocationWatch {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationWatch.class);
    private static final Duration LOOK = Duration.ofSeconds(2); // two looks and a slow statement

    private final CertificateStore store;
    private final SessionTable table;
    private final CredentialBook tokens;
    private final CertificateBook certificates;
    private final OpenStreams streams = new OpenStreams();

    /** Over the sessions of this gateway. */
    public RevocationWatch(
            CertificateStore store,
            SessionTable table,
            CredentialBook tokens,
            CertificateBook certificates) {
        this.store = store;
        this.table = table;
        this.tokens = tokens;
        this.certificates = certificates;
    }

    /** The streams that it looks after. */
    public OpenStreams streams() {
        return streams;
    }

    /** Looks until the ticker is closed. */
    public void begin(Ticker ticker) {
        ticker.every(LOOK, this::look);
    }

    /**
     * One look, for the whole gateway.
     *
     * @throws StoreUnavailable when the database is away: nothing ends then
     */
    void look() {
        Set<Proof.Token> shown = new HashSet<>(streams.tokens());
        shown.addAll(tokens.remembered());
        for (Proof proof : store.ended(shown)) {
            forget(proof);
            List<OpenStreams.Stream> begun = streams.of(proof);
            if (!begun.isEmpty()) {
                LOG.info("Streams are ended because what they began with was proof={}", proof);
                begun.forEach(stream -> stream.end(ended()));
            }
        }
        table.locked(store.locked());
    }

    /** The same between two looks; the next one comes anyway when the database is away. */
    public void lookNow() {
        try {
            look();
        } catch (StoreUnavailable e) {
            LOG.debug("What was ended could not be looked for between two looks", e);
        }
    }

    private static Refused ended() {
        return new Refused(
                RefusalCode.NODE_REVOKED,
                "What this connection began with was ended: the node was revoked or retired, or its"
                        + " machine was enrolled anew. Enroll the machine anew.");
    }

    /** What was remembered of it for outages of the database counts no more. */
    private void forget(Proof proof) {
        switch (proof) {
            case Proof.Certificate certificate -> certificates.forget(certificate);
            case Proof.Token token -> tokens.forget(token);
        }
    }
}
