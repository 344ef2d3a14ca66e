package drover.gateway.engine;

import drover.gateway.store.CertificateStore;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;

/**
 * Ends the streams of nodes for which nobody may speak any more, whichever gateway was told so
 * (invariant H3: within 5 s).
 */
public final class BarWatch {
    private static final Duration LOOK = Duration.ofSeconds(2); // two looks and a slow statement

    private final CertificateStore store;
    private final SessionTable table;
    private final CredentialBook tokens;
    private final CertificateBook certificates;

    /** Over the sessions of this gateway. */
    public BarWatch(
            CertificateStore store,
            SessionTable table,
            CredentialBook tokens,
            CertificateBook certificates) {
        this.store = store;
        this.table = table;
        this.tokens = tokens;
        this.certificates = certificates;
    }

    /** Looks until the ticker is closed. */
    public void begin(Ticker ticker) {
        ticker.every(LOOK, this::look);
    }

    void look() {
        store.barred().forEach(this::end);
    }

    /** A barred node cannot dial, so that one without a stream is not touched again. */
    private void end(NodeId node) {
        tokens.forget(node);
        certificates.forget(node);
        table.end(
                node,
                new Refused(
                        RefusalCode.NODE_REVOKED,
                        "Nobody may speak for node " + node + "; enroll the machine anew."));
    }
}
