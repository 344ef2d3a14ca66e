package drover.kit.http;

import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Rate limit and deadlines of the connections to an HTTP endpoint. The web server calls it for each
 * accepted connection, before the TLS handshake. It has no deadline of its own for a handshake, a
 * header or a body, so this class closes the connection when one expires.
 */
final class ConnectionGuard implements SocketOptions {
    private final SocketOptions standard = SocketOptions.create();
    private final Map<SocketAddress, Connection> open = new ConcurrentHashMap<>();
    private final Predicate<InetAddress> admitted;
    private final HttpDeadlines deadlines;
    private final ScheduledExecutorService timer;

    /**
     * @param admitted whether a connection from this address is within the rate limit; called on
     *     the thread that accepts, so it never waits
     */
    ConnectionGuard(
            Predicate<InetAddress> admitted,
            HttpDeadlines deadlines,
            ScheduledExecutorService timer) {
        this.admitted = admitted;
        this.deadlines = deadlines;
        this.timer = timer;
    }

    /** One connection with at most one running deadline. */
    final class Connection {
        private final @Nullable SocketChannel channel; // null: not accepted through this guard
        private final @Nullable SocketAddress peer;
        private @Nullable Future<?> deadline;

        private Connection(@Nullable SocketChannel channel, @Nullable SocketAddress peer) {
            this.channel = channel;
            this.peer = peer;
        }

        /** Starts the deadline for reading a body. */
        void startBody() {
            closeAfter(deadlines.body());
        }

        /** Starts the deadline until the header of the next request has arrived. */
        void awaitRequest() {
            closeAfter(deadlines.idle());
        }

        private synchronized void closeAfter(Duration time) {
            cancel();
            if (channel != null) {
                deadline = timer.schedule(this::close, time.toNanos(), TimeUnit.NANOSECONDS);
            }
        }

        /** Ends the running deadline. */
        synchronized void cancel() {
            if (deadline != null) {
                deadline.cancel(false);
                deadline = null;
            }
        }

        private void close() {
            if (channel != null && peer != null) {
                open.remove(peer, this);
                try {
                    channel.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e); // the timer keeps it and runs on
                }
            }
        }
    }

    /** The connection of a request; its header has arrived, so its deadline ends. */
    Connection requestFrom(SocketAddress peer) {
        Connection connection = open.getOrDefault(peer, new Connection(null, null));
        connection.cancel();
        return connection;
    }

    /**
     * Applies the rate limit and starts the deadline for handshake and first header.
     *
     * @throws UncheckedIOException when the connection is over the limit; the web server then
     *     closes it
     */
    @Override
    public void configureSocket(SocketChannel channel) {
        try {
            SocketAddress peer = channel.getRemoteAddress();
            if (peer instanceof InetSocketAddress from && !admitted.test(from.getAddress())) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0); // leaves no TIME_WAIT
                throw new IOException("connection rate limit");
            }
            standard.configureSocket(channel);
            Connection connection = new Connection(channel, peer);
            Connection before = open.put(peer, connection);
            if (before != null) {
                before.cancel(); // the same port again: that connection has ended
            }
            connection.closeAfter(deadlines.header());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Map<SocketOption<?>, Object> socketOptions() {
        return standard.socketOptions();
    }

    @Override
    public Duration connectTimeout() {
        return standard.connectTimeout();
    }

    @Override
    public Duration readTimeout() {
        return standard.readTimeout();
    }

    @Override
    public Optional<Integer> socketReceiveBufferSize() {
        return standard.socketReceiveBufferSize();
    }

    @Override
    public Optional<Integer> socketSendBufferSize() {
        return standard.socketSendBufferSize();
    }

    @Override
    public boolean socketReuseAddress() {
        return standard.socketReuseAddress();
    }

    @Override
    public boolean socketKeepAlive() {
        return standard.socketKeepAlive();
    }

    @Override
    public boolean tcpNoDelay() {
        return standard.tcpNoDelay();
    }
}
