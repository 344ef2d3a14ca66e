package drover.evaluator.engine;

import drover.evaluator.assess.AllProgramsWatchSpec;
import drover.evaluator.assess.HealthWatchSpec;
import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.LatestHeartbeat;
import drover.evaluator.assess.NodeHealthHistory;
import drover.evaluator.assess.NodeWithInvalidWatch;
import drover.evaluator.assess.ProgramFlapHistory;
import drover.evaluator.assess.ProgramWatchSpec;
import drover.evaluator.assess.VerdictReport;
import drover.kit.grpc.Address;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One watched node: what each gateway said of it last, and what was said to the coordinator. Used
 * under its room's lock.
 */
final class WatchedNode {
    private final Map<Address, GatewayReport> byGateway = new HashMap<>(); // one entry per gateway
    private HealthWatchSpec watch;
    private long sinceNanos;
    private ProgramFlapHistory history = ProgramFlapHistory.EMPTY;
    private NodeHealthHistory wholeHistory = NodeHealthHistory.EMPTY;
    private Optional<VerdictReport> received = Optional.empty();

    private Optional<String> invalid = Optional.empty(); // why the latest heartbeat is not used

    /** What a gateway said; no heartbeat means that the node is not connected there. */
    private record GatewayReport(Optional<Heartbeat> heartbeat, long nanos) {}

    WatchedNode(HealthWatchSpec watch, long nowNanos) {
        this.watch = watch;
        this.sinceNanos = nowNanos;
    }

    /** Replaces the watch; what was learned stays while it is the same attempt's. */
    void replaceWatch(HealthWatchSpec later, long nowNanos) {
        if (!watch.sharesHistoryWith(later)) {
            history = ProgramFlapHistory.EMPTY;
            wholeHistory = NodeHealthHistory.EMPTY;
            sinceNanos = nowNanos;
        }
        watch = later;
        received = Optional.empty(); // the present verdict is said at once
    }

    /** Its latest heartbeat cannot be used; returns whether that is new. */
    boolean recordInvalid(Address gateway, String why) {
        byGateway.remove(gateway); // what it said before does not count any more
        boolean fresh = invalid.filter(why::equals).isEmpty();
        invalid = Optional.of(why);
        return fresh;
    }

    /** It could not be judged; returns the judgement if the coordinator does not know it. */
    Optional<VerdictReport> takeUnsentFailure(String why) {
        return takeIfUnsent(VerdictReport.ofFailure(watch, why));
    }

    void recordHeartbeat(Address gateway, Heartbeat heartbeat, long receivedNanos) {
        invalid = Optional.empty();
        byGateway.put(gateway, new GatewayReport(Optional.of(heartbeat), receivedNanos));
        if (newestHeartbeat().filter(heartbeat::equals).isPresent()) {
            addToHistory(heartbeat, receivedNanos);
        }
    }

    private void addToHistory(Heartbeat heartbeat, long receivedNanos) {
        switch (watch) {
            case ProgramWatchSpec one -> history = history.withHeartbeat(one, heartbeat);
            case AllProgramsWatchSpec whole -> {
                if (receivedNanos >= sinceNanos) { // what came before it was asked says nothing
                    wholeHistory = wholeHistory.withHeartbeat(heartbeat);
                }
            }
            case NodeWithInvalidWatch _ -> {} // whatever it says, nothing is asked
        }
    }

    void recordDisconnected(Address gateway, long nanos) {
        invalid = Optional.empty();
        byGateway.put(gateway, new GatewayReport(Optional.empty(), nanos));
    }

    void forget(Address gateway) {
        invalid = Optional.empty(); // a gateway that has it says so again
        byGateway.remove(gateway);
    }

    private Optional<Heartbeat> newestHeartbeat() {
        return newestReportWithHeartbeat().flatMap(GatewayReport::heartbeat);
    }

    private Optional<GatewayReport> newestReportWithHeartbeat() {
        return byGateway.values().stream()
                .filter(reported -> reported.heartbeat().isPresent())
                .max(Comparator.comparingLong(GatewayReport::nanos));
    }

    /** The present judgement, if it says anything that the coordinator was not told. */
    Optional<VerdictReport> takeUnsentReport(long nowNanos, int gateways) {
        LatestHeartbeat latest = latestHeartbeat(nowNanos, gateways);
        VerdictReport judgement =
                switch (watch) {
                    case ProgramWatchSpec one -> VerdictReport.assess(one, history, latest);
                    case AllProgramsWatchSpec whole ->
                            VerdictReport.assess(
                                    whole,
                                    wholeHistory,
                                    latest,
                                    Duration.ofNanos(nowNanos - sinceNanos));
                    case NodeWithInvalidWatch unjudged -> VerdictReport.assess(unjudged);
                };
        return takeIfUnsent(judgement);
    }

    private Optional<VerdictReport> takeIfUnsent(VerdictReport judgement) {
        if (received.filter(judgement::isRedundantAfter).isPresent()) {
            return Optional.empty();
        }
        received = Optional.of(judgement);
        return received;
    }

    private LatestHeartbeat latestHeartbeat(long nowNanos, int gateways) {
        if (invalid.isPresent()) {
            return new LatestHeartbeat.Invalid(invalid.get());
        }
        Optional<GatewayReport> newest = newestReportWithHeartbeat();
        if (newest.isPresent()) {
            Heartbeat heartbeat = Objects.requireNonNull(newest.get().heartbeat().orElse(null));
            return new LatestHeartbeat.Received(
                    heartbeat, Duration.ofNanos(nowNanos - newest.get().nanos()));
        }
        boolean allAgree = gateways > 0 && byGateway.size() >= gateways;
        return allAgree ? new LatestHeartbeat.NodeOffline() : new LatestHeartbeat.None();
    }
}
