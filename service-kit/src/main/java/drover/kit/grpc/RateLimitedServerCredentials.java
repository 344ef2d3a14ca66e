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
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Credentials of a door that asks of each connection, before a byte of it is read, whether it may
 * come now. One that may not is ended at once: no handshake is begun for it, and none of its frames
 * is read. The library's own hooks come after the handshake, which is what a flood makes dear; so
 * this stands where {@link drover.kit.tls} has its ear for failed handshakes. One that is ended
 * later, because it gives no sign or pings too fast, is closed soon whether it reads that or not.
 */
final class RateLimitedServerCredentials {
    /**
     * What a connection that is ended has left to read why. Without a bound the library waits until
     * its calls are closed, which they never are where the other end stands still.
     */
    private static final Duration CLOSE_GRACE_PERIOD = Duration.ofSeconds(2);

    private RateLimitedServerCredentials() {}

    /**
     * The same credentials behind a limiter.
     *
     * @param limiter called on the transport's threads
     */
    static ServerCredentials wrapCredentials(
            ServerCredentials credentials, ConnectionRateAndCountLimiter limiter) {
        return InternalNettyServerCredentials.create(
                new LimitedServerFactory(
                        InternalNettyServerCredentials.toNegotiator(credentials), limiter));
    }

    private record LimitedServerFactory(
            InternalProtocolNegotiator.ServerFactory inner, ConnectionRateAndCountLimiter limiter)
            implements InternalProtocolNegotiator.ServerFactory {
        @Override
        public InternalProtocolNegotiator.ProtocolNegotiator newNegotiator(
                ObjectPool<? extends Executor> executors) {
            return new Negotiator(inner.newNegotiator(executors), limiter);
        }
    }

    private record Negotiator(
            InternalProtocolNegotiator.ProtocolNegotiator inner,
            ConnectionRateAndCountLimiter limiter)
            implements InternalProtocolNegotiator.ProtocolNegotiator {
        @Override
        public AsciiString scheme() {
            return inner.scheme();
        }

        @Override
        public ChannelHandler newHandler(GrpcHttp2ConnectionHandler connection) {
            return new AcceptHandler(inner, connection, limiter);
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** First of a connection's handlers; makes the others only for one that may come. */
    private static final class AcceptHandler extends ChannelInboundHandlerAdapter {
        private final InternalProtocolNegotiator.ProtocolNegotiator inner;
        private final GrpcHttp2ConnectionHandler connection;
        private final ConnectionRateAndCountLimiter limiter;

        AcceptHandler(
                InternalProtocolNegotiator.ProtocolNegotiator inner,
                GrpcHttp2ConnectionHandler connection,
                ConnectionRateAndCountLimiter limiter) {
            this.inner = inner;
            this.connection = connection;
            this.limiter = limiter;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            if (context.channel().remoteAddress() instanceof InetSocketAddress from) {
                if (!limiter.tryOpen(from.getAddress())) {
                    // Without a farewell, so that the kernel keeps nothing of it either.
                    context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                    var _ = context.close();
                    return;
                }
                var _ =
                        context.channel()
                                .closeFuture()
                                .addListener(_ -> limiter.onClosed(from.getAddress()));
            }
            connection.gracefulShutdownTimeoutMillis(CLOSE_GRACE_PERIOD.toMillis());
            var _ =
                    context.pipeline()
                            .addBefore(context.name(), null, inner.newHandler(connection));
        }
    }
}
