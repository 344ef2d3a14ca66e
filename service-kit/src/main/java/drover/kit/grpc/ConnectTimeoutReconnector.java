package drover.kit.grpc;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dials a door anew that was not reached for a while. gRPC waits for a server's first word without
 * any bound, and its keepalive begins only after that word: a door whose first answer a firewall
 * lost would never be reached again by whoever dialled then, however well it is by now. gRPC tells
 * no difference between that and a door that refuses, once it has been refused.
 */
final class ConnectTimeoutReconnector {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectTimeoutReconnector.class);
    static final ScheduledThreadPoolExecutor TIMER =
            DaemonTimerFactory.createTimer("connect-deadline");

    private final ManagedChannel channel;
    private final Duration atMost;
    private @Nullable Future<?> deadline; // while the door is dialled

    private ConnectTimeoutReconnector(ManagedChannel channel, Duration atMost) {
        this.channel = channel;
        this.atMost = atMost;
    }

    /** For as long as the channel is open. */
    static void watch(ManagedChannel channel, Duration atMost) {
        new ConnectTimeoutReconnector(channel, atMost).followState();
    }

    private synchronized void followState() {
        ConnectivityState now = channel.getState(false);
        boolean connects =
                now == ConnectivityState.CONNECTING || now == ConnectivityState.TRANSIENT_FAILURE;
        if (connects && deadline == null) {
            deadline = TIMER.schedule(this::reconnect, atMost.toNanos(), TimeUnit.NANOSECONDS);
        } else if (!connects && deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
        if (now != ConnectivityState.SHUTDOWN) {
            channel.notifyWhenStateChanged(now, this::followState);
        }
    }

    /** Calls that wait are kept, and dial at once; where nobody waits, the next call does. */
    private synchronized void reconnect() {
        if (deadline != null) { // not reached meanwhile
            deadline = null;
            LOG.debug("A door was not reached; dialling anew address={}", channel.authority());
            channel.enterIdle();
        }
    }
}
