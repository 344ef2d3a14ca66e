package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeLogContext;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Ticker;
import drover.trust.identity.NodeCertificateLifetime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the node's certificate, from half of its life on, with a fresh key each time (SECURITY,
 * enrolment 4). Only the agent that cares for the node does. The stream that stands is left alone;
 * the next dial shows the new one.
 */
public final class RenewalLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RenewalLoop.class);

    /**
     * Time that a machine slept through does not count for a pause, and counts for a certificate.
     */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /** The machine's clock may be ahead, and gateways judge by theirs; else a token helps alone. */
    private static final Duration RETRY_AFTER_EXPIRY = LONGEST_PAUSE;

    private static final Duration AT_ONCE = Duration.ofMillis(1); // what was renewed is read anew

    /** Of a life: by a clock that is wrong each certificate is due as soon as it has come. */
    private static final int REST = 4;

    private final IdentityFile file;
    private final List<GatewayAddress> gateways;
    private final Optional<EnrollmentConfig> join;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final Consumer<String> suspicions;
    private boolean warnedBehind; // once: it is found at each renewal

    /**
     * Of the node whose identity lies there.
     *
     * @param join where this machine becomes a node by itself: it is told of, and not used
     */
    public RenewalLoop(
            IdentityFile file,
            List<GatewayAddress> gateways,
            Optional<EnrollmentConfig> join,
            Ticker ticker,
            RandomGenerator random) {
        this(file, gateways, join, ticker, random, _ -> {});
    }

    /**
     * The same, with a report of suspect responses.
     *
     * @param suspicions receives a sentence for each response that would change whom the node
     *     trusts, and an empty one for a response that would not
     */
    public RenewalLoop(
            IdentityFile file,
            List<GatewayAddress> gateways,
            Optional<EnrollmentConfig> join,
            Ticker ticker,
            RandomGenerator random,
            Consumer<String> suspicions) {
        this.suspicions = suspicions;
        this.file = file;
        this.gateways = List.copyOf(gateways);
        this.join = join;
        this.ticker = ticker;
        this.random = random;
    }

    /** Renews until the thread is interrupted. */
    @Override
    public void run() {
        try {
            while (true) {
                ticker.pause(renewWhenDueAndGetPause());
            }
        } catch (AgentStopping _) {
            LOG.debug("Renewing ended because the agent is being closed");
        }
    }

    /** Says how long to wait before looking again; a disk that is full now need not be later. */
    private Duration renewWhenDueAndGetPause() {
        try {
            Optional<NodeKeyAndCertificate> node = file.read();
            if (node.isEmpty()) {
                return LONGEST_PAUSE; // not yet a node: far sooner than its certificate ends
            }
            NodeLogContext.setIfValid(node.get().node());
            awaitHalfLife(node.get());
            return tryRenewalAndGetPause(node.get());
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("The certificate cannot be renewed for the moment; it is tried again", e);
            return LONGEST_PAUSE;
        }
    }

    /**
     * Or does not wait, by a clock that shows a time before the certificate's beginning: it is
     * behind, and may show the half of its life after gateways have seen its end.
     */
    private void awaitHalfLife(NodeKeyAndCertificate present) {
        X509Certificate leaf = present.toTlsMaterial().leaf();
        Instant due =
                NodeCertificateLifetime.renewAt(
                        leaf.getNotBefore().toInstant(), present.expiresAt(), random.nextDouble());
        for (Duration left = timeUntil(due);
                left.isPositive() && !isClockBehind(leaf); // ends when it is due
                left = timeUntil(due)) {
            ticker.pause(capPause(left));
        }
    }

    private boolean isClockBehind(X509Certificate leaf) {
        Duration behind = timeUntil(leaf.getNotBefore().toInstant());
        if (behind.isPositive() && !warnedBehind) {
            warnedBehind = true;
            LOG.warn(
                    "This machine's clock is behind, so its certificate is renewed early: set the"
                            + " clock byAtLeast={}",
                    behind);
        }
        return behind.isPositive();
    }

    private static Duration capPause(Duration left) {
        return left.compareTo(LONGEST_PAUSE) < 0 ? left : LONGEST_PAUSE;
    }

    private Duration timeUntil(Instant due) {
        return Duration.between(ticker.wallClock(), due);
    }

    /** Tries once, at every gateway; says how long to wait before looking again. */
    private Duration tryRenewalAndGetPause(NodeKeyAndCertificate present) {
        List<String> problems = new ArrayList<>();
        for (GatewayAddress gateway : gateways) {
            Optional<NodeKeyAndCertificate> next;
            try {
                next =
                        new CertificateRenewalClient(file, suspicions)
                                .renewIfCurrent(present, gateway);
            } catch (IllegalStateException e) {
                problems.add(String.valueOf(e.getMessage()));
                continue;
            }
            next.ifPresent(this::pauseAfterRenewal);
            return AT_ONCE;
        }
        return logFailureAndGetDelay(present, String.join("; ", problems));
    }

    /**
     * Waits for a part of the new certificate's life, counted from now by whichever of this
     * machine's clocks goes further: one does not count sleep, and the other may be wrong already.
     */
    private void pauseAfterRenewal(NodeKeyAndCertificate next) {
        logRenewed(next);
        X509Certificate leaf = next.toTlsMaterial().leaf();
        Duration rest =
                Duration.between(leaf.getNotBefore().toInstant(), next.expiresAt()).dividedBy(REST);
        long since = ticker.nanos();
        Instant then = ticker.wallClock();
        for (Duration left = rest;
                left.isPositive(); // ends when it has rested
                left = rest.minus(maxElapsedSince(since, then))) {
            ticker.pause(capPause(left));
        }
    }

    private Duration maxElapsedSince(long since, Instant then) {
        Duration ticked = Duration.ofNanos(ticker.nanos() - since);
        Duration shown = Duration.between(then, ticker.wallClock());
        return ticked.compareTo(shown) > 0 ? ticked : shown;
    }

    private Duration logFailureAndGetDelay(NodeKeyAndCertificate present, String problems) {
        Instant now = ticker.wallClock();
        if (now.isBefore(present.expiresAt())) {
            LOG.warn(
                    "The node's certificate is not renewed yet until={} reason={}",
                    present.expiresAt(),
                    problems);
            return NodeCertificateLifetime.retryAfter(now, present.expiresAt(), random.nextDouble())
                    .plusMillis(1);
        }
        LOG.error(
                "The node's certificate has ended by this machine's clock, and nobody renews it: {}"
                        + " until={} reason={}",
                EnrollmentConfig.certificateRemedy(join),
                present.expiresAt(),
                problems);
        return RETRY_AFTER_EXPIRY;
    }

    private static void logRenewed(NodeKeyAndCertificate next) {
        LOG.info(
                "The node's certificate is renewed generation={} until={}",
                next.generation(),
                next.expiresAt());
    }
}
