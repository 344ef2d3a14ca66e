package drover.opsagent.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import drover.model.NodePath;
import drover.model.program.Probe;
import drover.opsagent.main.Waits;
import drover.opsagent.policy.AddressRange;
import drover.opsagent.policy.LaunchAndProbePolicy;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Probes against real ports, pages and programs. */
class LocalProbeRunnerTest {
    private static final Duration TIMEOUT = Waits.LIMIT;
    private static final Duration SHORT = Duration.ofMillis(300);

    private final LocalProbeRunner check = new LocalProbeRunner(LocalPolicy.WHOLE_ROOT);
    private HttpServer server;

    @BeforeEach
    void aServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer("/well", 200, "{\"sync\":{\"behind\":0,\"state\":\"synced\"}}");
        answer("/busy", 503, "{\"state\":\"starting\"}");
        answer("/text", 200, "not json");
        answer("/chunked", 200, "{\"state\":\"well\"}", 0);
        answer("/moved", 302, "");
        server.start();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    @Test
    void seesAnOpenPortAndAClosedOne() throws IOException {
        int port = server.getAddress().getPort();
        assertThat(problem(new Probe.Check.Tcp("", port))).isEmpty();
        assertThat(problem(new Probe.Check.Tcp("127.0.0.1", port))).isEmpty();
        assertThat(problem(new Probe.Check.Tcp("", closedPort())))
                .isEqualTo("it cannot be tried (Connection refused)");
    }

    @Test
    void comparesTheStatusOfAPage() {
        assertThat(problem(page("/well", 0, "", ""))).isEmpty();
        assertThat(problem(page("/busy", 503, "", ""))).isEmpty();
        assertThat(problem(page("/busy", 0, "", ""))).isEqualTo("it answers 503 instead of 200");
        assertThat(problem(page("/chunked", 200, "/state", "well"))).isEmpty();
        assertThat(problem(page("/moved", 302, "", ""))).isEmpty();
        assertThat(problem(page("/moved", 200, "", ""))).isEqualTo("it answers 302 instead of 200");
        assertThat(problem(page("/absent", 200, "", "")))
                .isEqualTo("it answers 404 instead of 200");
    }

    @Test
    void comparesTheValueAtAJsonPointer() {
        assertThat(problem(page("/well", 200, "/sync/state", "synced"))).isEmpty();
        assertThat(problem(page("/well", 200, "/sync/behind", "0"))).isEmpty();
        assertThat(problem(page("/busy", 503, "/state", "starting"))).isEmpty();
        assertThat(problem(page("/well", 200, "/sync/state", "stalled")))
                .as("what was found is never quoted")
                .isEqualTo("/sync/state is not 'stalled'");
        assertThat(problem(page("/well", 200, "/sync/absent", "1")))
                .isEqualTo("/sync/absent is not '1'");
        assertThat(problem(page("/text", 200, "/sync", "1")))
                .isEqualTo("it does not answer with JSON");
    }

    @Test
    void runsAProgramWithoutAShell() {
        assertThat(problem(new Probe.Check.Exec(List.of("/bin/true")))).isEmpty();
        assertThat(problem(new Probe.Check.Exec(List.of("/bin/false"))))
                .isEqualTo("it exits with 1");
        assertThat(problem(new Probe.Check.Exec(List.of("/bin/true; /bin/false"))))
                .startsWith("it cannot be run");
    }

    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("A probe that hangs or drips costs its timeout, never more")
    void endsInAnyState() {
        server.createContext(
                "/drip",
                exchange -> {
                    exchange.sendResponseHeaders(200, 0);
                    try (OutputStream out = exchange.getResponseBody()) {
                        while (true) { // until the probe closes its connection
                            out.write(' ');
                            out.flush();
                            LockSupport.parkNanos(100_000_000);
                        }
                    }
                });
        long started = System.nanoTime();
        assertThat(
                        check.runAndFindProblem(
                                new Probe.Check.Http(url("/drip"), 200, "/a", "1"), SHORT, true))
                .isEqualTo("it did not answer in time");
        assertThat(
                        check.runAndFindProblem(
                                new Probe.Check.Exec(List.of("/bin/sleep", "86400")), SHORT, true))
                .isEqualTo("it did not end in time");
        Waits.measured(
                "LocalProbeRunnerTest: two timeouts of 0.3 s",
                Duration.ofNanos(System.nanoTime() - started),
                Duration.ofSeconds(4));
    }

    @Test
    void reportsAnInvalidAddress() {
        assertThat(problem(new Probe.Check.Http("file:///etc/hostname", 200, "", "")))
                .isEqualTo("file:///etc/hostname is no http address: correct the probe");
        assertThat(problem(new Probe.Check.Http("nonsense", 200, "", "")))
                .isEqualTo("nonsense is no http address: correct the probe");
        assertThat(problem(new Probe.Check.Http("http://a b/", 200, "", "")))
                .startsWith("it cannot be tried");
    }

    @Test
    @DisplayName("H16: what a probe runs is not root and cannot gain privileges")
    void runsAProgramWithoutPrivileges(@TempDir Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path output = directory.resolve("status");
        assertThat(
                        problem(
                                new Probe.Check.Exec(
                                        List.of(
                                                "/bin/cp",
                                                "/proc/self/status",
                                                output.toString()))))
                .isEmpty();
        List<String> status = Files.readAllLines(output);
        assertThat(status)
                .contains("NoNewPrivs:\t1")
                .contains("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000")
                .contains("CapInh:\t0000000000000000", "CapAmb:\t0000000000000000")
                .noneMatch(line -> line.matches("[UG]id:.*\\b0\\b.*"));
    }

    @Test
    @DisplayName("H15: with a policy a probe runs the listed programs alone")
    void runsOnlyWhatThePolicyLists(@TempDir Path directory) {
        LocalProbeRunner bounded =
                new LocalProbeRunner(
                        policy(
                                new LaunchAndProbePolicy(
                                        Set.of(new NodePath("/bin/true")),
                                        LaunchAndProbePolicy.DEFAULT_USER,
                                        List.of(),
                                        Set.of(),
                                        Set.of(),
                                        false)));
        Path made = directory.resolve("made");
        assertThat(
                        bounded.runAndFindProblem(
                                new Probe.Check.Exec(List.of("/bin/true")), TIMEOUT, true))
                .isEmpty();
        for (List<String> other :
                List.of(
                        List.of("/bin/touch", made.toString()),
                        List.of("true"),
                        List.of("/bin/../bin/touch", made.toString()),
                        List.<String>of())) {
            assertThat(bounded.runAndFindProblem(new Probe.Check.Exec(other), TIMEOUT, true))
                    .contains("policy does not allow probes to run");
        }
        assertThat(made).doesNotExist();
    }

    @ParameterizedTest
    @DisplayName("H13: no connection leaves the node for an address that its owner did not list")
    @ValueSource(
            strings = {
                "169.254.169.254",
                "100.100.100.200",
                "192.0.2.7",
                "0.0.0.0",
                "fd00:ec2::254",
                "fe80::1",
                "::ffff:169.254.169.254",
                "64:ff9b::a9fe:a9fe"
            })
    void reachesNoForeignAddress(String address) {
        String host = address.contains(":") ? "[" + address + "]" : address;
        assertThat(problem(new Probe.Check.Tcp(address, 80)))
                .contains("is neither this node nor listed under probes.addresses");
        assertThat(problem(new Probe.Check.Http("http://" + host + "/latest", 200, "/a", "1")))
                .contains("is neither this node nor listed under probes.addresses");
    }

    @Test
    void reachesWhatTheOwnerListsButNeverMetadata() throws IOException {
        RestrictedProbeConnector targets =
                new RestrictedProbeConnector(
                        Stream.of("192.0.2.0/28", "2001:db8::/32")
                                .map(AddressRange::parse)
                                .toList());
        assertThat(targets.isAllowed(InetAddress.ofLiteral("192.0.2.15"))).isTrue();
        assertThat(targets.isAllowed(InetAddress.ofLiteral("192.0.2.16"))).isFalse();
        assertThat(targets.isAllowed(InetAddress.ofLiteral("2001:db8::1"))).isTrue();
        assertThat(targets.isAllowed(InetAddress.ofLiteral("2001:db9::1"))).isFalse();
        RestrictedProbeConnector all =
                new RestrictedProbeConnector(List.of(AddressRange.parse("0.0.0.0/0")));
        assertThat(all.isAllowed(InetAddress.ofLiteral("198.51.100.1"))).isTrue();
        assertThat(all.isAllowed(InetAddress.ofLiteral("169.254.169.254"))).isFalse();
        assertThat(all.isAllowed(InetAddress.ofLiteral("100.100.100.200"))).isFalse();
    }

    private static LocalPolicy policy(LaunchAndProbePolicy limits) {
        return new LocalPolicy(
                true, List.of(), Set.of(), Set.of(), Set.of(), new SignaturePolicy.None(), limits);
    }

    private Probe.Check.Http page(String path, int status, String pointer, String value) {
        return new Probe.Check.Http(url(path), status, pointer, value);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private String problem(Probe.Check what) {
        return check.runAndFindProblem(what, TIMEOUT, true);
    }

    private void answer(String path, int status, String body) {
        answer(path, status, body, body.isEmpty() ? -1 : body.length());
    }

    /** A length of 0 means chunks. */
    private void answer(String path, int status, String body, int length) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        server.createContext(
                path,
                exchange -> {
                    exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/");
                    exchange.sendResponseHeaders(status, length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
