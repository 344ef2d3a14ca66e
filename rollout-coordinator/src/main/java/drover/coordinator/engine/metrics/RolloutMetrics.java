package drover.coordinator.engine.metrics;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.metrics.RolloutProgress;
import drover.coordinator.metrics.WorkTimes;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.query.AttentionViews.Attention;
import drover.coordinator.store.query.MetricsHistory;
import drover.kit.telemetry.Metric;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.Metrics.Measurement;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The coordinator's metrics (seed 000, Prometheus Metrics, and some of its loops). Counters count
 * commits of this replica while it leads. Gauges tell of the rollouts whose loops it runs, so that
 * one replica shows each, and none shows one that has ended.
 */
public final class RolloutMetrics implements LoopMeter, AutoCloseable {
    private static final String PREFIX = "drover_rollout_";

    static final Metric TOTAL =
            Metric.counter(
                    PREFIX + "total",
                    "Rollouts that ended, by how they ended.",
                    "chain",
                    "strategy",
                    "status");
    static final Metric DURATION =
            Metric.longSeconds(
                    PREFIX + "duration_seconds",
                    "Time from a rollout's start to its end, pauses included.",
                    "chain",
                    "strategy",
                    "status");
    static final Metric NODE_UPGRADES =
            Metric.counter(
                    PREFIX + "node_upgrades_total",
                    "Upgrades of nodes that were decided, by what they came to.",
                    "chain",
                    "status");
    static final Metric NODE_DURATION =
            Metric.longSeconds(
                    PREFIX + "node_upgrade_duration_seconds",
                    "Time from the allotment of a node's work to its decision.",
                    "chain",
                    "status");
    static final Metric ACTIVE =
            Metric.gauge(PREFIX + "active", "Rollouts that have not ended.", "chain");
    static final Metric PROGRESS =
            Metric.gauge(
                    PREFIX + "progress",
                    "Share of a rollout's nodes that are decided, from 0 to 1.",
                    "chain",
                    "rollout_id");
    static final Metric NODE_PHASE =
            Metric.gauge(
                    PREFIX + "node_phase",
                    "Nodes of a rollout that are in a phase of their upgrade.",
                    "chain",
                    "rollout_id",
                    "phase");
    static final Metric PAUSED =
            Metric.gauge(
                    PREFIX + "paused",
                    "Rollouts that are paused, by the reason.",
                    "chain",
                    "reason");
    static final Metric LOOP_FAILURES =
            Metric.counter(
                    "drover_loop_failures_total",
                    "Items that a loop could not handle; it continued with the others.",
                    "loop");

    /** Loops that continue after an item they could not handle. */
    private static final List<String> LOOPS = List.of("fleet", "preflights", "rollout");

    static final Metric REJECTED =
            Metric.counter(
                    "drover_coordinator_messages_rejected_total",
                    "Relayed messages of agents with a value outside its limits.");
    static final Metric TICK =
            Metric.seconds(
                    "drover_loop_tick_seconds", "Time that one round of a loop takes.", "loop");
    static final Metric COMMIT =
            Metric.seconds(
                    "drover_commit_seconds",
                    "Time that a commit takes, by what became of it.",
                    "outcome");

    static final Metric OUTBOX =
            Metric.gauge(
                    "drover_outbox_lag_seconds",
                    "Age of the oldest event that a receiver has not taken; 0 when none waits.");

    static final Metric EVENTS_REJECTED =
            Metric.counter(
                    "drover_events_rejected_total",
                    "Events that a receiver rejected, which are dead letters since.");

    static final Metric CONNECTIONS_REJECTED =
            Metric.counter(
                    "drover_coordinator_connections_rejected_total",
                    "Connections of operators over the limit, closed before their handshake.");
    static final Metric LEADS =
            Metric.gauge("drover_coordinator_leads", "1 while this replica leads, else 0.");

    final Metrics.Counter rollouts;
    final Metrics.Timer rolloutTimes;
    final Metrics.Counter nodes;
    final Metrics.Timer nodeTimes;
    final MetricsHistory history;
    private final Metrics metrics;
    private final Metrics.Counter rejected;
    private final Metrics.Timer ticks;
    private final Metrics.Counter failures;
    private final Metrics.Counter eventsRejected;
    private final Metrics.Timer commits;
    private final Metrics.Counter connectionsRejected;
    private final LongSupplier nanos;
    private final Map<RolloutId, RolloutMeter> current = new ConcurrentHashMap<>();
    private final Set<String> chains =
            ConcurrentHashMap.newKeySet(); // stay at 0 when idle; as many as there are profiles
    private final Map<String, Long> untold = // by sink: when its oldest event happened, in nanos
            new ConcurrentHashMap<>();
    private final AttentionGauges attention;
    private final List<Runnable> gauges = new ArrayList<>();

    /**
     * Offers them.
     *
     * @param past what happened to a rollout before this leader took it over
     * @param nanos a monotonic clock
     */
    public RolloutMetrics(Metrics metrics, MetricsHistory past, LongSupplier nanos) {
        this.metrics = metrics;
        this.history = past;
        this.nanos = nanos;
        rollouts = metrics.counter(TOTAL);
        rolloutTimes = metrics.timer(DURATION);
        nodes = metrics.counter(NODE_UPGRADES);
        nodeTimes = metrics.timer(NODE_DURATION);
        rejected = metrics.counter(REJECTED);
        rejected.initialize();
        ticks = metrics.timer(TICK);
        failures = metrics.counter(LOOP_FAILURES);
        LOOPS.forEach(failures::initialize); // shown before there is any
        eventsRejected = metrics.counter(EVENTS_REJECTED);
        eventsRejected.initialize(); // shown before there is any
        commits = metrics.timer(COMMIT);
        connectionsRejected = metrics.counter(CONNECTIONS_REJECTED);
        connectionsRejected.initialize(); // visible before there is one
        gauges.add(metrics.gauge(ACTIVE, this::active));
        gauges.add(metrics.gauge(PROGRESS, this::progress));
        gauges.add(metrics.gauge(NODE_PHASE, this::phases));
        gauges.add(metrics.gauge(PAUSED, this::paused));
        attention = new AttentionGauges(nanos);
        gauges.addAll(attention.register(metrics));
        gauges.add(metrics.gauge(OUTBOX, reading -> reading.record(outboxSeconds())));
    }

    /** Counts a connection that was closed because it exceeded the limit. */
    public void connectionRejected() {
        connectionsRejected.increment();
    }

    /** Shows whether this replica leads. */
    public void leads(BooleanSupplier leads) {
        gauges.add(metrics.gauge(LEADS, reading -> reading.record(leads.getAsBoolean() ? 1 : 0)));
    }

    @Override
    public OfRollout rollout(RolloutId id) {
        return new RolloutMeter(id, this);
    }

    @Override
    public void round(String loop, Duration took) {
        ticks.record(took, loop);
    }

    @Override
    public void failed(String loop) {
        failures.increment(loop);
    }

    @Override
    public void rejected() {
        rejected.increment();
    }

    @Override
    public void undelivered(String sink, Duration oldest) {
        if (oldest.isZero()) {
            untold.remove(sink);
        } else {
            untold.put(sink, nanos() - oldest.toNanos());
        }
    }

    @Override
    public void attention(Attention counted) {
        attention.update(counted);
    }

    @Override
    public void rejected(String sink) {
        eventsRejected.increment();
    }

    /** It grows between two looks: a receiver that is away is asked once a minute. */
    private double outboxSeconds() {
        long now = nanos();
        return untold.values().stream().mapToLong(since -> now - since).max().orElse(0) / 1e9;
    }

    /** Shows a rollout from now on, in place of what was shown of it. */
    void show(RolloutId id, RolloutMeter gauge, Rollout rollout) {
        String chain = chain(rollout);
        if (chains.add(chain)) {
            WorkTimes.NODE_ENDS.forEach(status -> nodes.initialize(chain, status));
        }
        String strategy = RolloutMeter.label(rollout.spec().strategy());
        WorkTimes.ROLLOUT_ENDS.forEach(status -> rollouts.initialize(chain, strategy, status));
        current.put(id, gauge);
    }

    void hide(RolloutId id, RolloutMeter gauge) {
        current.remove(id, gauge); // a loop of the next term may show it already
    }

    long nanos() {
        return nanos.getAsLong();
    }

    void committed(long startedNanos, String outcome) {
        commits.record(Duration.ofNanos(nanos() - startedNanos), outcome);
    }

    static String label(Commit.Outcome outcome) {
        return switch (outcome) {
            case Commit.Outcome.Committed committed -> "committed";
            case Commit.Outcome.StaleEpoch stale -> "stale_epoch";
            case Commit.Outcome.Conflict conflict -> "conflict";
            case Commit.Outcome.ChainBusy busy -> "chain_busy";
        };
    }

    static String chain(Rollout rollout) {
        return rollout.spec().chain().value();
    }

    private List<Rollout> underWay() {
        return current.values().stream()
                .flatMap(gauge -> gauge.rollout().stream())
                .filter(rollout -> !rollout.state().isFinal())
                .toList();
    }

    private void active(Measurement reading) {
        Map<String, Integer> active = new TreeMap<>();
        chains.forEach(chain -> active.put(chain, 0));
        underWay().forEach(rollout -> active.merge(chain(rollout), 1, Integer::sum));
        active.forEach((chain, count) -> reading.record(count, chain));
    }

    private void progress(Measurement reading) {
        underWay()
                .forEach(
                        rollout ->
                                reading.record(
                                        RolloutProgress.progress(rollout),
                                        chain(rollout),
                                        rollout.id().toString()));
    }

    private void phases(Measurement reading) {
        for (Rollout rollout : underWay()) {
            RolloutProgress.phases(rollout)
                    .forEach(
                            (phase, count) ->
                                    reading.record(
                                            count,
                                            chain(rollout),
                                            rollout.id().toString(),
                                            phase.name()));
        }
    }

    private void paused(Measurement reading) {
        Map<List<String>, Integer> paused = new HashMap<>();
        for (Rollout rollout : underWay()) {
            if (rollout.state() instanceof RolloutState.Paused(var _, var reason, var _)) {
                paused.merge(List.of(chain(rollout), reason.name()), 1, Integer::sum);
            }
        }
        paused.forEach((labels, count) -> reading.record(count, labels.get(0), labels.get(1)));
    }

    @Override
    public void close() {
        gauges.forEach(Runnable::run);
    }
}
