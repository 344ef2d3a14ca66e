package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.kit.Waits;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.Refused;
import drover.kit.grpc.ScopeAuthorizer;
import drover.model.RefusalCode;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ManagedChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When bodies are read, and how much memory and time they get. */
@Timeout(600)
@SuppressWarnings("NullAway.Init")
final class RequestBodyTest {
    private static final Address ENDPOINT = Address.parse("in-process:request-body-test");
    private static final String CREATE = "POST /api/v1/rollouts";
    private static final String KEY = "Authorization: Bearer good\r\n";
    private static final int MEBIBYTE = 1_048_576;

    private static final ScopeAuthorizer GATE =
            new ScopeAuthorizer(FakeRolloutService.GATE.table(), RequestBodyTest::authenticate);

    private final List<Socket> sockets = new ArrayList<>();
    private GrpcServer grpc;
    private ManagedChannel channel;
    private HttpServer http;

    private static Principal authenticate(String header) {
        if (header.equals("Bearer good")) {
            return new Principal(Principal.Kind.KEY, "good", Set.of(Scope.ROLLOUTS_READ));
        }
        throw new Refused(RefusalCode.CREDENTIAL_MISSING, "The call brings no key.");
    }

    @BeforeEach
    void start() {
        grpc =
                GrpcServer.builder()
                        .addService(new FakeRolloutService())
                        .accessControl(GATE)
                        .addInterceptor(new FakeRolloutService.HeaderWatch())
                        .listen(ENDPOINT);
        channel = Channels.open(ENDPOINT);
        open(HttpDeadlines.STANDARD);
    }

    private void open(HttpDeadlines deadlines) {
        http =
                HttpServer.builder()
                        .deadlines(deadlines)
                        .rest(
                                RestTranscoder.of(
                                                channel, RolloutServiceGrpc.getServiceDescriptor())
                                        .withAccessControl(GATE))
                        .listen(new Address.Tcp("127.0.0.1", 0));
    }

    private void reopen(HttpDeadlines deadlines) {
        http.close();
        open(deadlines);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        http.close();
        channel.shutdownNow();
        grpc.close();
    }

    /** Sends a header and no byte of the body that it states. */
    private Socket stalled(String line, String headers, int length) throws IOException {
        Socket socket = connected();
        write(
                socket,
                line
                        + " HTTP/1.1\r\nHost: localhost\r\n"
                        + headers
                        + "Content-Length: "
                        + length
                        + "\r\n\r\n");
        return socket;
    }

    private Socket connected() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.port());
        socket.setSoTimeout((int) Waits.LIMIT.toMillis());
        sockets.add(socket);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private static String status(Socket socket) throws IOException {
        String line =
                new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.UTF_8))
                        .readLine();
        return line == null ? "closed" : line.split(" ", 3)[1];
    }

    private String create() throws IOException {
        Socket socket = stalled(CREATE, KEY, 2);
        write(socket, "{}");
        return status(socket);
    }

    @Test
    void refusesACallerWithoutAKeyBeforeItsBodyArrives() throws Exception {
        assertThat(status(stalled(CREATE, "", MEBIBYTE))).isEqualTo("401");
    }

    @Test
    void readsNoBodyOfPagesOrUnknownPathsOrGets() throws Exception {
        assertThat(status(stalled("POST /readyz", "", MEBIBYTE))).isEqualTo("405");
        assertThat(status(stalled("GET /livez", "", MEBIBYTE))).isEqualTo("200");
        assertThat(status(stalled("POST /nowhere", "", MEBIBYTE))).isEqualTo("404");
        assertThat(status(stalled("GET /api/v1/rollouts", KEY, MEBIBYTE))).isEqualTo("200");
    }

    @Test
    void refusesABodyWhoseStatedLengthIsTooLarge() throws Exception {
        assertThat(status(stalled(CREATE, KEY, MEBIBYTE + 1))).isEqualTo("413");
    }

    @Test
    void acceptsTheRestOfARefusedBodySoThatTheClientReceivesTheResponse() throws Exception {
        Socket socket = stalled(CREATE, KEY, 2 * MEBIBYTE);
        assertThat(status(socket)).isEqualTo("413");
        write(socket, "x".repeat(2 * MEBIBYTE));
        assertThat(socket.getInputStream().read()).as("no reset").isEqualTo(-1);
    }

    @Test
    void servesACallWithAKeyNextTo400StalledBodiesWithoutOne() throws Exception {
        for (int i = 0; i < 400; i++) {
            stalled(CREATE, "", MEBIBYTE);
        }
        assertThat(create()).isEqualTo("201");
    }

    @Test
    void boundsTheMemoryOfAllBodiesTogether() throws Exception {
        List<Socket> reading = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            reading.add(stalled(CREATE, KEY, MEBIBYTE));
        }
        await().atMost(Waits.LIMIT).untilAsserted(() -> assertThat(create()).isEqualTo("429"));
        reading.getFirst().close();
        await().atMost(Waits.LIMIT).untilAsserted(() -> assertThat(create()).isEqualTo("201"));
    }

    @Test
    void closesAConnectionWhoseBodyDoesNotArriveInTime() throws Exception {
        reopen(
                new HttpDeadlines(
                        Duration.ofSeconds(60), Duration.ofMillis(300), Duration.ofSeconds(60)));
        assertThat(status(stalled(CREATE, KEY, 5))).isIn("closed", "400");
    }

    @Test
    void closesAConnectionWhoseHeaderDoesNotArriveInTime() throws Exception {
        reopen(
                new HttpDeadlines(
                        Duration.ofMillis(300), Duration.ofSeconds(60), Duration.ofSeconds(60)));
        Socket first = connected();
        write(first, "GET /livez HTTP/1.1\r\n");
        assertThat(status(first)).isEqualTo("closed");
        reopen(
                new HttpDeadlines(
                        Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(300)));
        Socket second = connected();
        write(second, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /livez HT");
        assertThat(new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .as("one response, then the end")
                .containsOnlyOnce("HTTP/1.1 200");
    }

    private static String chunks(String... bodies) {
        StringBuilder text = new StringBuilder();
        for (String body : bodies) {
            text.append(Integer.toHexString(body.length())).append("\r\n").append(body);
            text.append("\r\n");
        }
        return text + "0\r\n\r\n";
    }

    private Socket chunked(String line, String headers, String body) throws IOException {
        Socket socket = connected();
        write(
                socket,
                line
                        + " HTTP/1.1\r\nHost: localhost\r\n"
                        + headers
                        + "Transfer-Encoding: chunked\r\n\r\n"
                        + body);
        return socket;
    }

    /** Bytes until the server closes the connection; 64 MiB if it accepts all of them. */
    private static long accepted(Socket socket) {
        byte[] part = "x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
        long accepted = 0;
        try {
            while (accepted < 64L * MEBIBYTE) {
                socket.getOutputStream().write(part);
                accepted += part.length;
            }
        } catch (IOException e) {
            assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
        }
        return accepted;
    }

    @Test
    void readsSmallChunksOfACallerWithAKey() throws Exception {
        assertThat(status(chunked(CREATE, KEY, chunks("{}")))).isEqualTo("201");
        assertThat(status(chunked(CREATE, KEY, chunks("{", "   ", "}")))).isEqualTo("201");
    }

    @Test
    void keepsTheConnectionAfterChunks() throws Exception {
        Socket socket = chunked(CREATE, KEY, chunks("{}"));
        write(socket, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
        StringBuilder responses = new StringBuilder();
        while (responses.indexOf("\"alive\"") < 0) {
            int character = socket.getInputStream().read();
            assertThat(character).as(responses + "").isNotNegative();
            responses.append((char) character);
        }
        assertThat(responses).contains("HTTP/1.1 201", "HTTP/1.1 200");
    }

    @Test
    void refusesSmallChunksOfACallerWithoutAKey() throws Exception {
        assertThat(status(chunked(CREATE, "", chunks("{}")))).isEqualTo("401");
        assertThat(status(chunked("GET /livez", "", chunks("{}")))).isEqualTo("200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /livez", "GET /nowhere", CREATE})
    @DisplayName("J5: a chunk of 2 GiB of a caller without a key is not buffered")
    void buffersNoLargeChunkOfACallerWithoutAKey(String line) throws Exception {
        assertThat(accepted(chunked(line, "", "7fffffff\r\n"))).isLessThan(32L * MEBIBYTE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"7fffffff\r\n", "2;", ""})
    void buffersNoLargeChunkOfACallerWithAKey(String chunk) throws Exception {
        assertThat(accepted(chunked(CREATE, KEY, chunk))).isLessThan(32L * MEBIBYTE);
    }

    @Test
    void refusesChunksThatAreTooLargeTogether() throws Exception {
        String chunk = " ".repeat(64 * 1024);
        String body = chunks(Collections.nCopies(17, chunk).toArray(String[]::new));
        assertThat(status(chunked(CREATE, KEY, body))).isEqualTo("413");
        String most = chunks(Collections.nCopies(15, chunk).toArray(String[]::new));
        assertThat(status(chunked(CREATE, KEY, most.replaceFirst("    ", "{  }"))))
                .isEqualTo("201");
    }
}
