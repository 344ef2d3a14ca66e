package drover.coordinator.peers;

import com.google.protobuf.util.Durations;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.health.v1.FindingCode;
import drover.health.v1.Gateways;
import drover.health.v1.HealthFinding;
import drover.health.v1.HealthPolicy;
import drover.health.v1.HealthVerdictServiceGrpc;
import drover.health.v1.Unwatch;
import drover.health.v1.Verdict;
import drover.health.v1.WatchRequest;
import drover.health.v1.WatchResponse;
import drover.health.v1.Watches;
import drover.kit.grpc.RefusalParser;
import drover.model.NodeId;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A health-evaluator over gRPC. It says every {@link #HEARTBEAT_INTERVAL} that it is there; one
 * that has said so and then says nothing for {@link #HEARTBEAT_TIMEOUT} is not heard any more, for
 * what it said last may be true no longer and a mute connection is noticed by its pings only after
 * 50 s (rule R3, F3).
 */
public final class GrpcHealthEvaluatorLink
        extends PullingOutboundStream<WatchRequest, WatchResponse> implements HealthEvaluatorLink {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcHealthEvaluatorLink.class);

    /** How often an evaluator that has nothing to say sends a message without verdicts. */
    static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(5);

    /** Three beats, and half of the shortest time in which a node must become well (0006). */
    static final Duration HEARTBEAT_TIMEOUT = HEARTBEAT_INTERVAL.multipliedBy(3);

    private final Listener events;
    private final ManagedChannel channel;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final Deque<WatchRequest> ordered = newQueue();
    private final AtomicBoolean opened = new AtomicBoolean();
    private final AtomicBoolean beats = new AtomicBoolean();
    private volatile long receivedNanos;

    private GrpcHealthEvaluatorLink(
            ManagedChannel channel, Listener events, Duration timeout, LongSupplier nanoTime) {
        this.channel = channel;
        this.events = events;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
    }

    /** Opens a link over a channel, which ends with it. */
    public static HealthEvaluatorLink open(ManagedChannel channel, Listener events) {
        return open(channel, events, HEARTBEAT_TIMEOUT, System::nanoTime);
    }

    /**
     * The same with another limit and another monotonic clock. The link checks the clock again when
     * the limit has passed in real time.
     */
    static HealthEvaluatorLink open(
            ManagedChannel channel, Listener events, Duration timeout, LongSupplier nanoTime) {
        GrpcHealthEvaluatorLink link =
                new GrpcHealthEvaluatorLink(channel, events, timeout, nanoTime);
        HealthVerdictServiceGrpc.newStub(channel).withWaitForReady().watch(link);
        return link;
    }

    /** Not before: a call that waits for an evaluator that is away must not count as sight. */
    @Override
    void onReady() {
        if (opened.compareAndSet(false, true)) {
            events.onOpened();
        }
    }

    @Override
    public void setGateways(List<String> addresses) {
        enqueueAndFlush(
                WatchRequest.newBuilder()
                        .setGateways(Gateways.newBuilder().addAllAddresses(addresses))
                        .build());
    }

    @Override
    public void watch(Collection<Watch> watches) {
        Watches.Builder builder = Watches.newBuilder();
        watches.forEach(watch -> builder.addWatches(watch(watch)));
        enqueueAndFlush(WatchRequest.newBuilder().setWatches(builder).build());
    }

    @Override
    public void watchAllPrograms(Collection<AllProgramsWatch> nodes) {
        Watches.Builder builder = Watches.newBuilder();
        nodes.forEach(node -> builder.addWatches(toProtoWatch(node)));
        enqueueAndFlush(WatchRequest.newBuilder().setWatches(builder).build());
    }

    private static drover.health.v1.Watch toProtoWatch(AllProgramsWatch node) {
        return drover.health.v1.Watch.newBuilder()
                .setNodeId(node.node().value())
                .setEveryProgram(true)
                .setSoakTime(Durations.fromMillis(node.hold().toMillis()))
                .setPolicy(HealthPolicy.newBuilder().setCrashLoopRestarts(node.crashLoopRestarts()))
                .build();
    }

    @Override
    public void unwatch(Collection<NodeId> nodes) {
        enqueueAndFlush(
                WatchRequest.newBuilder()
                        .setUnwatch(
                                Unwatch.newBuilder()
                                        .addAllNodeIds(nodes.stream().map(NodeId::value).toList()))
                        .build());
    }

    private void enqueueAndFlush(WatchRequest request) {
        synchronized (this) {
            ordered.add(request);
        }
        flush();
    }

    @Override
    @Nullable WatchRequest nextMessage() {
        return ordered.pollFirst();
    }

    private static drover.health.v1.Watch watch(Watch watch) {
        return drover.health.v1.Watch.newBuilder()
                .setNodeId(watch.node().value())
                .setAttempt(watch.attempt())
                .setProgram(watch.program())
                .setRunId(watch.runId())
                .setDigest(watch.digest().value())
                .setConfigDigest(watch.config().value())
                .setSoakTime(Durations.fromMillis(watch.hold().toMillis()))
                .setPolicy(
                        HealthPolicy.newBuilder().setCrashLoopRestarts(watch.crashLoopRestarts()))
                .build();
    }

    @Override
    void onMessage(WatchResponse message) {
        receivedNanos = nanoTime.getAsLong();
        if (message.getVerdictsCount() == 0) {
            startTimeoutCheck();
            return;
        }
        Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        for (Verdict verdict : message.getVerdictsList()) {
            verdicts.put(new NodeId(verdict.getNodeId()), toVerdict(verdict));
        }
        events.onVerdicts(verdicts);
    }

    /** An evaluator of before says nothing while there is nothing: its silence means nothing. */
    private void startTimeoutCheck() {
        if (beats.compareAndSet(false, true)) {
            Thread.ofVirtual().name("evaluator-silence").start(this::endOnTimeout);
        }
    }

    private void endOnTimeout() {
        try {
            long left = timeout.toNanos();
            while (left > 0) {
                if (awaitEnd(Duration.ofNanos(left))) {
                    return;
                }
                left = receivedNanos + timeout.toNanos() - nanoTime.getAsLong();
            }
            LOG.warn("A health-evaluator says nothing any more silence={}", timeout);
            end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it but the end of the process
        }
    }

    private static HealthVerdict toVerdict(Verdict verdict) {
        long attempt = verdict.getAttempt();
        return switch (verdict.getOutcome()) {
            case VERDICT_OUTCOME_HEALTHY -> new HealthVerdict.Healthy(attempt);
            case VERDICT_OUTCOME_SETTLING ->
                    new HealthVerdict.Settling(attempt, firstSentence(verdict));
            case VERDICT_OUTCOME_UNHEALTHY ->
                    new HealthVerdict.Unhealthy(
                            attempt,
                            verdict.getFindingsList().stream()
                                    .map(GrpcHealthEvaluatorLink::toCause)
                                    .toList());
            case VERDICT_OUTCOME_NO_DATA, VERDICT_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                    new HealthVerdict.NoData(attempt, firstSentence(verdict));
        };
    }

    private static String firstSentence(Verdict verdict) {
        return verdict.getFindingsCount() == 0
                ? "No details were given."
                : verdict.getFindings(0).getSentence();
    }

    private static Cause toCause(HealthFinding finding) {
        return new Cause(code(finding), finding.getSentence());
    }

    /** A later evaluator may know more to find: its sentence says what (invariant C15). */
    private static String code(HealthFinding finding) {
        return finding.getCode() == FindingCode.UNRECOGNIZED
                ? "UNKNOWN"
                : finding.getCode().name().substring("FINDING_CODE_".length());
    }

    @Override
    void onEnd(@Nullable Throwable failure) {
        channel.shutdownNow();
        if (failure instanceof StatusRuntimeException status) {
            RefusalParser.from(status)
                    .ifPresent(
                            refused ->
                                    LOG.warn(
                                            "A health-evaluator refused reason={} {}",
                                            refused.code(),
                                            refused.getMessage()));
        }
        events.onClosed();
    }

    @Override
    public void close() {
        end();
        channel.shutdownNow();
    }
}
