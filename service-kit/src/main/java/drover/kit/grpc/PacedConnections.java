package drover.kit.grpc;

import io.grpc.ServerCredentials;
import io.grpc.internal.ObjectPool;
import io.grpc.netty.shaded.io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.util.AsciiString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * Credentials of a door that asks of each connection, before a byte of it is read, whether it may
 * come now. One that may not is ended at once: no handshake is begun for it, and none of its frames
 * is read. The library's own hooks come after the handshake, which is what a flood makes dear; so
 * this stands where {@link drover.kit.tls} has its ear for failed handshakes. One that is ended
 * later, because it gives no sign or pings too fast, is closed soon whether it reads that or not.
 */
final class PacedConnections {
    /**
     * What a connection that is ended has left to read why. Without a bound the library waits until
     * its calls are closed, which they never are where the other end stands still.
     */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private PacedConnections() {}

    /**
     * The same credentials behind a pace.
     *
     * @param pace whether one from this address may come now; asked on the transport's threads, so
     *     it never waits
     */
    static ServerCredentials of(ServerCredentials credentials, Predicate<InetAddress> pace) {
        return InternalNettyServerCredentials.create(
                new Doors(InternalNettyServerCredentials.toNegotiator(credentials), pace));
    }

    private record Doors(
            InternalProtocolNegotiator.ServerFactory inner, Predicate<InetAddress> pace)
            implements InternalProtocolNegotiator.ServerFactory {
        @Override
        public InternalProtocolNegotiator.ProtocolNegotiator newNegotiator(
                ObjectPool<? extends Executor> executors) {
            return new Negotiator(inner.newNegotiator(executors), pace);
        }
    }

    private record Negotiator(
            InternalProtocolNegotiator.ProtocolNegotiator inner, Predicate<InetAddress> pace)
            implements InternalProtocolNegotiator.ProtocolNegotiator {
        @Override
        public AsciiString scheme() {
            return inner.scheme();
        }

        @Override
        public ChannelHandler newHandler(GrpcHttp2ConnectionHandler connection) {
            return new Turnpike(inner, connection, pace);
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** First of a connection's handlers; makes the others only for one that may come. */
    private static final class Turnpike extends ChannelInboundHandlerAdapter {
        private final InternalProtocolNegotiator.ProtocolNegotiator inner;
        private final GrpcHttp2ConnectionHandler connection;
        private final Predicate<InetAddress> pace;

        Turnpike(
                InternalProtocolNegotiator.ProtocolNegotiator inner,
                GrpcHttp2ConnectionHandler connection,
                Predicate<InetAddress> pace) {
            this.inner = inner;
            this.connection = connection;
            this.pace = pace;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            if (context.channel().remoteAddress() instanceof InetSocketAddress from
                    && !pace.test(from.getAddress())) {
                // Without a farewell, so that the kernel keeps nothing of it either.
                context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                var _ = context.close();
                return;
            }
            connection.gracefulShutdownTimeoutMillis(FAREWELL.toMillis());
            var _ =
                    context.pipeline()
                            .addBefore(context.name(), null, inner.newHandler(connection));
        }
    }
}
