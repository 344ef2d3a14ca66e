package drover.kit.rest;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/**
 * HTTP/1.1 connections whose received bytes count against the budget of their {@link
 * ConnectionGuard}. The web server buffers a whole chunk, or a chunk header without an end, before
 * it returns a byte of it. The budget is therefore the only limit of that memory (invariant J5).
 */
final class ByteBudgetConnectionSelector implements ServerConnectionSelector {
    private final ServerConnectionSelector http1 =
            Http1ConnectionSelector.builder().config(Http1Config.create()).build();
    private final ConnectionGuard guard;

    ByteBudgetConnectionSelector(ConnectionGuard guard) {
        this.guard = guard;
    }

    @Override
    public int bytesToIdentifyConnection() {
        return http1.bytesToIdentifyConnection();
    }

    @Override
    public Support supports(BufferData data) {
        return http1.supports(data);
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return http1.supportedApplicationProtocols();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        ConnectionGuard.Connection connection =
                guard.requireAcceptedConnection(context.remotePeer().address());
        DataReader all = context.dataReader();
        return http1.connection(
                new BudgetedContext(
                        context, DataReader.create(() -> connection.readWithinBudget(all))));
    }

    /** The same connection with another reader. */
    private record BudgetedContext(ConnectionContext inner, DataReader dataReader)
            implements ConnectionContext {
        @Override
        public ListenerContext listenerContext() {
            return inner.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return inner.executor();
        }

        @Override
        public DataWriter dataWriter() {
            return inner.dataWriter();
        }

        @Override
        public Router router() {
            return inner.router();
        }

        @Override
        public Optional<ProxyProtocolData> proxyProtocolData() {
            return inner.proxyProtocolData();
        }

        @Override
        public HelidonSocket serverSocket() {
            return inner.serverSocket();
        }

        @Override
        public PeerInfo remotePeer() {
            return inner.remotePeer();
        }

        @Override
        public PeerInfo localPeer() {
            return inner.localPeer();
        }

        @Override
        public boolean isSecure() {
            return inner.isSecure();
        }

        @Override
        public String socketId() {
            return inner.socketId();
        }

        @Override
        public String childSocketId() {
            return inner.childSocketId();
        }
    }
}
