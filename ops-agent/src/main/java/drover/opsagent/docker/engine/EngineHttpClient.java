package drover.opsagent.docker.engine;

import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import drover.opsagent.time.AgentStopping;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Asks an engine over its socket, and never waits for an answer longer than it was told to. */
public final class EngineHttpClient {
    private static final Duration CONNECT = Duration.ofSeconds(5); // a socket of this machine
    private final URI host;
    private final AtomicReference<@Nullable DockerHttpClient> client = new AtomicReference<>();

    public EngineHttpClient(Path socket) {
        this.host = URI.create("unix://" + socket.toAbsolutePath());
    }

    /** Reads an answer. */
    interface ResponseParser<T> {
        T read(int status, InputStream body) throws IOException;
    }

    /**
     * Asks and reads the answer within this time.
     *
     * @param body sent as JSON; null for a question without one
     * @throws EngineFailed when the engine cannot be reached or does not answer in time
     */
    <T> T call(
            String method,
            String path,
            @Nullable JsonNode body,
            Map<String, String> headers,
            Duration limit,
            ResponseParser<T> reader) {
        Request request = buildRequest(method, path, body, headers);
        DockerHttpClient requested = getOrCreateClient();
        CompletableFuture<T> answer = new CompletableFuture<>();
        // A thread of its own: the library cannot be told how long to wait on a unix socket.
        Thread.startVirtualThread(() -> executeRequest(requested, request, reader, answer));
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            closeClient(requested);
            throw EngineFailed.unavailable("The engine did not answer " + method + " in time", e);
        } catch (ExecutionException e) {
            throw toRuntimeException(e.getCause());
        } catch (InterruptedException e) {
            closeClient(requested);
            throw new AgentStopping(e);
        }
    }

    private static <T> void executeRequest(
            DockerHttpClient client,
            Request request,
            ResponseParser<T> reader,
            CompletableFuture<T> answer) {
        try (Response response = client.execute(request)) {
            answer.complete(reader.read(response.getStatusCode(), response.getBody()));
        } catch (RuntimeException | IOException e) {
            answer.completeExceptionally(e);
        }
    }

    private static RuntimeException toRuntimeException(@Nullable Throwable cause) {
        if (cause instanceof EngineFailed failed) {
            return failed;
        }
        return EngineFailed.unavailable("The engine cannot be reached on its socket", cause);
    }

    private Request buildRequest(
            String method, String path, @Nullable JsonNode body, Map<String, String> headers) {
        Request.Builder request = Request.builder().method(Request.Method.valueOf(method));
        request.path(path).putAllHeaders(headers);
        if (body != null) {
            byte[] bytes = EngineJson.toBytes(body);
            request.putHeader("Content-Type", "application/json");
            request.bodyBytes(bytes).body(new ByteArrayInputStream(bytes));
        }
        return request.build();
    }

    private synchronized DockerHttpClient getOrCreateClient() {
        DockerHttpClient known = client.get();
        if (known == null) {
            known =
                    new ZerodepDockerHttpClient.Builder()
                            .dockerHost(host)
                            .connectionTimeout(CONNECT)
                            .build();
            client.set(known);
        }
        return known;
    }

    /** Closes the connections of whoever still waits; the next question opens others. */
    private void closeClient(DockerHttpClient hanging) {
        client.compareAndSet(hanging, null);
        try {
            hanging.close();
        } catch (IOException _) {
            // It was given up anyway.
        }
    }
}
