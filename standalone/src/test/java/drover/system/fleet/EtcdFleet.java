package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import drover.model.Digest;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Three nodes, {@code st-1} to {@code st-3}, each of which runs one member of a real etcd. A
 * version is a copy of the program with other bytes behind its end.
 */
final class EtcdFleet implements AutoCloseable {
    static final List<String> NODES = List.of("st-1", "st-2", "st-3");

    /** Generous, because the machine may be busy; nothing asserts that it is faster. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Path folder;
    private final byte[] program;
    private final List<Integer> clients = freePorts();
    private final List<Integer> peers = freePorts();
    private final HttpServer artifacts;
    private final AtomicBoolean refusing = new AtomicBoolean();

    private EtcdFleet(Path folder, Path etcd) throws IOException {
        this.folder = folder;
        this.program = Files.readAllBytes(etcd);
        this.artifacts =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    /** Writes the configuration directory; {@code v1} runs on every node. */
    static EtcdFleet in(Path folder) throws IOException {
        EtcdFleet fleet = new EtcdFleet(folder, require());
        fleet.artifacts.createContext("/", fleet::send);
        fleet.artifacts.start();
        fleet.write("chains/store.yaml", profile());
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (int i = 0; i < NODES.size(); i++) {
            nodes.append(fleet.node(i));
        }
        fleet.write("nodes.yaml", nodes.toString());
        return fleet;
    }

    private static Path require() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path caches =
                cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        Stream<Path> onPath =
                Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                        .map(each -> Path.of(each, "etcd"));
        List<Path> found =
                Stream.concat(onPath, Stream.of(caches.resolve("drover/etcd/usr/bin/etcd")))
                        .filter(Files::isExecutable)
                        .toList();
        Assumptions.assumeTrue(
                !found.isEmpty(), "SKIPPED: there is no etcd here; .ci/etcd brings one");
        return found.getFirst();
    }

    private static String profile() {
        return """
            runtime: { type: process }
            programs:
              - name: etcd
                path: /opt/etcd/bin/etcd
                arguments:
                  - "{path}"
                  - --name={{ .node_id }}
                  - --data-dir={root}/data
                  - --listen-client-urls=http://127.0.0.1:{{ .client }}
                  - --advertise-client-urls=http://127.0.0.1:{{ .client }}
                  - --listen-peer-urls=http://127.0.0.1:{{ .peer }}
                  - --initial-advertise-peer-urls=http://127.0.0.1:{{ .peer }}
                  - --initial-cluster={{ .members }}
                cluster: { driver: etcd, endpoint: "http://127.0.0.1:{{ .client }}", interval: 1s }
                probes:
                  - name: answers
                    kind: http
                    url: "http://127.0.0.1:{{ .client }}/version"
                    interval: 1s
                    timeout: 1s
                    grace: 10s
                    sets: { application_health: critical }
            health: { wait: 10s, crash_loop_restarts: 3 }
            """;
    }

    private String node(int index) throws IOException {
        return """
              - name: %s
                chain: store
                type: member
                labels: { var.client: "%d", var.peer: "%d", var.members: "%s" }
                programs:
                  - { name: etcd, version: v1, url: "%s", checksum: "%s" }
            """
                .formatted(
                        NODES.get(index),
                        clients.get(index),
                        peers.get(index),
                        members(),
                        file("v1"),
                        Digest.of(version("v1")));
    }

    private String members() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < NODES.size(); i++) {
            members.add(NODES.get(i) + "=http://127.0.0.1:" + peers.get(i));
        }
        return String.join(",", members);
    }

    /** Adds the manifest {@code etcd-VERSION}. */
    EtcdFleet manifest(String version) throws IOException {
        file(version);
        write(
                "upgrades/store/etcd-" + version + ".yaml",
                """
                upgrade_id: etcd-%1$s
                chain_profile_id: store
                node_type: member
                binary_name: etcd
                target_version: %1$s
                target_url: "http://127.0.0.1:%2$d/%1$s"
                target_checksum: %3$s
                """
                        .formatted(
                                version,
                                artifacts.getAddress().getPort(),
                                Digest.of(version(version))));
        return this;
    }

    /** From now on no artifact is served, or all are again. */
    void refuseArtifacts(boolean refuse) {
        refusing.set(refuse);
    }

    private void send(HttpExchange exchange) throws IOException {
        try (exchange) {
            Path file = folder.resolve("artifacts" + exchange.getRequestURI().getPath());
            if (refusing.get() || !Files.exists(file)) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] bytes = Files.readAllBytes(file);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private byte[] version(String version) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(program);
        bytes.write(("\nversion " + version + "\n").getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    Path folder() {
        return folder;
    }

    /** Waits until the cluster has acknowledged a write through this member. */
    void awaitWrite(String node) {
        String url = "http://127.0.0.1:" + clients.get(NODES.indexOf(node)) + "/v3/kv/put";
        HttpRequest put =
                HttpRequest.newBuilder(URI.create(url))
                        .timeout(Duration.ofSeconds(5))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"key\": \"a2V5\", \"value\": \"dmFsdWU=\"}"))
                        .build();
        await().atMost(TIMEOUT)
                .ignoreExceptions()
                .until(
                        () ->
                                HTTP.send(put, HttpResponse.BodyHandlers.ofString()).statusCode()
                                        == 200);
    }

    /** Stops a process without ending it: its port is open and its probe times out. */
    static void freeze(long pid) {
        signal("-STOP", pid);
    }

    static void unfreeze(long pid) {
        signal("-CONT", pid);
    }

    private static void signal(String signal, long pid) {
        try {
            int exit = new ProcessBuilder("kill", signal, Long.toString(pid)).start().waitFor();
            assertThat(exit).isZero();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private String file(String version) throws IOException {
        Path file = folder.resolve("artifacts").resolve(version);
        Files.createDirectories(folder.resolve("artifacts"));
        Files.write(file, version(version));
        return "file://" + file;
    }

    private void write(String place, String text) throws IOException {
        Path file = folder.resolve(place);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    /** All are open at once, so that none is given twice. */
    private static List<Integer> freePorts() {
        List<ServerSocket> open = new ArrayList<>();
        try {
            for (int i = 0; i < NODES.size(); i++) {
                open.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            List<Integer> ports = open.stream().map(ServerSocket::getLocalPort).toList();
            for (ServerSocket socket : open) {
                socket.close();
            }
            return ports;
        } catch (IOException e) {
            throw new AssertionError("There is no free port", e);
        }
    }

    @Override
    public void close() {
        artifacts.stop(0);
    }
}
