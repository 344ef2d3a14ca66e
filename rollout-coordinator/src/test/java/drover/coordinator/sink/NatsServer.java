package drover.coordinator.sink;

import drover.coordinator.Waits;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A real {@code nats-server} that tests can kill and start again on the same port and directory.
 * Where there is none the tests are skipped and say so; {@code .ci/run} brings one.
 */
public final class NatsServer implements AutoCloseable {
    private static final Duration SOON = Waits.LIMIT;

    private final Path program;
    private final Path directory;
    private final boolean jetStream;
    private final int port;
    private final String settings;
    private @Nullable Process process;

    private NatsServer(Path program, boolean jetStream, String settings) {
        this.settings = settings;
        try {
            this.program = program;
            this.directory = Files.createTempDirectory("drover-nats");
            this.jetStream = jetStream;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                this.port = free.getLocalPort();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A running server with or without JetStream. */
    public static NatsServer start(boolean jetStream) {
        return start(jetStream, "");
    }

    /** The same with lines of a configuration file. */
    static NatsServer start(boolean jetStream, String settings) {
        Optional<Path> found = find();
        Assumptions.assumeTrue(
                found.isPresent(), "SKIPPED: there is no nats-server here; .ci/run brings one");
        NatsServer server = new NatsServer(found.orElseThrow(), jetStream, settings);
        try {
            server.start();
        } catch (RuntimeException e) {
            server.close(); // nobody else knows it
            throw e;
        }
        return server;
    }

    private static Optional<Path> find() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path caches =
                cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        Stream<Path> onPath =
                Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                        .map(each -> Path.of(each, "nats-server"));
        return Stream.concat(onPath, Stream.of(caches.resolve("drover/nats/nats-server")))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts it, or starts it again. */
    public void start() {
        List<String> command =
                new ArrayList<>(
                        List.of(program.toString(), "-a", "127.0.0.1", "-p", String.valueOf(port)));
        if (jetStream) {
            command.addAll(List.of("-js", "-sd", directory.toString()));
        }
        try {
            if (!settings.isEmpty()) {
                Path file = Files.writeString(directory.resolve("nats.conf"), settings);
                command.addAll(List.of("-c", file.toString()));
            }
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(directory.resolve("log").toFile())
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Awaitility.await().atMost(SOON).until(this::answers);
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends it as a crash does. */
    public void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    /** Where it listens. */
    public String url() {
        return "nats://127.0.0.1:" + port;
    }

    /** Ends it, and takes its directory away. */
    @Override
    public void close() {
        kill();
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path entry : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(entry);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
