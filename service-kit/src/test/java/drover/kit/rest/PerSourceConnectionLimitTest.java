package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.kit.Waits;
import drover.kit.grpc.Address;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Open connections of one source at an HTTP endpoint. */
final class PerSourceConnectionLimitTest {
    private static final Address.Tcp ANY_PORT = new Address.Tcp("127.0.0.1", 0);
    private static final byte[] FIRST = {127, 0, 0, 1};
    private static final byte[] SECOND = {127, 0, 0, 2};

    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private Socket connected(HttpServer host, byte[] source) throws IOException {
        Socket socket =
                new Socket(
                        InetAddress.getByAddress(FIRST),
                        host.port(),
                        InetAddress.getByAddress(source),
                        0);
        socket.setSoTimeout((int) Waits.LIMIT.toMillis());
        sockets.add(socket);
        return socket;
    }

    /** The status of a request on this connection. */
    private static String status(Socket socket) throws IOException {
        try {
            socket.getOutputStream()
                    .write(
                            "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            String line =
                    new BufferedReader(
                                    new InputStreamReader(
                                            socket.getInputStream(), StandardCharsets.UTF_8))
                            .readLine();
            return line == null ? "closed" : line.split(" ", 3)[1];
        } catch (SocketException e) {
            return "closed";
        }
    }

    @Test
    void oneSourceLeavesConnectionsToOthers() throws Exception {
        try (HttpServer host =
                HttpServer.builder()
                        .maxConnections(16)
                        .exemptFromSourceLimit(_ -> false)
                        .listen(ANY_PORT)) {
            assertThat(status(connected(host, FIRST))).isEqualTo("200");
            assertThat(status(connected(host, FIRST))).isEqualTo("200");
            for (int i = 0; i < 32; i++) {
                assertThat(status(connected(host, FIRST))).isEqualTo("closed");
            }
            assertThat(status(connected(host, SECOND))).isEqualTo("200");

            sockets.getFirst().close();
            await().atMost(Waits.LIMIT)
                    .untilAsserted(
                            () -> assertThat(status(connected(host, FIRST))).isEqualTo("200"));
        }
    }

    @Test
    void loopbackHasNoLimitOfOneSource() throws Exception {
        try (HttpServer host = HttpServer.builder().maxConnections(16).listen(ANY_PORT)) {
            for (int i = 0; i < 16; i++) {
                assertThat(status(connected(host, FIRST))).isEqualTo("200");
            }
        }
    }
}
