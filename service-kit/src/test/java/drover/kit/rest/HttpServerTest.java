package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.Waits;
import drover.kit.grpc.Address;
import drover.kit.grpc.PortInUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HttpServerTest {
    private static final Address.Tcp ANY_PORT = new Address.Tcp("127.0.0.1", 0);

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void isReadyOnlyWhileNothingKeepsItFromWorking() throws Exception {
        List<String> problems = new CopyOnWriteArrayList<>(List.of("The database is away."));
        try (HttpServer host = HttpServer.builder().readyWhen(() -> problems).listen(ANY_PORT)) {
            assertThat(get(host, "/livez")).isEqualTo("200 {\"status\":\"alive\"}");
            assertThat(get(host, "/readyz"))
                    .startsWith("503 ")
                    .contains("The database is away.")
                    .contains("\"reason\":\"NOT_READY\"");
            problems.clear();
            assertThat(get(host, "/readyz")).isEqualTo("200 {\"status\":\"ready\"}");
        }
    }

    @Test
    void reportsNoticesWhileReady() throws Exception {
        List<String> notices = List.of("A \"certificate\" ends in 3 days.");
        try (HttpServer host =
                HttpServer.builder().readyWhen(List::of, () -> notices).listen(ANY_PORT)) {
            assertThat(get(host, "/readyz"))
                    .isEqualTo(
                            "200 {\"status\":\"ready\",\"notices\":[\"A \\\"certificate\\\""
                                    + " ends in 3 days.\"]}");
        }
    }

    @Test
    void offersPagesAndNothingElse() throws Exception {
        try (HttpServer host =
                HttpServer.builder()
                        .page("/metrics", "text/plain", () -> "up 1\n")
                        .listen(ANY_PORT)) {
            assertThat(get(host, "/metrics")).isEqualTo("200 up 1\n");
            assertThat(get(host, "/metricsx")).startsWith("404 ").contains("ROUTE_NOT_FOUND");
        }
    }

    @Test
    void reportsAPortInUse() {
        try (HttpServer first = HttpServer.builder().listen(ANY_PORT)) {
            Address.Tcp same = new Address.Tcp("127.0.0.1", first.port());
            assertThatThrownBy(() -> HttpServer.builder().listen(same))
                    .isInstanceOf(PortInUse.class)
                    .hasMessage(
                            "Nothing can listen on %s; another program probably has the port",
                            same);
        }
    }

    @Test
    void givesItsPortBackWhenClosed() {
        HttpServer first = HttpServer.builder().listen(ANY_PORT);
        Address.Tcp same = new Address.Tcp("127.0.0.1", first.port());
        first.close();
        try (HttpServer second = HttpServer.builder().listen(same)) {
            assertThat(second.port()).isEqualTo(same.port());
        }
    }

    @Test
    void answersABrokenPercentEscapeWithAProblem() throws Exception {
        try (HttpServer host = HttpServer.builder().listen(ANY_PORT);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.port())) {
            socket.setSoTimeout((int) Waits.LIMIT.toMillis());
            String request = "GET /livez?a=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String line =
                    new BufferedReader(
                                    new InputStreamReader(
                                            socket.getInputStream(), StandardCharsets.UTF_8))
                            .readLine();
            assertThat(line).startsWith("HTTP/1.1 400 ");
        }
    }

    /** B23: checks of HAProxy and the defaults of nginx and ab are HTTP/1.0. */
    @ParameterizedTest
    @CsvSource({
        "GET, /livez, 200, '{\"status\":\"alive\"}'",
        "GET, /livez?from=haproxy, 200, '{\"status\":\"alive\"}'",
        "HEAD, /livez, 200, ''",
        "GET, /readyz, 503, NOT_READY",
        "GET, /metrics, 200, up 1",
        "GET, /broken, 500, INTERNAL",
        "POST, /livez, 405, METHOD_NOT_ALLOWED"
    })
    void answersHealthAndMetricsInHttp10(String method, String path, int status, String body)
            throws Exception {
        for (String headers : List.of("", "Host: a\r\nConnection: keep-alive\r\n")) {
            String response = raw(method + " " + path + " HTTP/1.0\r\n" + headers + "\r\n");
            assertThat(response)
                    .startsWith("HTTP/1.1 " + status + " ")
                    .containsIgnoringCase("connection: close")
                    .doesNotContainIgnoringCase("transfer-encoding");
            String received = response.substring(response.indexOf("\r\n\r\n") + 4);
            assertThat(received).contains(body);
            if (body.isEmpty()) {
                assertThat(received).isEmpty();
            }
        }
    }

    /** A connection that is closed with unread bytes is reset, and the response may be lost. */
    @Test
    void readsTheWholeHeadOfAnHttp10Request() throws Exception {
        try (HttpServer host = HttpServer.builder().listen(ANY_PORT);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.port())) {
            socket.setSoTimeout(200);
            for (String part :
                    List.of(
                            "GET",
                            " /livez HTT",
                            "P/1.0\r",
                            "\nHost: a\r\n",
                            "User-Agent: b\r\n")) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .as("no response before the end of the head")
                        .isInstanceOf(SocketTimeoutException.class);
            }
            socket.setSoTimeout((int) Waits.LIMIT.toMillis());
            socket.getOutputStream().write("\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void namesTheVersionThatAnOldClientOfTheApiHasToSend() throws Exception {
        assertThat(raw("GET /api/v1/rollouts HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.1 505 ")
                .contains(
                        "application/problem+json",
                        "\"status\":505",
                        "proxy_http_version 1.1",
                        "http-check send ver HTTP/1.1");
    }

    @Test
    void rejectsACompressedBodyAsAnUnsupportedType() throws Exception {
        assertThat(
                        raw(
                                "POST /api/v1/rollouts HTTP/1.1\r\nHost: localhost\r\n"
                                        + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"))
                .startsWith("HTTP/1.1 415 ")
                .contains("\"status\":415", "send JSON without Content-Encoding");
    }

    /** Everything that the server sends before it closes the connection. */
    private static String raw(String request) throws IOException {
        HttpServer.Builder builder =
                HttpServer.builder()
                        .readyWhen(() -> List.of("The database is unavailable."))
                        .page("/metrics", "text/plain", () -> "up 1\n")
                        .page(
                                "/broken",
                                "text/plain",
                                () -> {
                                    throw new IllegalStateException("broken on purpose");
                                });
        try (HttpServer host = builder.listen(ANY_PORT);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.port())) {
            socket.setSoTimeout((int) Waits.LIMIT.toMillis());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void answersHeadWithTheLengthOfTheBodyOfGet() throws Exception {
        assertThat(raw("HEAD /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .containsIgnoringCase("content-length: 18\r\n")
                .endsWith("\r\n\r\n");
        assertThat(raw("HEAD /livez HTTP/1.0\r\n\r\n"))
                .containsIgnoringCase("content-length: 18\r\n")
                .endsWith("\r\n\r\n");
        assertThat(raw("HEAD /api/v1/rollouts HTTP/1.0\r\n\r\n"))
                .startsWith("HTTP/1.1 505 ")
                .endsWith("\r\n\r\n");
    }

    @Test
    void answersHeadAndRefusesOtherMethodsOfAPage() throws Exception {
        try (HttpServer host = HttpServer.builder().listen(ANY_PORT)) {
            assertThat(send(host, "HEAD", "/livez")).isEqualTo("200 ");
            assertThat(send(host, "DELETE", "/livez"))
                    .startsWith("405 ")
                    .contains("METHOD_NOT_ALLOWED");
        }
    }

    private String get(HttpServer host, String path) throws Exception {
        return send(host, "GET", path);
    }

    private String send(HttpServer host, String verb, String path) throws Exception {
        var request =
                java.net.http.HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + host.port() + path))
                        .method(verb, BodyPublishers.noBody())
                        .timeout(Waits.LIMIT)
                        .build();
        var response = client.send(request, BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }
}
