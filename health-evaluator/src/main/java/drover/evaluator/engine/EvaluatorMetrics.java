package drover.evaluator.engine;

import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.evaluator.peers.HeartbeatFeed;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

/** The evaluator's metrics: what it hears, what it watches, what it says. */
public final class EvaluatorMetrics {
    private static final String PREFIX = "drover_evaluator_";

    static final MetricDefinition WATCHES =
            MetricDefinition.gauge(PREFIX + "watches", "Nodes that coordinators want judged.");
    static final MetricDefinition HEARTBEATS =
            MetricDefinition.counter(
                    PREFIX + "heartbeats_total", "Heartbeats of watched nodes received.");
    static final MetricDefinition INVALID =
            MetricDefinition.counter(
                    PREFIX + "heartbeats_invalid_total",
                    "Heartbeats that were not used because a value was outside its limits.");
    static final MetricDefinition VERDICTS =
            MetricDefinition.counter(
                    PREFIX + "verdicts_total", "Verdicts told, by what they say.", "verdict");

    private final Metrics metrics;
    private final Metrics.Counter heartbeats;
    private final Metrics.Counter invalid;
    private final Metrics.Counter verdicts;

    /** Offers them. */
    public EvaluatorMetrics(Metrics metrics) {
        this.metrics = metrics;
        heartbeats = metrics.registerCounter(HEARTBEATS);
        invalid = metrics.registerCounter(INVALID);
        invalid.initialize(); // shown before there is any
        verdicts = metrics.registerCounter(VERDICTS);
    }

    /**
     * Shows how many nodes are watched.
     *
     * @return withdraws it
     */
    public Runnable registerWatchCount(IntSupplier watches) {
        return metrics.registerGauge(WATCHES, reading -> reading.record(watches.getAsInt()));
    }

    /** The same feed, counted. */
    public HeartbeatFeed withCounting(HeartbeatFeed feed) {
        return (gateway, listener) ->
                feed.subscribe(gateway, new CountingHeartbeatListener(listener));
    }

    /** The same wire, counted. */
    public VerdictStream withCounting(VerdictStream wire) {
        return judgements -> {
            boolean sent = wire.send(judgements);
            if (sent) {
                count(judgements);
            }
            return sent;
        };
    }

    private void count(List<VerdictReport> judgements) {
        judgements.forEach(judgement -> verdicts.increment(verdictLabel(judgement.verdict())));
    }

    private static String verdictLabel(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Healthy _ -> "healthy";
            case Verdict.Settling _ -> "settling";
            case Verdict.Unhealthy _ -> "unhealthy";
            case Verdict.NoData _ -> "no_data";
        };
    }

    /** Counts and passes on. */
    private final class CountingHeartbeatListener implements HeartbeatFeed.Listener {
        private final HeartbeatFeed.Listener listener;

        CountingHeartbeatListener(HeartbeatFeed.Listener listener) {
            this.listener = listener;
        }

        @Override
        public void onHeartbeat(NodeId node, Heartbeat heartbeat, Duration age) {
            heartbeats.increment();
            listener.onHeartbeat(node, heartbeat, age);
        }

        @Override
        public void onInvalidHeartbeat(NodeId node, String why) {
            invalid.increment();
            listener.onInvalidHeartbeat(node, why);
        }

        @Override
        public void onDisconnect(NodeId node) {
            listener.onDisconnect(node);
        }
    }
}
