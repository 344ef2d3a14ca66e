package drover.coordinator.engine.access;

import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.store.access.GatewayJoinTokenReport;
import drover.coordinator.store.access.JoinTokenHistoryWriter;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.grpc.Refused;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records join tokens in the audited history: creation and revocation before the caller gets its
 * response, uses and expiry by polling a gateway, where machines enroll. Every replica polls; the
 * history contains each entry once.
 */
public final class JoinTokenAuditRecorder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JoinTokenAuditRecorder.class);
    private static final Duration POLL = Duration.ofSeconds(30);

    private final JoinTokenHistoryWriter history;
    private final Supplier<List<GatewayJoinTokenReport>> gateways;
    private final Thread thread = Thread.ofVirtual().name("join-token-audit").unstarted(this::run);

    /**
     * @param gateways lists recent join tokens; throws {@link Refused} while no gateway answers
     */
    public JoinTokenAuditRecorder(
            JoinTokenHistoryWriter history, Supplier<List<GatewayJoinTokenReport>> gateways) {
        this.history = history;
        this.gateways = gateways;
    }

    /** Starts polling. */
    public JoinTokenAuditRecorder start() {
        thread.start();
        return this;
    }

    /**
     * Records one token now.
     *
     * @throws StoreUnavailable when the history cannot be written
     */
    public void record(GatewayJoinTokenReport token) {
        history.recordTokens(List.of(token));
    }

    /** Records what the gateways report. */
    void poll() {
        try {
            history.recordTokens(gateways.get());
        } catch (Refused | StoreUnavailable e) {
            LOG.debug("Join tokens are recorded later reason={}", e.getMessage());
        } catch (RuntimeException bug) {
            LOG.error("Join tokens were not recorded because of a bug", bug);
        }
    }

    private void run() {
        WakeupSignal pause = new WakeupSignal();
        try {
            while (true) {
                pause.sleep(POLL);
                poll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
