package drover.evaluator;

import drover.evaluator.api.HealthJudgeDoor;
import drover.evaluator.peers.GrpcHeartbeatFeed;
import drover.evaluator.peers.HeartbeatFeed;
import drover.kit.grpc.GrpcHost;
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

    private final HealthJudgeDoor door;
    private final GrpcHost host;
    private final Runnable closeFeed;
    private final ScheduledExecutorService ticker =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("verdict-tick-", 0).factory());

    private HealthEvaluator(HealthEvaluatorConfig config, HeartbeatFeed feed, Runnable closeFeed) {
        this.closeFeed = closeFeed;
        this.door = new HealthJudgeDoor(feed, System::nanoTime);
        this.host = GrpcHost.plan().serve(door).listen(config.door());
    }

    /** Opens the door. */
    public static HealthEvaluator start(HealthEvaluatorConfig config) {
        GrpcHeartbeatFeed feed = new GrpcHeartbeatFeed();
        try {
            return start(config, feed, feed::close);
        } catch (RuntimeException e) {
            feed.close();
            throw e;
        }
    }

    /** The same over any feed, which stays its owner's to close. */
    public static HealthEvaluator start(HealthEvaluatorConfig config, HeartbeatFeed feed) {
        return start(config, feed, () -> {});
    }

    private static HealthEvaluator start(
            HealthEvaluatorConfig config, HeartbeatFeed feed, Runnable closeFeed) {
        HealthEvaluator evaluator = new HealthEvaluator(config, feed, closeFeed);
        var _ =
                evaluator.ticker.scheduleWithFixedDelay(
                        evaluator::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
        LOG.info("An evaluator is open door={} port={}", config.door(), evaluator.port());
        return evaluator;
    }

    private void tick() {
        try {
            door.tick();
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
        door.endAll();
        host.close();
        var _ = ticker.shutdownNow();
        closeFeed.run();
    }
}
