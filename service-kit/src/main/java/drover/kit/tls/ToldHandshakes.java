package drover.kit.tls;

import io.grpc.ServerCredentials;
import io.grpc.internal.ObjectPool;
import io.grpc.netty.shaded.io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.util.AsciiString;
import java.util.concurrent.Executor;

/**
 * Credentials whose failed handshakes are told to {@link FailedHandshakes}. The library itself says
 * nothing of them: it closes the connection. So a handler stands behind the one that shakes hands,
 * for what that one throws; it is where the library's own transports put theirs.
 */
final class ToldHandshakes implements InternalProtocolNegotiator.ServerFactory {
    private final InternalProtocolNegotiator.ServerFactory inner;

    private ToldHandshakes(InternalProtocolNegotiator.ServerFactory inner) {
        this.inner = inner;
    }

    static ServerCredentials of(ServerCredentials credentials) {
        return InternalNettyServerCredentials.create(
                new ToldHandshakes(InternalNettyServerCredentials.toNegotiator(credentials)));
    }

    @Override
    public InternalProtocolNegotiator.ProtocolNegotiator newNegotiator(
            ObjectPool<? extends Executor> executors) {
        return new Negotiator(inner.newNegotiator(executors));
    }

    private record Negotiator(InternalProtocolNegotiator.ProtocolNegotiator inner)
            implements InternalProtocolNegotiator.ProtocolNegotiator {
        @Override
        public AsciiString scheme() {
            return inner.scheme();
        }

        @Override
        public ChannelHandler newHandler(GrpcHttp2ConnectionHandler connection) {
            return new Ear(inner.newHandler(connection));
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** Behind the handler that shakes hands; hears its failure and hands everything on. */
    private static final class Ear extends ChannelInboundHandlerAdapter {
        private final ChannelHandler shaking;

        Ear(ChannelHandler shaking) {
            this.shaking = shaking;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            var _ = context.pipeline().addBefore(context.name(), null, shaking);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            FailedHandshakes.tell(cause, context.channel().remoteAddress());
            var _ = context.fireExceptionCaught(cause);
        }
    }
}
