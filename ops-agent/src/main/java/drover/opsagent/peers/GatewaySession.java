package drover.opsagent.peers;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.opsagent.dial.DialEnd;
import drover.opsagent.dial.DialPlan;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.script.PreflightReport;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Ticker;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one stream to a gateway open, for as long as the agent lives: hello, heartbeats, the one
 * status until it is acknowledged, and dialling again with full jitter (I2). One thread; it writes
 * only while the stream is ready, and what waits is a slot, not a queue.
 */
public final class GatewaySession implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewaySession.class);
    private static final Duration AGAIN = Duration.ofSeconds(10); // an unanswered status
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration SILENCE = Duration.ofSeconds(15); // until the welcome

    private final List<GatewayAddress> gateways;
    private final NodeCredential credential;
    private final SessionTimes times;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final StatusSlot slot;
    private final Node node;
    private final Wakeup wakeup;
    private final BeatPace pace;
    private final AgentMetrics metrics;
    private final AtomicLong dials;
    private boolean open; // the present stream was welcomed

    /**
     * A session that has not dialled yet.
     *
     * @param dialsBefore how often this incarnation of the agent has dialled already
     */
    public GatewaySession(
            List<GatewayAddress> gateways,
            NodeCredential credential,
            SessionTimes times,
            Ticker ticker,
            RandomGenerator random,
            StatusSlot slot,
            Node node,
            Wakeup wakeup,
            AgentMetrics metrics,
            long dialsBefore) {
        this.gateways = List.copyOf(gateways);
        this.credential = credential;
        this.times = times;
        this.ticker = ticker;
        this.random = random;
        this.slot = slot;
        this.node = node;
        this.wakeup = wakeup;
        this.pace = new BeatPace(times.idleHeartbeat(), times.activeHeartbeat());
        this.metrics = metrics;
        this.dials = new AtomicLong(dialsBefore);
    }

    /** Dials until the thread is interrupted. */
    @Override
    public void run() {
        DialPlan plan = DialPlan.first(gateways.size(), random);
        try {
            while (!Thread.currentThread().isInterrupted()) {
                ticker.pause(plan.pause());
                DialEnd end = tryConnect(gateways.get(plan.gateway()));
                plan = plan.after(end, times.caps(), random);
            }
        } catch (AgentStopping _) {
            LOG.debug("Session ended because the agent is being closed");
        }
    }

    private DialEnd tryConnect(GatewayAddress gateway) {
        try {
            return shown(gateway)
                    .map(made -> connect(gateway, made))
                    .orElseGet(() -> new DialEnd.Lost(Duration.ZERO));
        } catch (AgentStopping e) {
            throw e;
        } catch (NodeCredential.Refused e) {
            LOG.warn("No gateway takes this machine reason={}", e.getMessage());
            return new DialEnd.Refused(e.atLeast());
        } catch (NodeCredential.NotNow e) {
            LOG.warn("No gateway is dialled for the moment reason={}", e.getMessage());
            return new DialEnd.Lost(e.atLeast());
        } catch (RuntimeException e) {
            LOG.error("The session broke address={}", gateway, e);
            return new DialEnd.Lost(Duration.ZERO); // the whole cap: it may break again
        }
    }

    /** What the node is dialled with; nothing while somebody has to do something first. */
    private Optional<NodeCredential.Dial> shown(GatewayAddress gateway) {
        try {
            return Optional.of(credential.to(gateway));
        } catch (NodeCredential.Refused | NodeCredential.NotNow e) {
            throw e;
        } catch (IllegalStateException e) {
            LOG.warn("No gateway is dialled for the moment reason={}", e.getMessage());
            return Optional.empty();
        }
    }

    /** One stream, from dial to end, and how that came. */
    private DialEnd connect(GatewayAddress gateway, NodeCredential.Dial made) {
        ManagedChannel channel = made.channel();
        Inbound inbound = new Inbound(slot, node, wakeup);
        metrics.dialled();
        try {
            AgentServiceGrpc.newStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(made.headers()))
                    .connect(inbound);
            speak(gateway, inbound, made.node());
            return ended(gateway, inbound, made);
        } finally {
            if (open) {
                open = false;
                metrics.disconnected();
            }
            channel.shutdownNow();
        }
    }

    /** What the innermost cause says: a transport's own description is only "io exception". */
    public static String sentence(Status end) {
        Throwable cause = end.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String said = cause == null ? end.getDescription() : cause.getMessage();
        return said == null ? "" : said;
    }

    private DialEnd ended(GatewayAddress gateway, Inbound inbound, NodeCredential.Dial made) {
        Status end = inbound.end();
        Duration within = inbound.reconnectWithin();
        if (within != null && open) { // a stranger sends nobody anywhere
            LOG.info("Session ended address={} reason=SENT_AWAY within={}", gateway, within);
            return new DialEnd.SentAway(within);
        }
        LOG.info("Session ended address={} reason={} {}", gateway, end.getCode(), sentence(end));
        Duration atLeast = inbound.retryAfter();
        if (inbound.isLacking()) {
            return new DialEnd.Refused(atLeast);
        }
        return switch (end.getCode()) {
            case UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    INVALID_ARGUMENT,
                    ABORTED,
                    FAILED_PRECONDITION ->
                    new DialEnd.Refused(atLeast);
            default -> open ? new DialEnd.Lost(atLeast) : unanswered(atLeast, made);
        };
    }

    private static DialEnd unanswered(Duration atLeast, NodeCredential.Dial made) {
        return made.lastResort()
                .map(other -> other.compareTo(atLeast) > 0 ? other : atLeast)
                .<DialEnd>map(DialEnd.LastResort::new)
                .orElseGet(() -> new DialEnd.Unanswered(atLeast));
    }

    private void speak(GatewayAddress gateway, Inbound inbound, String itself) {
        ClientCallStreamObserver<ConnectRequest> outbound = inbound.outbound();
        long dial = dials.incrementAndGet();
        SelfReport self = node.self(dial);
        outbound.onNext(
                ConnectRequest.newBuilder()
                        .setHello(ReportProtos.hello(self).toBuilder().setNodeId(itself))
                        .build());
        pace.opened(ticker.nanos());
        long statusAt = ticker.nanos() + AGAIN.toNanos();
        long sent = self.status() == null ? 0 : self.status().sequence();
        long sentAttempt = self.status() == null ? 0 : self.status().journal().attempt();
        long welcomeBy = ticker.nanos() + SILENCE.toNanos();
        while (!inbound.hasEnded()) {
            long now = ticker.nanos();
            if (inbound.takeWelcome(this::welcomed)) {
                LOG.info("Session opened address={} dial={}", gateway, dial);
                open = true;
                metrics.connected();
                credential.welcomed();
            }
            if (!inbound.isWelcomed() && now - welcomeBy > 0) {
                outbound.cancel("no welcome came", null);
            }
            AttemptStatus due = slot.due();
            boolean fresh =
                    due != null
                            && (due.sequence() != sent || due.journal().attempt() != sentAttempt);
            boolean asked = slot.takeAsked();
            if (due != null && inbound.mayWrite() && (fresh || asked || now - statusAt >= 0)) {
                send(outbound, due);
                sent = due.sequence();
                sentAttempt = due.journal().attempt();
                statusAt = now + AGAIN.toNanos();
                pace.statusSent(now, slot);
            }
            if (node.takeHealthChanged()) {
                pace.healthChanged(now);
            }
            if (inbound.mayWrite()) {
                node.takePreflight().ifPresent(report -> outbound.onNext(said(report)));
            }
            if (pace.isDue(now) && inbound.mayWrite()) {
                Duration next = pace.sent(now, slot);
                outbound.onNext(
                        ConnectRequest.newBuilder()
                                .setHeartbeat(
                                        ReportProtos.heartbeat(
                                                node.self(dials.get()), next, ticker.wallClock()))
                                .build());
            }
            // A stream that cannot be written to says when it can.
            long wait = inbound.mayWrite() ? pace.untilDue(now).toNanos() : LOOK.toNanos();
            wakeup.await(Duration.ofNanos(Math.clamp(wait, 1, AGAIN.toNanos())));
        }
    }

    private static ConnectRequest said(PreflightReport report) {
        return ConnectRequest.newBuilder().setPreflight(PreflightProtos.report(report)).build();
    }

    private void send(ClientCallStreamObserver<ConnectRequest> outbound, AttemptStatus status) {
        drover.agent.v1.AttemptStatus message =
                status.isTerminal()
                        ? ReportProtos.ended(status, node.self(dials.get()))
                        : ReportProtos.status(status);
        outbound.onNext(ConnectRequest.newBuilder().setStatus(message).build());
    }

    /** How often this incarnation of the agent has dialled. */
    public long dials() {
        return dials.get();
    }

    private void welcomed(ConnectResponse message) {
        pace.told(message.getWelcome());
    }
}
