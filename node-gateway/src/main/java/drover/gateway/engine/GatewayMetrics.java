package drover.gateway.engine;

import drover.kit.telemetry.Metric;
import drover.kit.telemetry.Metrics;
import java.time.Duration;

/** The gateway's metrics. None has a label for a node: a gateway serves thousands. */
public final class GatewayMetrics implements SessionMeter {
    private static final String PREFIX = "drover_gateway_";

    static final Metric STREAMS =
            Metric.gauge(PREFIX + "streams", "Streams of agents that are open.");
    static final Metric HEARTBEATS =
            Metric.counter(PREFIX + "heartbeats_total", "Heartbeats received from agents.");
    static final Metric STATUSES =
            Metric.counter(PREFIX + "statuses_total", "Statuses of attempts received from agents.");
    static final Metric COMMANDS =
            Metric.seconds(
                    PREFIX + "command_seconds",
                    "Time from telling an agent a command to its first status of it.");
    static final Metric DIALS_REFUSED =
            Metric.counter(
                    PREFIX + "dials_refused_total",
                    "Connections of agents that came too fast and were ended.");

    private final Metrics metrics;
    private final Metrics.Counter heartbeats;
    private final Metrics.Counter statuses;
    private final Metrics.Timer commands;
    private final Metrics.Counter dialsRefused;

    /** Offers them. */
    public GatewayMetrics(Metrics metrics) {
        this.metrics = metrics;
        heartbeats = metrics.counter(HEARTBEATS);
        statuses = metrics.counter(STATUSES);
        commands = metrics.timer(COMMANDS);
        dialsRefused = metrics.counter(DIALS_REFUSED);
        dialsRefused.begin(); // shown before there is any
    }

    /**
     * Shows the streams of a table.
     *
     * @return withdraws it
     */
    public Runnable show(SessionTable table) {
        return metrics.gauge(STREAMS, reading -> reading.is(table.streams()));
    }

    /** A connection was ended because too many came. */
    public void dialRefused() {
        dialsRefused.add();
    }

    @Override
    public void heartbeat() {
        heartbeats.add();
    }

    @Override
    public void status() {
        statuses.add();
    }

    @Override
    public void answered(Duration took) {
        commands.took(took);
    }
}
