package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** H13, H14: hosts that want a credential, behind authorities and proxies of their own. */
class PrivateHostsTest {
    private static final String CANARY = "canary-5b1f9d";
    private static final Path FILE = Path.of("/staging/file");
    @TempDir static Path shared;
    private static SelfSignedCertificate certificates;
    private static SelfSignedCertificate others;
    @TempDir Path directory;
    private final byte[] bytes = new byte[5_000];
    private final SimulatedDisk disk = new SimulatedDisk();
    private final Ticker ticker = new SystemTicker();
    private final List<HostileServer> servers = new ArrayList<>();

    @BeforeAll
    static void certificates() throws Exception {
        certificates = SelfSignedCertificate.make(shared, "ours");
        others = SelfSignedCertificate.make(shared, "theirs");
    }

    @AfterEach
    void stop() throws IOException {
        for (HostileServer server : servers) {
            server.close();
        }
    }

    @Test
    @DisplayName("A host is shown its bearer token, over TLS that its own authority vouches for")
    void showsABearerToken() throws IOException {
        HostileServer server = secure(this::whole);
        fetch(address(server), hosts(server, "\"bearer_file\": \"%s\"".formatted(secret())));
        assertThat(server.heads().getFirst()).contains("Authorization: Bearer " + CANARY);
        assertThat(disk.digest(FILE)).isEqualTo(Digest.of(bytes));
    }

    @Test
    void showsANameAndItsPassword() throws IOException {
        HostileServer server = secure(this::whole);
        String entry = "\"user\": \"fleet\", \"password_file\": \"%s\"".formatted(secret());
        fetch(address(server), hosts(server, entry));
        String pair =
                Base64.getEncoder()
                        .encodeToString(("fleet:" + CANARY).getBytes(StandardCharsets.UTF_8));
        assertThat(server.heads().getFirst()).contains("Authorization: Basic " + pair);
    }

    @Test
    @DisplayName("A credential that was exchanged counts from the next download on")
    void readsTheCredentialEachTime() throws IOException {
        HostileServer server = secure(this::whole);
        Path secret = secret();
        HostAccessByOrigin hosts = hosts(server, "\"bearer_file\": \"%s\"".formatted(secret));
        Files.writeString(secret, "exchanged\n");
        fetch(address(server), hosts);
        assertThat(server.heads().getFirst()).contains("Authorization: Bearer exchanged");
    }

    @Test
    @DisplayName("H14: a redirect takes no credential along, not even to another port of the host")
    void takesNoCredentialAlong() throws IOException {
        HostileServer second = secure(this::whole);
        HostileServer first = secure((_, out) -> redirect(out, address(second)));
        fetch(
                address(first),
                hosts(
                        first,
                        "\"bearer_file\": \"%s\"".formatted(secret()),
                        "\"https://127.0.0.1:%d\": {\"ca_file\": \"%s\"}"
                                .formatted(second.port(), certificates.pem())));
        assertThat(first.heads().getFirst()).contains(CANARY);
        assertThat(second.heads()).hasSize(1);
        assertThat(second.heads().getFirst()).doesNotContain("Authorization");
    }

    @Test
    @DisplayName("H13: no redirect leads from https to http")
    void staysWithHttps() throws IOException {
        HostileServer plain = new HostileServer(this::whole);
        servers.add(plain);
        String there = "http://127.0.0.1:" + plain.port() + "/file?token=" + CANARY;
        HostileServer first = secure((_, out) -> redirect(out, there));
        FetchFailed failed =
                failure(
                        address(first),
                        hosts(first, "\"bearer_file\": \"%s\"".formatted(secret())));
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_REFUSED);
        assertThat(failed.getMessage()).contains("http://127.0.0.1:").doesNotContain(CANARY);
        assertThat(plain.heads()).isEmpty();
    }

    @Test
    @DisplayName("A host that another authority vouches for is shown nothing")
    void trustsTheNamedAuthorityAlone() throws IOException {
        HostileServer server = new HostileServer(others.listen(), this::whole);
        servers.add(server);
        FetchFailed failed =
                failure(
                        address(server),
                        hosts(server, "\"bearer_file\": \"%s\"".formatted(secret())));
        assertThat(failed.reason()).isEqualTo(ReasonCode.DOWNLOAD_FAILED);
        assertThat(server.heads()).isEmpty();
    }

    @Test
    @DisplayName("H14: no message, no log line and no text of a record has a secret")
    void revealsNoSecret() throws IOException {
        HostileServer server =
                secure(
                        (_, out) ->
                                HostileServer.send(
                                        out,
                                        "HTTP/1.1 403 no "
                                                + CANARY
                                                + "\r\nContent-Length: 0\r\n\r\n"));
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level level = root.getLevel();
        root.addAppender(lines);
        root.setLevel(Level.TRACE);
        try {
            Path secret = secret();
            HostAccessByOrigin hosts = hosts(server, "\"bearer_file\": \"%s\"".formatted(secret));
            FetchFailed failed = failure(address(server), hosts);
            HostConnectionSettings access = hosts.accessTo(URI.create(address(server)));
            assertThat(access.credential().readAuthorizationHeader()).contains(CANARY);
            Files.writeString(secret, "two\nlines " + CANARY);
            FetchFailed broken = failure(address(server), hosts);
            assertThat(broken.getMessage()).contains("one line of printable ASCII");
            assertThat(List.of(failed.toString(), broken.toString(), access.toString()))
                    .noneMatch(text -> text.contains(CANARY));
        } finally {
            root.setLevel(level);
            root.detachAppender(lines);
        }
        List<ILoggingEvent> reported;
        synchronized (lines) { // other tests' threads may still be logging
            reported = List.copyOf(lines.list);
        }
        assertThat(reported).noneMatch(line -> line.getFormattedMessage().contains(CANARY));
    }

    @Test
    @DisplayName("Through a proxy the credential goes to the host alone")
    void reachesAHostThroughItsProxy() throws IOException {
        HostileServer server = secure(this::whole);
        try (Tunnel tunnel = new Tunnel(server.port())) {
            String entry =
                    "\"bearer_file\": \"%s\", \"proxy\": \"127.0.0.1:%d\""
                            .formatted(secret(), tunnel.port());
            fetch(address(server), hosts(server, entry));
            assertThat(tunnel.head()).startsWith("CONNECT 127.0.0.1:" + server.port());
            assertThat(tunnel.head()).doesNotContain(CANARY).doesNotContain("Authorization");
        }
        assertThat(server.heads().getFirst()).contains(CANARY);
    }

    @Test
    @DisplayName("H13: behind a proxy addresses cannot be checked, so the host must be named")
    void wantsAProxiedHostNamed() throws IOException {
        HostAccessByOrigin hosts =
                read(
                        "{\"hosts\": {\"http://mirror.example\": {\"proxy\": \"proxy.example:3128\"}}}");
        assertThatThrownBy(() -> hosts.requireProxyHostsListed(DownloadPolicy.forFleet(Set.of())))
                .hasMessageContaining("name it with --allow-host");
        hosts.requireProxyHostsListed(DownloadPolicy.forFleet(Set.of("mirror.example")));
    }

    private void whole(String head, OutputStream out) throws IOException {
        HostileServer.send(out, "HTTP/1.1 200 OK\r\nContent-Length: " + bytes.length + "\r\n\r\n");
        out.write(bytes);
    }

    private static void redirect(OutputStream out, String there) throws IOException {
        HostileServer.send(
                out, "HTTP/1.1 302 Found\r\nLocation: " + there + "\r\nContent-Length: 0\r\n\r\n");
    }

    private HostileServer secure(HostileServer.Words words) {
        HostileServer server = new HostileServer(certificates.listen(), words);
        servers.add(server);
        return server;
    }

    private static String address(HostileServer server) {
        return "https://127.0.0.1:" + server.port() + "/file";
    }

    private Path secret() throws IOException {
        return kept(Files.writeString(directory.resolve("secret"), CANARY + "\n"));
    }

    private static Path kept(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private HostAccessByOrigin hosts(HostileServer server, String entry, String... further)
            throws IOException {
        String first =
                "\"https://127.0.0.1:%d\": {\"ca_file\": \"%s\", %s}"
                        .formatted(server.port(), certificates.pem(), entry);
        List<String> all = new ArrayList<>(List.of(further));
        all.add(first);
        return read("{\"hosts\": {" + String.join(", ", all) + "}}");
    }

    private HostAccessByOrigin read(String json) throws IOException {
        return HostAccessFile.read(kept(Files.writeString(directory.resolve("hosts.json"), json)));
    }

    private FetchFailed failure(String url, HostAccessByOrigin hosts) {
        return Objects.requireNonNull(
                catchThrowableOfType(FetchFailed.class, () -> fetch(url, hosts)));
    }

    private void fetch(String url, HostAccessByOrigin hosts) {
        if (disk.kind(FILE) == Disk.EntryKind.FILE) {
            disk.delete(FILE);
        }
        disk.putDurableFile(Path.of("/staging/other"), bytes, FileAttributes.PRIVATE);
        DownloadPolicy policy =
                new DownloadPolicy(
                        Set.of("http", "https"),
                        Set.of("127.0.0.1"),
                        false,
                        1 << 20,
                        1024,
                        Duration.ofSeconds(20));
        try (Disk.DiskFileWriter into = disk.createExclusive(FILE)) {
            new HttpFetcher(policy, hosts, DownloadRateLimit.UNLIMITED, ticker)
                    .fetch(
                            new Artifact(url, Digest.of(bytes), bytes.length),
                            new WriterTarget(into),
                            ticker.deadlineIn(Duration.ofSeconds(20)),
                            _ -> {});
        }
    }

    /** A proxy that remembers what it was asked and hands everything on. */
    private static final class Tunnel implements AutoCloseable {
        private final ServerSocket server = HostileServer.plain("127.0.0.1");
        private final int port;
        private volatile String head = "";

        Tunnel(int port) {
            this.port = port;
            Thread.ofVirtual().start(this::tunnel);
        }

        int port() {
            return server.getLocalPort();
        }

        String head() {
            return head;
        }

        private void tunnel() {
            try (Socket from = server.accept();
                    Socket to = new Socket(InetAddress.getLoopbackAddress(), port)) {
                StringBuilder requested = new StringBuilder();
                while (!requested.toString().endsWith("\r\n\r\n")) {
                    requested.append((char) from.getInputStream().read());
                }
                head = requested.toString();
                HostileServer.send(from.getOutputStream(), "HTTP/1.1 200 OK\r\n\r\n");
                Thread back = Thread.ofVirtual().start(() -> pump(to, from));
                pump(from, to);
                back.join();
            } catch (IOException | InterruptedException _) {
                // the test is over
            }
        }

        private static void pump(Socket from, Socket to) {
            try (InputStream in = from.getInputStream()) {
                in.transferTo(to.getOutputStream());
                to.shutdownOutput();
            } catch (IOException _) {
                // one side has closed
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
