package drover.coordinator.peers;

import com.google.protobuf.util.Durations;
import drover.coordinator.plan.Cause;
import drover.coordinator.plan.HealthVerdict;
import drover.health.v1.FindingCode;
import drover.health.v1.Gateways;
import drover.health.v1.HealthFinding;
import drover.health.v1.HealthJudgeServiceGrpc;
import drover.health.v1.HealthPolicy;
import drover.health.v1.NodeWatch;
import drover.health.v1.Unwatch;
import drover.health.v1.Verdict;
import drover.health.v1.WatchRequest;
import drover.health.v1.WatchResponse;
import drover.health.v1.Watches;
import drover.kit.grpc.Refusals;
import drover.model.NodeId;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A health-evaluator over gRPC. */
public final class GrpcHealthLink extends OutboundStream<WatchRequest, WatchResponse>
        implements HealthLink {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcHealthLink.class);
    private final Events events;
    private final ManagedChannel channel;
    private final Deque<WatchRequest> ordered = queue();
    private final AtomicBoolean opened = new AtomicBoolean();

    private GrpcHealthLink(ManagedChannel channel, Events events) {
        this.channel = channel;
        this.events = events;
    }

    /** Opens a link over a channel, which ends with it. */
    public static HealthLink open(ManagedChannel channel, Events events) {
        GrpcHealthLink link = new GrpcHealthLink(channel, events);
        HealthJudgeServiceGrpc.newStub(channel).withWaitForReady().watch(link);
        return link;
    }

    /** Not before: a call that waits for an evaluator that is away must not count as sight. */
    @Override
    void ready() {
        if (opened.compareAndSet(false, true)) {
            events.opened();
        }
    }

    @Override
    public void gateways(List<String> addresses) {
        enqueue(
                WatchRequest.newBuilder()
                        .setGateways(Gateways.newBuilder().addAllAddresses(addresses))
                        .build());
    }

    @Override
    public void watch(Collection<Watch> watches) {
        Watches.Builder builder = Watches.newBuilder();
        watches.forEach(watch -> builder.addWatches(watch(watch)));
        enqueue(WatchRequest.newBuilder().setWatches(builder).build());
    }

    @Override
    public void watchWhole(Collection<WholeNode> nodes) {
        Watches.Builder builder = Watches.newBuilder();
        nodes.forEach(node -> builder.addWatches(whole(node)));
        enqueue(WatchRequest.newBuilder().setWatches(builder).build());
    }

    private static NodeWatch whole(WholeNode node) {
        return NodeWatch.newBuilder()
                .setNodeId(node.node().value())
                .setEveryProgram(true)
                .setHold(Durations.fromMillis(node.hold().toMillis()))
                .setPolicy(HealthPolicy.newBuilder().setCrashLoopRestarts(node.crashLoopRestarts()))
                .build();
    }

    @Override
    public void unwatch(Collection<NodeId> nodes) {
        enqueue(
                WatchRequest.newBuilder()
                        .setUnwatch(
                                Unwatch.newBuilder()
                                        .addAllNodeIds(nodes.stream().map(NodeId::value).toList()))
                        .build());
    }

    private void enqueue(WatchRequest request) {
        synchronized (this) {
            ordered.add(request);
        }
        flush();
    }

    @Override
    @Nullable WatchRequest next() {
        return ordered.pollFirst();
    }

    private static NodeWatch watch(Watch watch) {
        return NodeWatch.newBuilder()
                .setNodeId(watch.node().value())
                .setAttempt(watch.attempt())
                .setProgram(watch.program())
                .setRunId(watch.runId())
                .setDigest(watch.digest().value())
                .setConfigDigest(watch.config().value())
                .setHold(Durations.fromMillis(watch.hold().toMillis()))
                .setPolicy(
                        HealthPolicy.newBuilder().setCrashLoopRestarts(watch.crashLoopRestarts()))
                .build();
    }

    @Override
    void received(WatchResponse message) {
        Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        for (Verdict verdict : message.getVerdictsList()) {
            verdicts.put(new NodeId(verdict.getNodeId()), verdict(verdict));
        }
        events.verdicts(verdicts);
    }

    private static HealthVerdict verdict(Verdict verdict) {
        long attempt = verdict.getAttempt();
        return switch (verdict.getOutcome()) {
            case VERDICT_OUTCOME_HEALTHY -> new HealthVerdict.Healthy(attempt);
            case VERDICT_OUTCOME_SETTLING -> new HealthVerdict.Settling(attempt, first(verdict));
            case VERDICT_OUTCOME_UNHEALTHY ->
                    new HealthVerdict.Unhealthy(
                            attempt,
                            verdict.getFindingsList().stream().map(GrpcHealthLink::cause).toList());
            case VERDICT_OUTCOME_NO_DATA, VERDICT_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
                    new HealthVerdict.NoData(attempt, first(verdict));
        };
    }

    private static String first(Verdict verdict) {
        return verdict.getFindingsCount() == 0
                ? "No details were given."
                : verdict.getFindings(0).getSentence();
    }

    private static Cause cause(HealthFinding finding) {
        return new Cause(code(finding), finding.getSentence());
    }

    /** A later evaluator may know more to find: its sentence says what (invariant C15). */
    private static String code(HealthFinding finding) {
        return finding.getCode() == FindingCode.UNRECOGNIZED
                ? "UNKNOWN"
                : finding.getCode().name().substring("FINDING_CODE_".length());
    }

    @Override
    void ended(@Nullable Throwable failure) {
        channel.shutdownNow();
        if (failure instanceof StatusRuntimeException status) {
            Refusals.from(status)
                    .ifPresent(
                            refused ->
                                    LOG.warn(
                                            "A health-evaluator refused reason={} {}",
                                            refused.code(),
                                            refused.getMessage()));
        }
        events.closed();
    }

    @Override
    public void close() {
        end();
        channel.shutdownNow();
    }
}
