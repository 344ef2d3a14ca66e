package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.kit.Waits;
import drover.kit.grpc.Address;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of browsers and of other clients to an endpoint that asks for no key. */
final class CrossSiteRuleTest {
    private static final CrossSiteRule RULE =
            new CrossSiteRule(() -> Set.of("drover.example.net"), "http");

    private static Map<String, String> headers(String host, String site, String origin) {
        Map<String, String> headers = new HashMap<>();
        headers.put("host", host);
        if (!site.equals("-")) {
            headers.put("sec-fetch-site", site);
        }
        if (!origin.equals("-")) {
            headers.put("origin", origin);
        }
        return headers;
    }

    @ParameterizedTest
    @CsvSource({
        "POST, 127.0.0.1:8080, -, -",
        "POST, localhost:8080, -, -",
        "POST, LOCALHOST, -, -",
        "POST, [::1]:8080, -, -",
        "POST, drover.example.net:8080, -, -",
        "POST, localhost:8080, same-origin, http://localhost:8080",
        "GET, localhost:8080, none, -",
        "POST, localhost:8080, -, http://localhost:8080",
        "POST, localhost:80, -, http://localhost",
    })
    void allowsOwnPagesAndClientsThatAreNoBrowsers(
            String method, String host, String site, String origin) {
        assertThatCode(() -> RULE.check(method, headers(host, site, origin)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, evil.example, -, -, MISDIRECTED",
        "GET, evil.example:8080, same-origin, http://evil.example:8080, MISDIRECTED",
        "GET, localhost.evil.example, -, -, MISDIRECTED",
        "GET, 127.0.0.1.evil.example:8080, -, -, MISDIRECTED",
        "GET, '', -, -, MISDIRECTED",
        "POST, localhost:8080, cross-site, -, CROSS_SITE",
        "POST, localhost:8080, same-site, http://localhost:3000, CROSS_SITE",
        "GET, localhost:8080, cross-site, -, CROSS_SITE",
        "POST, localhost:8080, none, -, CROSS_SITE",
        "POST, localhost:8080, -, http://evil.example, CROSS_SITE",
        "POST, localhost:8080, -, http://localhost:3000, CROSS_SITE",
        "POST, localhost:8080, -, https://localhost:8080, CROSS_SITE",
        "POST, localhost:8080, -, null, CROSS_SITE",
    })
    void rejectsForeignHostsAndPagesOfOtherSites(
            String method, String host, String site, String origin, RefusalCode code) {
        Refused refused =
                catchThrowableOfType(
                        Refused.class, () -> RULE.check(method, headers(host, site, origin)));
        assertThat(refused.code()).isEqualTo(code);
    }

    @Test
    void isAppliedBeforePagesAndRest() throws Exception {
        try (HttpServer host =
                HttpServer.builder()
                        .rejectCrossSite(Set::of)
                        .listen(new Address.Tcp("127.0.0.1", 0))) {
            assertThat(status(host, "GET /livez", "Host: localhost")).isEqualTo("200");
            assertThat(status(host, "GET /livez", "Host: evil.example")).isEqualTo("421");
            assertThat(
                            status(
                                    host,
                                    "POST /api/v1/rollouts",
                                    "Host: localhost\r\nSec-Fetch-Site: cross-site"))
                    .isEqualTo("403");
        }
        try (HttpServer host = HttpServer.builder().listen(new Address.Tcp("127.0.0.1", 0))) {
            assertThat(status(host, "GET /livez", "Host: probe.example")).isEqualTo("200");
        }
    }

    private static String status(HttpServer host, String line, String headers) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.port())) {
            socket.setSoTimeout((int) Waits.LIMIT.toMillis());
            socket.getOutputStream()
                    .write(
                            (line + " HTTP/1.1\r\n" + headers + "\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine()
                    .split(" ", 3)[1];
        }
    }
}
