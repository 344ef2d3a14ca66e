package drover.opsagent.metrics;

import drover.model.AttemptOutcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The metrics of the agents of one process: one usually, a whole fleet where they are run together.
 * Figures are sums over them, so that there is no label for a node.
 */
public final class AgentMetrics {
    private static final MetricDefinition CONNECTED =
            new MetricDefinition(
                    "drover_agent_connected",
                    "gauge",
                    List.of(),
                    "Agents of this process whose stream to a gateway is open.");
    private static final MetricDefinition PROGRAMS =
            new MetricDefinition(
                    "drover_agent_programs",
                    "gauge",
                    List.of("state"),
                    "Programs of the nodes, by whether they run: up or down.");
    private static final MetricDefinition ATTEMPTS =
            new MetricDefinition(
                    "drover_agent_attempts_total",
                    "counter",
                    List.of("outcome"),
                    "Attempts that ended, by how they ended.");
    private static final MetricDefinition CONNECTS =
            new MetricDefinition(
                    "drover_agent_dials_total",
                    "counter",
                    List.of(),
                    "Times that a gateway was dialled.");

    /** All of them. */
    public static final List<MetricDefinition> METRICS =
            List.of(CONNECTED, PROGRAMS, ATTEMPTS, CONNECTS);

    private final LongAdder connected = new LongAdder();
    private final LongAdder connections = new LongAdder();
    private final Map<AttemptOutcome, LongAdder> attempts = new EnumMap<>(AttemptOutcome.class);
    private final Set<Supplier<ProgramStateCounts>> nodes = ConcurrentHashMap.newKeySet();

    /** Metrics of a process that begins. */
    public AgentMetrics() {
        for (AttemptOutcome outcome : AttemptOutcome.values()) {
            attempts.put(outcome, new LongAdder());
        }
    }

    /**
     * One metric as it is scraped.
     *
     * @param kind {@code counter} or {@code gauge}
     */
    public record MetricDefinition(String name, String kind, List<String> labels, String help) {}

    /** Programs of a node at one moment. */
    public record ProgramStateCounts(int up, int down) {
        ProgramStateCounts plus(ProgramStateCounts other) {
            return new ProgramStateCounts(up + other.up, down + other.down);
        }
    }

    /**
     * Looks at a node at every scrape.
     *
     * @return looks no more
     */
    public Runnable registerPrograms(Supplier<ProgramStateCounts> node) {
        nodes.add(node);
        return () -> nodes.remove(node);
    }

    /** A gateway is dialled. */
    public void recordConnectionAttempt() {
        connections.increment();
    }

    /** A stream was welcomed. */
    public void recordConnected() {
        connected.increment();
    }

    /** A stream that was welcomed has ended. */
    public void recordDisconnected() {
        connected.decrement();
    }

    /** An attempt has ended. */
    public void recordAttemptEnd(AttemptOutcome outcome) {
        attempts.getOrDefault(outcome, new LongAdder()).increment();
    }

    /** Everything as it is now, in Prometheus' text format. */
    public String prometheusText() {
        StringBuilder text = new StringBuilder();
        writeHeader(text, CONNECTED).append(CONNECTED.name()).append(' ').append(connected.sum());
        text.append('\n');
        ProgramStateCounts all =
                nodes.stream()
                        .map(Supplier::get)
                        .reduce(new ProgramStateCounts(0, 0), ProgramStateCounts::plus);
        writeHeader(text, PROGRAMS);
        writeSeries(text, PROGRAMS, "up", all.up());
        writeSeries(text, PROGRAMS, "down", all.down());
        writeHeader(text, ATTEMPTS);
        attempts.forEach(
                (outcome, count) -> {
                    if (outcome.isTerminal()) {
                        String word = outcome.name().toLowerCase(Locale.ROOT);
                        writeSeries(text, ATTEMPTS, word, count.sum());
                    }
                });
        writeHeader(text, CONNECTS)
                .append(CONNECTS.name())
                .append(' ')
                .append(connections.sum())
                .append('\n');
        return text.toString();
    }

    private static StringBuilder writeHeader(StringBuilder text, MetricDefinition metric) {
        return text.append("# HELP %s %s\n".formatted(metric.name(), metric.help()))
                .append("# TYPE %s %s\n".formatted(metric.name(), metric.kind()));
    }

    private static void writeSeries(
            StringBuilder text, MetricDefinition metric, String value, long count) {
        text.append(
                "%s{%s=\"%s\"} %d\n"
                        .formatted(metric.name(), metric.labels().getFirst(), value, count));
    }
}
