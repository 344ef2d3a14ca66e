package drover.evaluator;

import drover.evaluator.api.HealthVerdictGrpcService;
import drover.evaluator.engine.EvaluatorMetrics;
import drover.evaluator.peers.GrpcHeartbeatFeed;
import drover.evaluator.peers.HeartbeatFeed;
import drover.kit.grpc.GrpcServer;
import drover.kit.mtls.ServiceTransport;
import drover.kit.telemetry.Metrics;
import drover.trust.identity.ServiceName;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running evaluator: a door, and the gateways that its watchers name. */
public final class HealthEvaluator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthEvaluator.class);

    /** How exactly silence is noticed; a policy's silence is many times that. */
    private static final Duration TICK = Duration.ofSeconds(1);

    private static final ServiceTransport PLAIN = ServiceTransport.plaintext(ServiceName.HEALTH);

    private final HealthVerdictGrpcService endpoint;
    private final GrpcServer host;
    private final Runnable closeFeed;
    private final Runnable withdrawWatches;
    private final ScheduledExecutorService ticker =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("verdict-tick-", 0).factory());

    private HealthEvaluator(
            HealthEvaluatorListenConfig config,
            HeartbeatFeed feed,
            Runnable closeFeed,
            EvaluatorMetrics metrics,
            ServiceTransport edges) {
        this.closeFeed = closeFeed;
        this.endpoint = new HealthVerdictGrpcService(feed, System::nanoTime, metrics);
        this.host = edges.serverBuilder().addService(endpoint).listen(config.address());
        this.withdrawWatches = metrics.registerWatchCount(endpoint::watchCount);
    }

    /** Opens the door, with metrics that nobody looks at. */
    public static HealthEvaluator start(HealthEvaluatorListenConfig config) {
        return start(config, Metrics.open());
    }

    /** Opens the door; the metrics are the process's, which its owner shows and closes. */
    public static HealthEvaluator start(HealthEvaluatorListenConfig config, Metrics metrics) {
        return start(config, metrics, PLAIN);
    }

    /** The same; neighbours are dialled, and let in, as the edges say. */
    static HealthEvaluator start(
            HealthEvaluatorListenConfig config, Metrics metrics, ServiceTransport edges) {
        GrpcHeartbeatFeed feed = new GrpcHeartbeatFeed(edges.channelsTo(ServiceName.GATEWAY));
        try {
            return start(config, feed, feed::close, metrics, edges);
        } catch (RuntimeException e) {
            feed.close();
            throw e;
        }
    }

    /** The same over any feed, which stays its owner's to close. */
    public static HealthEvaluator start(HealthEvaluatorListenConfig config, HeartbeatFeed feed) {
        return start(config, feed, () -> {}, Metrics.open(), PLAIN);
    }

    private static HealthEvaluator start(
            HealthEvaluatorListenConfig config,
            HeartbeatFeed feed,
            Runnable closeFeed,
            Metrics metrics,
            ServiceTransport edges) {
        HealthEvaluator evaluator =
                new HealthEvaluator(config, feed, closeFeed, new EvaluatorMetrics(metrics), edges);
        var _ =
                evaluator.ticker.scheduleWithFixedDelay(
                        evaluator::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
        LOG.info("An evaluator is open address={} port={}", config.address(), evaluator.port());
        return evaluator;
    }

    private void tick() {
        try {
            endpoint.tick();
        } catch (RuntimeException e) {
            LOG.warn("A tick of the evaluator failed; the next one follows", e);
        }
    }

    /** The port that coordinators dial; -1 inside a process. */
    public int port() {
        return host.port();
    }

    /** Tells coordinators to watch elsewhere and closes the door; nothing is lost with it. */
    @Override
    public void close() {
        endpoint.endAllStreams();
        host.close();
        var _ = ticker.shutdownNow();
        withdrawWatches.run();
        closeFeed.run();
    }
}
