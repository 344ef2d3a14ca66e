package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.machine.home.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Services as processes of their own, each with its file of settings, and ports that are free. */
final class LaunchedServices implements AutoCloseable {
    private static final Duration START =
            Duration.ofMinutes(3); // measured 2–5 s; on a machine with 20 times its work, 60

    private final Path directory;
    private final Deque<Runnable> open = new ArrayDeque<>();
    private final Set<Integer> ports = new HashSet<>();

    LaunchedServices(Path directory) {
        this.directory = directory;
    }

    /**
     * One that runs.
     *
     * @param metrics the port of {@code /readyz}
     */
    record Service(DroverProcess process, int metrics) {
        int readiness() {
            return status(metrics, "/readyz");
        }
    }

    /** Runs this after everything that is started from now on was closed. */
    void closeLast(Runnable close) {
        open.push(close);
    }

    int port() {
        int free = Ports.free(ports);
        ports.add(free);
        return free;
    }

    DroverProcess ready(Class<?> main, Map<String, String> environment, String settings)
            throws IOException {
        return started(main, environment, settings).process();
    }

    /** Starts one and waits until it says that it is ready. */
    Service started(Class<?> main, Map<String, String> environment, String settings)
            throws IOException {
        Service service = start(main, environment, settings);
        await().atMost(START)
                .failFast("It has ended.", () -> !service.process().isAlive())
                .until(() -> service.readiness() == 200);
        assertThat(status(service.metrics(), "/livez")).isEqualTo(200);
        return service;
    }

    /** Starts one that may not get far. */
    Service start(Class<?> main, Map<String, String> environment, String settings)
            throws IOException {
        int metrics = port();
        Path file = directory.resolve(main.getSimpleName() + ".yaml");
        Files.writeString(file, settings + "metrics: 127.0.0.1:" + metrics + "\n");
        DroverProcess process =
                DroverProcess.start(directory, main, environment, "--config-file", file.toString());
        open.push(process::close);
        return new Service(process, metrics);
    }

    /** Zero while nobody answers. */
    static int status(int port, String path) {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All of them, also when one cannot be closed; whoever could not is told of afterwards. */
    @Override
    public void close() {
        List<Throwable> failures = new ArrayList<>();
        while (!open.isEmpty()) {
            try {
                open.pop().run();
            } catch (RuntimeException | AssertionError e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            IllegalStateException all =
                    new IllegalStateException("What was started cannot be closed.");
            failures.forEach(all::addSuppressed);
            throw all;
        }
    }
}
