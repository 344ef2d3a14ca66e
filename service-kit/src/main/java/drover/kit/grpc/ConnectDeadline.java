package drover.kit.grpc;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives up a connection that was taken and on which nothing is said. gRPC waits for a server's
 * first word without any bound, and its keepalive begins only after that word: a door behind a
 * firewall that lost it would never be reached again by whoever dialled meanwhile, however well it
 * is by now.
 */
final class ConnectDeadline {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectDeadline.class);

    private final ManagedChannel channel;
    private final Executor executor;
    private final AtomicLong changes = new AtomicLong();

    private ConnectDeadline(ManagedChannel channel, Duration atMost) {
        this.channel = channel;
        this.executor =
                CompletableFuture.delayedExecutor(
                        atMost.toNanos(), TimeUnit.NANOSECONDS, Thread::startVirtualThread);
    }

    /**
     * For as long as the channel is open.
     *
     * @param atMost for all addresses of a door together: what is given up begins with the first
     */
    static void of(ManagedChannel channel, Duration atMost) {
        new ConnectDeadline(channel, atMost).follow();
    }

    private void follow() {
        ConnectivityState now = channel.getState(false);
        long change = changes.incrementAndGet();
        if (now == ConnectivityState.CONNECTING) {
            executor.execute(() -> giveUpUnless(change));
        }
        if (now != ConnectivityState.SHUTDOWN) {
            channel.notifyWhenStateChanged(now, this::follow);
        }
    }

    private void giveUpUnless(long change) {
        if (changes.get() == change) {
            LOG.info(
                    "A door took a connection and says nothing; dialling anew door={}",
                    channel.authority());
            channel.enterIdle(); // calls that wait are kept, and dial again at once
        }
    }
}
