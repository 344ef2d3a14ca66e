package drover.kit.tls;

import io.grpc.ChannelCredentials;
import io.grpc.ServerCredentials;
import io.grpc.internal.ObjectPool;
import io.grpc.netty.shaded.io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.util.AsciiString;
import java.util.concurrent.Executor;

/**
 * Credentials whose failed handshakes are told to {@link HandshakeFailureLog}. The library itself
 * says nothing of them: it closes the connection. So a handler stands behind the one that shakes
 * hands, for what that one throws; it is where the library's own transports put theirs.
 */
final class HandshakeLoggingCredentials {
    private HandshakeLoggingCredentials() {}

    static ServerCredentials of(ServerCredentials credentials) {
        return InternalNettyServerCredentials.create(
                new ReportingServerFactory(
                        InternalNettyServerCredentials.toNegotiator(credentials)));
    }

    static ChannelCredentials of(ChannelCredentials credentials) {
        return InternalNettyChannelCredentials.create(
                new ReportingClientFactory(
                        InternalNettyChannelCredentials.toNegotiator(credentials)));
    }

    private record ReportingServerFactory(InternalProtocolNegotiator.ServerFactory inner)
            implements InternalProtocolNegotiator.ServerFactory {
        @Override
        public InternalProtocolNegotiator.ProtocolNegotiator newNegotiator(
                ObjectPool<? extends Executor> executors) {
            return new Negotiator(inner.newNegotiator(executors), HandshakeFailureLog.SERVER);
        }
    }

    private record ReportingClientFactory(InternalProtocolNegotiator.ClientFactory inner)
            implements InternalProtocolNegotiator.ClientFactory {
        @Override
        public InternalProtocolNegotiator.ProtocolNegotiator newNegotiator() {
            return new Negotiator(inner.newNegotiator(), HandshakeFailureLog.CLIENT);
        }

        @Override
        public int getDefaultPort() {
            return inner.getDefaultPort();
        }
    }

    private record Negotiator(
            InternalProtocolNegotiator.ProtocolNegotiator inner, HandshakeFailureLog failures)
            implements InternalProtocolNegotiator.ProtocolNegotiator {
        @Override
        public AsciiString scheme() {
            return inner.scheme();
        }

        @Override
        public ChannelHandler newHandler(GrpcHttp2ConnectionHandler connection) {
            return new FailureHandler(inner.newHandler(connection), failures);
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** Behind the handler that shakes hands; hears its failure and hands everything on. */
    private static final class FailureHandler extends ChannelInboundHandlerAdapter {
        private final ChannelHandler shaking;
        private final HandshakeFailureLog received;

        FailureHandler(ChannelHandler shaking, HandshakeFailureLog received) {
            this.shaking = shaking;
            this.received = received;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            var _ = context.pipeline().addBefore(context.name(), null, shaking);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            received.logIfHandshakeFailure(cause, context.channel().remoteAddress());
            var _ = context.fireExceptionCaught(cause);
        }
    }
}
