package drover.opsagent.identity;

import drover.model.identity.CertificateLife;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Ticker;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the node's certificate, from half of its life on, with a fresh key each time (SECURITY,
 * enrolment 4). Only the agent that cares for the node does. The stream that stands is left alone;
 * the next dial shows the new one.
 */
public final class Renewing implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Renewing.class);

    /**
     * Time that a machine slept through does not count for a pause, and counts for a certificate.
     */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private static final Duration AFTER_THE_END = LONGEST_PAUSE; // only a new token helps then

    private final IdentityFile file;
    private final List<GatewayAddress> gateways;
    private final Ticker ticker;
    private final RandomGenerator random;

    /** Of the node whose identity lies there. */
    public Renewing(
            IdentityFile file,
            List<GatewayAddress> gateways,
            Ticker ticker,
            RandomGenerator random) {
        this.file = file;
        this.gateways = List.copyOf(gateways);
        this.ticker = ticker;
        this.random = random;
    }

    /** Renews until the thread is interrupted. */
    @Override
    public void run() {
        try {
            while (true) {
                ticker.pause(renewedWhenDue());
            }
        } catch (AgentStopping _) {
            LOG.debug("Renewing ended because the agent is being closed");
        }
    }

    /** Says how long to wait before looking again; a disk that is full now need not be later. */
    private Duration renewedWhenDue() {
        try {
            Optional<NodeIdentity> node = file.read();
            if (node.isEmpty()) {
                return LONGEST_PAUSE; // not yet a node: far sooner than its certificate ends
            }
            awaitHalf(node.get());
            return tried(node.get());
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("The certificate cannot be renewed for the moment; it is tried again", e);
            return LONGEST_PAUSE;
        }
    }

    private void awaitHalf(NodeIdentity present) {
        X509Certificate leaf = present.material().leaf();
        Instant due =
                CertificateLife.renewAt(
                        leaf.getNotBefore().toInstant(), present.until(), random.nextDouble());
        for (Duration left = until(due);
                left.isPositive(); // ends when it is due
                left = until(due)) {
            ticker.pause(left.compareTo(LONGEST_PAUSE) < 0 ? left : LONGEST_PAUSE);
        }
    }

    private Duration until(Instant due) {
        return Duration.between(ticker.wallClock(), due);
    }

    /** Tries once, at every gateway; says how long to wait before looking again. */
    private Duration tried(NodeIdentity present) {
        Instant now = ticker.wallClock();
        if (!now.isBefore(present.until())) {
            LOG.error(
                    "The node's certificate has ended: run 'agent enroll' with a join token nodeId={}"
                            + " until={}",
                    present.node(),
                    present.until());
            return AFTER_THE_END;
        }
        List<String> problems = new ArrayList<>();
        for (GatewayAddress gateway : gateways) {
            try {
                said(new Renewal(file).by(gateway));
                return Duration.ofMillis(1);
            } catch (IllegalStateException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        LOG.warn(
                "The node's certificate is not renewed yet until={} reason={}",
                present.until(),
                String.join("; ", problems));
        return CertificateLife.retryAfter(now, present.until(), random.nextDouble()).plusMillis(1);
    }

    private static void said(NodeIdentity next) {
        LOG.info(
                "The node's certificate is renewed nodeId={} generation={} until={}",
                next.node(),
                next.generation(),
                next.until());
    }
}
