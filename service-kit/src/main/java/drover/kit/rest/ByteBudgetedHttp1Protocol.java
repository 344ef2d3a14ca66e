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
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * HTTP/1.1 connections whose received bytes count against the budget of their {@link
 * ConnectionGuard}. The web server buffers a whole chunk, or a chunk header without an end, before
 * it returns a byte of it. The budget is therefore the only limit of that memory (invariant J5).
 * Responses to HEAD in HTTP/1.0 are sent without their body.
 */
final class ByteBudgetedHttp1Protocol implements ServerConnectionSelector {
    private static final int MAX_HTTP10_HEAD = 8 * 1024;
    private static final String LINE_END = "\r\n";
    private static final String HEAD_END = LINE_END + LINE_END;

    private final ServerConnectionSelector http1 =
            Http1ConnectionSelector.builder().config(Http1Config.create()).build();
    private final ConnectionGuard guard;

    ByteBudgetedHttp1Protocol(ConnectionGuard guard) {
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
        BudgetedConnectionReader bytes =
                new BudgetedConnectionReader(connection, context.dataReader());
        return http1.connection(
                new BudgetedContext(
                        context,
                        DataReader.create(bytes),
                        new Http10HeadWriter(context.dataWriter(), bytes::isHttp10Head)));
    }

    /** Bytes of one connection, within its budget. */
    private static final class BudgetedConnectionReader implements Supplier<byte[]> {
        private final ConnectionGuard.Connection connection;
        private final DataReader all;
        private byte[] head = {}; // of the first request, until its first line is known
        private boolean firstLineKnown;
        private boolean http10Head; // all three used only by the thread of the connection

        BudgetedConnectionReader(ConnectionGuard.Connection connection, DataReader all) {
            this.connection = connection;
            this.all = all;
        }

        @Override
        public byte[] get() {
            byte[] bytes = connection.readWithinBudget(all);
            return firstLineKnown ? bytes : readWholeHttp10Head(bytes);
        }

        /**
         * These bytes and, if the first request is HTTP/1.0, the rest of its head. The web server
         * closes the connection after the first line of such a request, and a connection that is
         * closed with unread bytes is reset, so that the client may lose the response.
         */
        private byte[] readWholeHttp10Head(byte[] bytes) {
            int returned = head.length; // earlier pieces of the first line
            head = concatenate(head, bytes);
            while (head.length < MAX_HTTP10_HEAD && isIncompleteHttp10Head(head)) {
                head = concatenate(head, connection.readWithinBudget(all));
            }
            byte[] unreturned = Arrays.copyOfRange(head, returned, head.length);
            if (head.length >= MAX_HTTP10_HEAD || text(head).contains(LINE_END)) {
                firstLineKnown = true;
                http10Head = isHttp10(head) && text(head).startsWith("HEAD ");
                head = new byte[0];
            }
            return unreturned;
        }

        private static byte[] concatenate(byte[] first, byte[] second) {
            byte[] both = Arrays.copyOf(first, first.length + second.length);
            System.arraycopy(second, 0, both, first.length, second.length);
            return both;
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }

        private static boolean isIncompleteHttp10Head(byte[] bytes) {
            return isHttp10(bytes) && !text(bytes).contains(HEAD_END);
        }

        private static boolean isHttp10(byte[] bytes) {
            String text = text(bytes);
            int lineEnd = text.indexOf(LINE_END);
            return lineEnd >= 0 && text.substring(0, lineEnd).endsWith(" HTTP/1.0");
        }

        /** Whether the request has the method HEAD in HTTP/1.0. */
        boolean isHttp10Head() {
            return http10Head;
        }
    }

    /**
     * Leaves out the body of the response to HEAD in HTTP/1.0. The web server writes head and body
     * of such a response in one buffer.
     */
    private record Http10HeadWriter(DataWriter inner, BooleanSupplier isHttp10Head)
            implements DataWriter {
        @Override
        public void write(BufferData... buffers) {
            inner.write(withoutBody(buffers));
        }

        @Override
        public void write(BufferData buffer) {
            write(new BufferData[] {buffer});
        }

        @Override
        public void writeNow(BufferData... buffers) {
            inner.writeNow(withoutBody(buffers));
        }

        @Override
        public void writeNow(BufferData buffer) {
            writeNow(new BufferData[] {buffer});
        }

        @Override
        public void flush() {
            inner.flush();
        }

        @Override
        public void close() {
            inner.close();
        }

        private BufferData[] withoutBody(BufferData... buffers) {
            if (!isHttp10Head.getAsBoolean()) {
                return buffers;
            }
            byte[] bytes = BufferData.create(buffers).readBytes();
            int end = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(HEAD_END);
            int length = end < 0 ? bytes.length : end + HEAD_END.length();
            return new BufferData[] {BufferData.create(bytes, 0, length)};
        }
    }

    /** The same connection with another reader and writer. */
    private record BudgetedContext(
            ConnectionContext inner, DataReader dataReader, DataWriter dataWriter)
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
