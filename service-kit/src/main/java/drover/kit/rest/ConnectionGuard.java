package drover.kit.rest;

import drover.kit.grpc.PerSourceConnectionLimit;
import drover.kit.grpc.PerSourceRateLimiter;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.SocketOptions;
import io.helidon.webserver.CloseConnectionException;
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
 * Limits of the connections to an HTTP endpoint: rate, open connections of one source, deadlines
 * and received bytes. The web server calls it for each accepted connection, before the TLS
 * handshake. It has no deadline of its own for a handshake, a header or a body, so this class
 * closes the connection when one expires.
 */
final class ConnectionGuard implements SocketOptions {
    /**
     * Bytes of a connection before its first body and between two bodies: four times the longest
     * header that the web server accepts (16 KiB).
     */
    private static final int HEADER_BUDGET = 64 * 1024;

    private final SocketOptions standard = SocketOptions.create();
    private final Map<SocketAddress, Connection> open = new ConcurrentHashMap<>();
    private final Predicate<InetAddress> admitted;
    private final PerSourceConnectionLimit share;
    private final HttpDeadlines deadlines;
    private final ScheduledExecutorService timer;

    /**
     * @param admitted whether a connection from this address is within the rate limit; called on
     *     the thread that accepts, so it never waits
     * @param share open connections that one source may have
     */
    ConnectionGuard(
            Predicate<InetAddress> admitted,
            PerSourceConnectionLimit share,
            HttpDeadlines deadlines,
            ScheduledExecutorService timer) {
        this.admitted = admitted;
        this.share = share;
        this.deadlines = deadlines;
        this.timer = timer;
    }

    /** One connection with at most one running deadline and a budget of received bytes. */
    final class Connection {
        private final @Nullable SocketChannel channel; // null: not accepted through this guard
        private final @Nullable SocketAddress peer;
        private @Nullable Future<?> deadline;
        private int budget = HEADER_BUDGET; // used only by the thread of the connection

        private Connection(@Nullable SocketChannel channel, @Nullable SocketAddress peer) {
            this.channel = channel;
            this.peer = peer;
        }

        /**
         * Starts the deadline for reading a body.
         *
         * @param bytes budget of the body; more is not received
         */
        void startBodyDeadline(int bytes) {
            budget = bytes;
            closeAfter(deadlines.body());
        }

        /** Starts the deadline until the header of the next request has arrived. */
        void startIdleDeadline() {
            budget = HEADER_BUDGET;
            closeAfter(deadlines.idle());
        }

        /** Whether the budget is used up. */
        boolean isOverBudget() {
            return budget <= 0;
        }

        /**
         * Waits for bytes and returns all that have arrived.
         *
         * @throws CloseConnectionException when the budget is used up
         */
        byte[] readWithinBudget(DataReader from) {
            if (isOverBudget()) {
                throw new CloseConnectionException("More bytes than a request may have");
            }
            from.ensureAvailable();
            byte[] bytes = from.readBytes(from.available());
            budget -= bytes.length;
            return bytes;
        }

        private boolean isClosed() {
            return channel == null || !channel.isOpen();
        }

        private boolean isFrom(String source) {
            return peer instanceof InetSocketAddress address
                    && PerSourceRateLimiter.sourceKey(address.getAddress()).equals(source);
        }

        private synchronized void closeAfter(Duration time) {
            cancelDeadline();
            if (channel != null) {
                deadline = timer.schedule(this::close, time.toNanos(), TimeUnit.NANOSECONDS);
            }
        }

        /** Ends the running deadline. */
        synchronized void cancelDeadline() {
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
    Connection startRequest(SocketAddress peer) {
        Connection connection = open.getOrDefault(peer, new Connection(null, null));
        connection.cancelDeadline();
        return connection;
    }

    /**
     * A connection that {@link #configureSocket} accepted.
     *
     * @param peer null when the connection is closed already
     * @throws CloseConnectionException when the connection was closed meanwhile
     */
    Connection requireAcceptedConnection(@Nullable SocketAddress peer) {
        Connection connection = peer == null ? null : open.get(peer);
        if (connection == null) {
            throw new CloseConnectionException("The connection was closed before its first byte");
        }
        return connection;
    }

    private boolean isOverSourceLimit(InetAddress address) {
        open.values().removeIf(Connection::isClosed);
        String source = PerSourceRateLimiter.sourceKey(address);
        return !share.allows(
                address,
                () -> open.values().stream().filter(other -> other.isFrom(source)).count());
    }

    /**
     * Applies the limits of rate and open connections, and starts the deadline for handshake and
     * first header.
     *
     * @throws UncheckedIOException when the connection is over a limit; the web server then closes
     *     it
     */
    @Override
    public void configureSocket(SocketChannel channel) {
        try {
            SocketAddress peer = channel.getRemoteAddress();
            if (peer instanceof InetSocketAddress from
                    && (isOverSourceLimit(from.getAddress())
                            || !admitted.test(from.getAddress()))) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0); // leaves no TIME_WAIT
                throw new IOException("connection limit");
            }
            standard.configureSocket(channel);
            Connection connection = new Connection(channel, peer);
            Connection before = open.put(peer, connection);
            if (before != null) {
                before.cancelDeadline(); // the same port again: that connection has ended
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
