package drover.coordinator.election;

import drover.coordinator.Waits;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A member of a real etcd that tests can stop, kill and start again on the same ports and
 * directory. Where there is none the tests are skipped and say so; {@code .ci/etcd} brings one.
 * Tests of other modules use it too: it is the one class of this module's test jar.
 */
public final class EtcdServer implements AutoCloseable {
    private static final Duration SOON = Waits.LIMIT;

    private final Path program;
    private final String name;
    private final Path directory;
    private final @Nullable Path tls;
    private final int client;
    private final int peer;
    private @Nullable Process process;

    private EtcdServer(Path program, String name, @Nullable Path tls) {
        this.program = program;
        this.name = name;
        this.tls = tls;
        try {
            this.directory = Files.createTempDirectory("drover-etcd");
            this.client = freePort();
            this.peer = freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** A running cluster of so many members. */
    public static List<EtcdServer> cluster(int members) {
        Path program = require();
        return started(
                IntStream.range(0, members)
                        .mapToObj(number -> new EtcdServer(program, "m" + number, null))
                        .toList());
    }

    /**
     * A member that shows a certificate, and demands one of whoever dials it.
     *
     * @param tls holds {@code chain.pem}, {@code key.pem}, and {@code trust.pem} for its clients
     */
    public static EtcdServer withClientCertificates(Path tls) {
        return started(List.of(new EtcdServer(require(), "proven", tls))).getFirst();
    }

    private static Path require() {
        Optional<Path> found = find();
        Assumptions.assumeTrue(
                found.isPresent(), "SKIPPED: there is no etcd here; .ci/etcd brings one");
        return found.orElseThrow();
    }

    private static List<EtcdServer> started(List<EtcdServer> cluster) {
        String all =
                cluster.stream()
                        .map(each -> each.name + "=" + url(each.peer))
                        .collect(Collectors.joining(","));
        try {
            cluster.forEach(each -> each.start(all));
            cluster.forEach(each -> Awaitility.await().atMost(SOON).until(each::answers));
        } catch (RuntimeException e) {
            cluster.forEach(EtcdServer::close); // nobody else knows them
            throw e;
        }
        return cluster;
    }

    private static Optional<Path> find() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path caches =
                cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        Stream<Path> onPath =
                Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                        .map(each -> Path.of(each, "etcd"));
        return Stream.concat(onPath, Stream.of(caches.resolve("drover/etcd/usr/bin/etcd")))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port;
    }

    private List<String> initial = List.of();

    private void start(String cluster) {
        initial =
                List.of(
                        "--initial-cluster",
                        cluster,
                        "--initial-advertise-peer-urls",
                        url(peer),
                        "--listen-peer-urls",
                        url(peer));
        start();
    }

    /** Starts it, or starts it again; it answers a moment later. */
    public void start() {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                program.toString(),
                                "--name",
                                name,
                                "--data-dir",
                                data().toString(),
                                "--listen-client-urls",
                                endpoint().toString(),
                                "--advertise-client-urls",
                                endpoint().toString()));
        command.addAll(initial);
        command.addAll(security());
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(directory.resolve("log").toFile())
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> security() {
        return tls == null
                ? List.of()
                : List.of(
                        "--cert-file",
                        tls.resolve("chain.pem").toString(),
                        "--key-file",
                        tls.resolve("key.pem").toString(),
                        "--trusted-ca-file",
                        tls.resolve("trust.pem").toString(),
                        "--client-cert-auth");
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), client)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Where clients reach it. */
    public URI endpoint() {
        String plain = url(client);
        return URI.create(tls == null ? plain : plain.replace("http:", "https:"));
    }

    /** Ends it as a crash does. */
    public void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    /** Once it is ended: puts by what it knows, so that it comes up knowing nothing. */
    public void setAside() {
        try {
            Files.move(data(), aside());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Once it is ended: it comes up with what was put by, as if nothing had been since. */
    public void restore() {
        delete(data());
        try {
            Files.move(aside(), data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path data() {
        return directory.resolve("data");
    }

    private Path aside() {
        return directory.resolve("aside");
    }

    /** Stops it without closing anything, as a machine does that hangs. */
    public void pause() {
        signal("-STOP");
    }

    /** Lets it go on. */
    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            String pid = String.valueOf(java.util.Objects.requireNonNull(process).pid());
            new ProcessBuilder("kill", signal, pid).start().onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it, and takes its directory away. */
    @Override
    public void close() {
        kill();
        delete(directory);
    }

    private static void delete(Path tree) {
        if (Files.exists(tree)) {
            try (Stream<Path> all = Files.walk(tree)) {
                for (Path entry : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(entry);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
