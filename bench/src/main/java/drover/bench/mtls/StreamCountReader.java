package drover.bench.mtls;

import drover.localenv.Await;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;

/** Reads how many streams a server has open, from its metrics. */
final class StreamCountReader implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50); // the error of a time

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER).build();
    private final HttpRequest request;
    private final String metric;

    StreamCountReader(int port, String metric) {
        this.request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                        .timeout(ANSWER)
                        .build();
        this.metric = metric;
    }

    /** Now; none while nobody answers. */
    int currentCount() {
        try {
            return client.send(request, BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(metric + " "))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(metric.length())))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The measurement was ended.", e);
        }
    }

    /** Waits until there are so many; how long that took. */
    Duration await(int streams, Duration limit) {
        long started = System.nanoTime();
        if (!Await.until(limit, POLL_INTERVAL, () -> currentCount() >= streams)) {
            throw new UserFacingError(
                    String.format(
                            Locale.ROOT,
                            "Only %d of %d streams are open after %d s.",
                            currentCount(),
                            streams,
                            limit.toSeconds()));
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    @Override
    public void close() {
        client.close();
    }
}
