package drover.opsagent.peers;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.ProgramLog;
import drover.opsagent.engine.LogRequestHandler;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.preflight.PreflightReport;
import drover.opsagent.reconnect.ConnectionEnd;
import drover.opsagent.reconnect.ReconnectPlan;
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
public final class GatewaySessionLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewaySessionLoop.class);
    private static final Duration STATUS_RESEND_INTERVAL =
            Duration.ofSeconds(10); // an unanswered status
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration WELCOME_TIMEOUT = Duration.ofSeconds(15); // until the welcome

    private final List<GatewayAddress> gateways;
    private final NodeCredential credential;
    private final SessionTimings times;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final StatusSlot slot;
    private final SessionHandler handler;
    private final LoopWakeup wakeup;
    private final HeartbeatSchedule heartbeatInterval;
    private final AgentMetrics metrics;
    private final AtomicLong connectionAttempts;
    private boolean open; // the present stream was welcomed

    /**
     * A session that has not dialled yet.
     *
     * @param connectionsBefore how often this incarnation of the agent has dialled already
     */
    public GatewaySessionLoop(
            List<GatewayAddress> gateways,
            NodeCredential credential,
            SessionTimings times,
            Ticker ticker,
            RandomGenerator random,
            StatusSlot slot,
            SessionHandler node,
            LoopWakeup wakeup,
            AgentMetrics metrics,
            long connectionsBefore) {
        this.gateways = List.copyOf(gateways);
        this.credential = credential;
        this.times = times;
        this.ticker = ticker;
        this.random = random;
        this.slot = slot;
        this.handler = node;
        this.wakeup = wakeup;
        this.heartbeatInterval =
                new HeartbeatSchedule(times.idleHeartbeat(), times.activeHeartbeat());
        this.metrics = metrics;
        this.connectionAttempts = new AtomicLong(connectionsBefore);
    }

    /** Dials until the thread is interrupted. */
    @Override
    public void run() {
        ReconnectPlan plan = ReconnectPlan.firstAttempt(gateways.size(), random);
        try {
            while (!Thread.currentThread().isInterrupted()) {
                ticker.pause(plan.delay());
                ConnectionEnd end = connectAndRunStream(gateways.get(plan.gateway()));
                plan = plan.planNext(end, times.caps(), random);
            }
        } catch (AgentStopping _) {
            LOG.debug("Session ended because the agent is being closed");
        }
    }

    private ConnectionEnd connectAndRunStream(GatewayAddress gateway) {
        try {
            return prepareConnection(gateway)
                    .map(made -> runStream(gateway, made))
                    .orElseGet(() -> new ConnectionEnd.Disconnected(Duration.ZERO));
        } catch (AgentStopping e) {
            throw e;
        } catch (NodeCredential.EnrollmentRefused e) {
            LOG.warn("No gateway takes this machine reason={}", e.getMessage());
            return new ConnectionEnd.Refused(e.retryAfter());
        } catch (NodeCredential.CredentialTemporarilyUnavailable e) {
            LOG.warn("No gateway is dialled for the moment reason={}", e.getMessage());
            return new ConnectionEnd.Disconnected(e.retryAfter());
        } catch (RuntimeException e) {
            LOG.error("The session broke address={}", gateway, e);
            return new ConnectionEnd.Disconnected(
                    Duration.ZERO); // the whole cap: it may break again
        }
    }

    /** What the node is dialled with; nothing while somebody has to do something first. */
    private Optional<NodeCredential.PreparedConnection> prepareConnection(GatewayAddress gateway) {
        try {
            return Optional.of(credential.prepareConnection(gateway));
        } catch (NodeCredential.EnrollmentRefused
                | NodeCredential.CredentialTemporarilyUnavailable e) {
            throw e;
        } catch (IllegalStateException e) {
            LOG.warn("No gateway is dialled for the moment reason={}", e.getMessage());
            return Optional.empty();
        }
    }

    /** One stream, from dial to end, and how that came. */
    private ConnectionEnd runStream(
            GatewayAddress gateway, NodeCredential.PreparedConnection made) {
        ManagedChannel channel = made.channel();
        GatewayMessageObserver inbound = new GatewayMessageObserver(slot, handler, wakeup);
        metrics.recordConnectionAttempt();
        try {
            AgentServiceGrpc.newStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(made.headers()))
                    .connect(inbound);
            sendUntilEnd(gateway, inbound, made.node());
            return toConnectionEnd(gateway, inbound, made);
        } finally {
            if (open) {
                open = false;
                metrics.recordDisconnected();
            }
            channel.shutdownNow();
        }
    }

    /** What the innermost cause says: a transport's own description is only "io exception". */
    public static String causeMessage(Status end) {
        Throwable cause = end.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String output = cause == null ? end.getDescription() : cause.getMessage();
        return output == null ? "" : output;
    }

    private ConnectionEnd toConnectionEnd(
            GatewayAddress gateway,
            GatewayMessageObserver inbound,
            NodeCredential.PreparedConnection made) {
        Status end = inbound.endStatus();
        Duration within = inbound.reconnectWithin();
        if (within != null && open) { // a stranger sends nobody anywhere
            LOG.info("Session ended address={} reason=SENT_AWAY within={}", gateway, within);
            return new ConnectionEnd.ReconnectElsewhereRequested(within);
        }
        LOG.info(
                "Session ended address={} reason={} {}", gateway, end.getCode(), causeMessage(end));
        Duration atLeast = inbound.retryAfter();
        if (inbound.lacksRequiredFeatures()) {
            return new ConnectionEnd.Refused(atLeast);
        }
        return switch (end.getCode()) {
            case UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    INVALID_ARGUMENT,
                    ABORTED,
                    FAILED_PRECONDITION ->
                    new ConnectionEnd.Refused(atLeast);
            default ->
                    open
                            ? new ConnectionEnd.Disconnected(atLeast)
                            : endBeforeWelcome(atLeast, made);
        };
    }

    private static ConnectionEnd endBeforeWelcome(
            Duration atLeast, NodeCredential.PreparedConnection made) {
        return made.lastResort()
                .map(other -> other.compareTo(atLeast) > 0 ? other : atLeast)
                .<ConnectionEnd>map(ConnectionEnd.ExpiredCertificateFailed::new)
                .orElseGet(() -> new ConnectionEnd.Unavailable(atLeast));
    }

    private void sendUntilEnd(
            GatewayAddress gateway, GatewayMessageObserver inbound, String itself) {
        ClientCallStreamObserver<ConnectRequest> outbound = inbound.requireOutbound();
        long connectionNumber = connectionAttempts.incrementAndGet();
        SelfReport self = handler.buildReport(connectionNumber);
        outbound.onNext(
                ConnectRequest.newBuilder()
                        .setHello(ReportProtos.toHello(self).toBuilder().setNodeId(itself))
                        .build());
        heartbeatInterval.onStreamOpened(ticker.nanos());
        long statusAt = ticker.nanos() + STATUS_RESEND_INTERVAL.toNanos();
        long sent = self.status() == null ? 0 : self.status().sequence();
        long sentAttempt = self.status() == null ? 0 : self.status().journal().attempt();
        long welcomeBy = ticker.nanos() + WELCOME_TIMEOUT.toNanos();
        while (!inbound.hasEnded()) {
            long now = ticker.nanos();
            if (inbound.pollWelcome(this::onWelcome)) {
                LOG.info("Session opened address={} dial={}", gateway, connectionNumber);
                open = true;
                metrics.recordConnected();
                credential.onAccepted();
            }
            if (!inbound.isWelcomed() && now - welcomeBy > 0) {
                outbound.cancel("no welcome came", null);
            }
            AttemptStatus due = slot.findUnacknowledgedOrRequested();
            boolean fresh =
                    due != null
                            && (due.sequence() != sent || due.journal().attempt() != sentAttempt);
            boolean requested = slot.takeResendRequest();
            if (due != null && inbound.canWrite() && (fresh || requested || now - statusAt >= 0)) {
                sendStatus(outbound, due);
                sent = due.sequence();
                sentAttempt = due.journal().attempt();
                statusAt = now + STATUS_RESEND_INTERVAL.toNanos();
                heartbeatInterval.onStatusSent(now, slot);
            }
            if (handler.takeHealthChanged()) {
                heartbeatInterval.onHealthChanged(now);
            }
            if (inbound.canWrite()) {
                handler.takePreflightReport()
                        .ifPresent(report -> outbound.onNext(toMessage(report)));
                handler.takeLogResponse().ifPresent(log -> outbound.onNext(toMessage(log)));
            }
            if (heartbeatInterval.isDue(now) && inbound.canWrite()) {
                Duration next = heartbeatInterval.onHeartbeatSent(now, slot);
                outbound.onNext(
                        ConnectRequest.newBuilder()
                                .setHeartbeat(
                                        ReportProtos.toHeartbeat(
                                                handler.buildReport(connectionAttempts.get()),
                                                next,
                                                ticker.wallClock()))
                                .build());
            }
            // A stream that cannot be written to says when it can.
            long wait =
                    inbound.canWrite()
                            ? heartbeatInterval.untilDue(now).toNanos()
                            : POLL_INTERVAL.toNanos();
            wakeup.await(Duration.ofNanos(Math.clamp(wait, 1, STATUS_RESEND_INTERVAL.toNanos())));
        }
    }

    private static ConnectRequest toMessage(PreflightReport report) {
        return ConnectRequest.newBuilder()
                .setPreflight(PreflightReportProtos.toProto(report))
                .build();
    }

    private static ConnectRequest toMessage(LogRequestHandler.Response log) {
        return ConnectRequest.newBuilder()
                .setLog(
                        ProgramLog.newBuilder()
                                .setRequestId(log.requestId())
                                .setText(log.text())
                                .setDetail(log.detail()))
                .build();
    }

    private void sendStatus(
            ClientCallStreamObserver<ConnectRequest> outbound, AttemptStatus status) {
        drover.agent.v1.AttemptStatus message =
                status.isTerminal()
                        ? ReportProtos.toEndedStatus(
                                status, handler.buildReport(connectionAttempts.get()))
                        : ReportProtos.toStatus(status);
        outbound.onNext(ConnectRequest.newBuilder().setStatus(message).build());
    }

    /** How often this incarnation of the agent has dialled. */
    public long connectionAttempts() {
        return connectionAttempts.get();
    }

    private void onWelcome(ConnectResponse message) {
        NodeLogContext.setIfValid(message.getWelcome().getNodeId());
        heartbeatInterval.setIntervals(message.getWelcome());
    }
}
