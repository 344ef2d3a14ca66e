package drover.gateway.engine;

import drover.gateway.engine.session.AgentMessageMeter;
import drover.gateway.engine.session.SessionTable;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import java.time.Duration;
import java.util.List;

/** The gateway's metrics. None has a label for a node: a gateway serves thousands. */
public final class GatewayMetrics implements AgentMessageMeter {
    private static final String PREFIX = "drover_gateway_";

    static final MetricDefinition STREAMS =
            MetricDefinition.gauge(PREFIX + "streams", "Streams of agents that are open.");
    static final MetricDefinition HEARTBEATS =
            MetricDefinition.counter(
                    PREFIX + "heartbeats_total", "Heartbeats received from agents.");
    static final MetricDefinition STATUSES =
            MetricDefinition.counter(
                    PREFIX + "statuses_total", "Statuses of attempts received from agents.");
    static final MetricDefinition COMMANDS =
            MetricDefinition.shortDurationHistogram(
                    PREFIX + "command_seconds",
                    "Time from telling an agent a command to its first status of it.");
    static final MetricDefinition CONNECTIONS_REFUSED =
            MetricDefinition.counter(
                    PREFIX + "dials_refused_total",
                    "Connections of agents that came too fast and were ended.");
    static final MetricDefinition ENROLLMENT_REFUSED =
            MetricDefinition.counter(
                    PREFIX + "enrollment_connections_rejected_total",
                    "Connections for enrollment over the limit, closed before their handshake.");

    static final MetricDefinition MESSAGES_REJECTED =
            MetricDefinition.counter(
                    PREFIX + "messages_rejected_total",
                    "Messages of agents with a value outside its limits.");
    static final MetricDefinition MESSAGES_REPAIRED =
            MetricDefinition.counter(
                    PREFIX + "messages_repaired_total",
                    "Messages of agents accepted after a text was changed or a time removed.");
    static final MetricDefinition READS_DELAYED =
            MetricDefinition.counter(
                    PREFIX + "reads_delayed_total",
                    "Times a gateway delayed reading from an agent over its rate limit.");

    private final Metrics metrics;
    private final Metrics.Counter heartbeats;
    private final Metrics.Counter statuses;
    private final Metrics.Timer commands;
    private final Metrics.Counter connectionsRefused;
    private final Metrics.Counter enrollmentRefused;
    private final Metrics.Counter rejected;
    private final Metrics.Counter repaired;
    private final Metrics.Counter delayed;

    /** Offers them. */
    public GatewayMetrics(Metrics metrics) {
        this.metrics = metrics;
        heartbeats = metrics.registerCounter(HEARTBEATS);
        statuses = metrics.registerCounter(STATUSES);
        commands = metrics.registerTimer(COMMANDS);
        connectionsRefused = metrics.registerCounter(CONNECTIONS_REFUSED);
        connectionsRefused.initialize(); // shown before there is any
        enrollmentRefused = metrics.registerCounter(ENROLLMENT_REFUSED);
        enrollmentRefused.initialize();
        rejected = metrics.registerCounter(MESSAGES_REJECTED);
        repaired = metrics.registerCounter(MESSAGES_REPAIRED);
        delayed = metrics.registerCounter(READS_DELAYED);
        List.of(rejected, repaired, delayed).forEach(Metrics.Counter::initialize);
    }

    /**
     * Shows the streams of a table.
     *
     * @return withdraws it
     */
    public Runnable registerStreamGauge(SessionTable table) {
        return metrics.registerGauge(STREAMS, reading -> reading.record(table.streamCount()));
    }

    /** A connection was ended because too many came. */
    public void connectionRefused() {
        connectionsRefused.increment();
    }

    /** Counts a connection for enrollment that was closed because it exceeded the limit. */
    public void enrollmentRefused() {
        enrollmentRefused.increment();
    }

    @Override
    public void heartbeatReceived() {
        heartbeats.increment();
    }

    @Override
    public void statusReceived() {
        statuses.increment();
    }

    @Override
    public void messageRejected() {
        rejected.increment();
    }

    @Override
    public void messageRepaired() {
        repaired.increment();
    }

    @Override
    public void readDelayed() {
        delayed.increment();
    }

    @Override
    public void commandAnswered(Duration took) {
        commands.record(took);
    }
}
