package drover.coordinator.engine.metrics;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.metrics.RolloutAndNodeDurationTracker;
import drover.coordinator.metrics.RolloutProgressCalculator;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.query.AttentionCountViews.AttentionCounts;
import drover.coordinator.store.query.HistoryForMetricsViews;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.Metrics.GaugeRecorder;
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
public final class CoordinatorMetrics implements LoopMeter, AutoCloseable {
    private static final String PREFIX = "drover_rollout_";

    static final MetricDefinition TOTAL =
            MetricDefinition.counter(
                    PREFIX + "total",
                    "Rollouts that ended, by how they ended.",
                    "chain",
                    "strategy",
                    "status");
    static final MetricDefinition DURATION =
            MetricDefinition.longDurationHistogram(
                    PREFIX + "duration_seconds",
                    "Time from a rollout's start to its end, pauses included.",
                    "chain",
                    "strategy",
                    "status");
    static final MetricDefinition NODE_UPGRADES =
            MetricDefinition.counter(
                    PREFIX + "node_upgrades_total",
                    "Upgrades of nodes that were decided, by what they came to.",
                    "chain",
                    "status");
    static final MetricDefinition NODE_DURATION =
            MetricDefinition.longDurationHistogram(
                    PREFIX + "node_upgrade_duration_seconds",
                    "Time from the allotment of a node's work to its decision.",
                    "chain",
                    "status");
    static final MetricDefinition ACTIVE =
            MetricDefinition.gauge(PREFIX + "active", "Rollouts that have not ended.", "chain");
    static final MetricDefinition PROGRESS =
            MetricDefinition.gauge(
                    PREFIX + "progress",
                    "Share of a rollout's nodes that are decided, from 0 to 1.",
                    "chain",
                    "rollout_id");
    static final MetricDefinition NODE_PHASE =
            MetricDefinition.gauge(
                    PREFIX + "node_phase",
                    "Nodes of a rollout that are in a phase of their upgrade.",
                    "chain",
                    "rollout_id",
                    "phase");
    static final MetricDefinition PAUSED =
            MetricDefinition.gauge(
                    PREFIX + "paused",
                    "Rollouts that are paused, by the reason.",
                    "chain",
                    "reason");
    static final MetricDefinition LOOP_FAILURES =
            MetricDefinition.counter(
                    "drover_loop_failures_total",
                    "Items that a loop could not handle; it continued with the others.",
                    "loop");

    /** Loops that continue after an item they could not handle. */
    private static final List<String> LOOPS = List.of("fleet", "preflights", "rollout");

    static final MetricDefinition REJECTED =
            MetricDefinition.counter(
                    "drover_coordinator_messages_rejected_total",
                    "Relayed messages of agents with a value outside its limits.");
    static final MetricDefinition TICK =
            MetricDefinition.shortDurationHistogram(
                    "drover_loop_tick_seconds", "Time that one round of a loop takes.", "loop");
    static final MetricDefinition COMMIT =
            MetricDefinition.shortDurationHistogram(
                    "drover_commit_seconds",
                    "Time that a commit takes, by what became of it.",
                    "outcome");

    static final MetricDefinition OUTBOX =
            MetricDefinition.gauge(
                    "drover_outbox_lag_seconds",
                    "Age of the oldest event that a receiver has not taken; 0 when none waits.");

    static final MetricDefinition EVENTS_REJECTED =
            MetricDefinition.counter(
                    "drover_events_rejected_total",
                    "Events that a receiver rejected, which are dead letters since.");

    static final MetricDefinition CONNECTIONS_REJECTED =
            MetricDefinition.counter(
                    "drover_coordinator_connections_rejected_total",
                    "Connections of operators over the limit, closed before their handshake.");
    static final MetricDefinition LEADS =
            MetricDefinition.gauge(
                    "drover_coordinator_leads", "1 while this replica leads, else 0.");

    final Metrics.Counter rollouts;
    final Metrics.Timer rolloutTimes;
    final Metrics.Counter nodes;
    final Metrics.Timer nodeTimes;
    final HistoryForMetricsViews history;
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
    public CoordinatorMetrics(Metrics metrics, HistoryForMetricsViews past, LongSupplier nanos) {
        this.metrics = metrics;
        this.history = past;
        this.nanos = nanos;
        rollouts = metrics.registerCounter(TOTAL);
        rolloutTimes = metrics.registerTimer(DURATION);
        nodes = metrics.registerCounter(NODE_UPGRADES);
        nodeTimes = metrics.registerTimer(NODE_DURATION);
        rejected = metrics.registerCounter(REJECTED);
        rejected.initialize();
        ticks = metrics.registerTimer(TICK);
        failures = metrics.registerCounter(LOOP_FAILURES);
        LOOPS.forEach(failures::initialize); // shown before there is any
        eventsRejected = metrics.registerCounter(EVENTS_REJECTED);
        eventsRejected.initialize(); // shown before there is any
        commits = metrics.registerTimer(COMMIT);
        connectionsRejected = metrics.registerCounter(CONNECTIONS_REJECTED);
        connectionsRejected.initialize(); // visible before there is one
        gauges.add(metrics.registerGauge(ACTIVE, this::measureActive));
        gauges.add(metrics.registerGauge(PROGRESS, this::measureProgress));
        gauges.add(metrics.registerGauge(NODE_PHASE, this::measurePhases));
        gauges.add(metrics.registerGauge(PAUSED, this::measurePaused));
        attention = new AttentionGauges(nanos);
        gauges.addAll(attention.register(metrics));
        gauges.add(metrics.registerGauge(OUTBOX, reading -> reading.record(outboxAgeSeconds())));
    }

    /** Counts a connection that was closed because it exceeded the limit. */
    public void countRejectedConnection() {
        connectionsRejected.increment();
    }

    /** Shows whether this replica leads. */
    public void registerLeaderGauge(BooleanSupplier leads) {
        gauges.add(
                metrics.registerGauge(
                        LEADS, reading -> reading.record(leads.getAsBoolean() ? 1 : 0)));
    }

    @Override
    public RolloutCommitMeter rolloutMeter(RolloutId id) {
        return new RolloutMeter(id, this);
    }

    @Override
    public void recordRound(String loop, Duration took) {
        ticks.record(took, loop);
    }

    @Override
    public void recordFailure(String loop) {
        failures.increment(loop);
    }

    @Override
    public void recordInvalidMessage() {
        rejected.increment();
    }

    @Override
    public void recordUndeliveredAge(String sink, Duration oldest) {
        if (oldest.isZero()) {
            untold.remove(sink);
        } else {
            untold.put(sink, nanos() - oldest.toNanos());
        }
    }

    @Override
    public void recordAttention(AttentionCounts counted) {
        attention.update(counted);
    }

    @Override
    public void recordDeadLetter(String sink) {
        eventsRejected.increment();
    }

    /** It grows between two looks: a receiver that is away is asked once a minute. */
    private double outboxAgeSeconds() {
        long now = nanos();
        return untold.values().stream().mapToLong(since -> now - since).max().orElse(0) / 1e9;
    }

    /** Shows a rollout from now on, in place of what was shown of it. */
    void addRollout(RolloutId id, RolloutMeter gauge, Rollout rollout) {
        String chain = chainLabel(rollout);
        if (chains.add(chain)) {
            RolloutAndNodeDurationTracker.NODE_ENDS.forEach(
                    status -> nodes.initialize(chain, status));
        }
        String strategy = RolloutMeter.strategyLabel(rollout.spec().strategy());
        RolloutAndNodeDurationTracker.ROLLOUT_ENDS.forEach(
                status -> rollouts.initialize(chain, strategy, status));
        current.put(id, gauge);
    }

    void removeRollout(RolloutId id, RolloutMeter gauge) {
        current.remove(id, gauge); // a loop of the next term may show it already
    }

    long nanos() {
        return nanos.getAsLong();
    }

    void recordCommit(long startedNanos, String outcome) {
        commits.record(Duration.ofNanos(nanos() - startedNanos), outcome);
    }

    static String outcomeLabel(Commit.Outcome outcome) {
        return switch (outcome) {
            case Commit.Outcome.Committed committed -> "committed";
            case Commit.Outcome.StaleEpoch stale -> "stale_epoch";
            case Commit.Outcome.Conflict conflict -> "conflict";
            case Commit.Outcome.ChainBusy busy -> "chain_busy";
        };
    }

    static String chainLabel(Rollout rollout) {
        return rollout.spec().chain().value();
    }

    private List<Rollout> activeRollouts() {
        return current.values().stream()
                .flatMap(gauge -> gauge.latestRollout().stream())
                .filter(rollout -> !rollout.state().isFinal())
                .toList();
    }

    private void measureActive(GaugeRecorder reading) {
        Map<String, Integer> active = new TreeMap<>();
        chains.forEach(chain -> active.put(chain, 0));
        activeRollouts().forEach(rollout -> active.merge(chainLabel(rollout), 1, Integer::sum));
        active.forEach((chain, count) -> reading.record(count, chain));
    }

    private void measureProgress(GaugeRecorder reading) {
        activeRollouts()
                .forEach(
                        rollout ->
                                reading.record(
                                        RolloutProgressCalculator.progress(rollout),
                                        chainLabel(rollout),
                                        rollout.id().toString()));
    }

    private void measurePhases(GaugeRecorder reading) {
        for (Rollout rollout : activeRollouts()) {
            RolloutProgressCalculator.nodeCountsByPhase(rollout)
                    .forEach(
                            (phase, count) ->
                                    reading.record(
                                            count,
                                            chainLabel(rollout),
                                            rollout.id().toString(),
                                            phase.name()));
        }
    }

    private void measurePaused(GaugeRecorder reading) {
        Map<List<String>, Integer> paused = new HashMap<>();
        for (Rollout rollout : activeRollouts()) {
            if (rollout.state() instanceof RolloutState.Paused(var _, var reason, var _)) {
                paused.merge(List.of(chainLabel(rollout), reason.name()), 1, Integer::sum);
            }
        }
        paused.forEach((labels, count) -> reading.record(count, labels.get(0), labels.get(1)));
    }

    @Override
    public void close() {
        gauges.forEach(Runnable::run);
    }
}
