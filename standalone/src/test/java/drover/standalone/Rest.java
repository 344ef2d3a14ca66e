package drover.standalone;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls REST as anybody would: text in, text out, nothing of Drover's own code. */
final class Rest implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    Rest(int port) {
        this.port = port;
    }

    /**
     * What came back.
     *
     * @param type of the content, without parameters
     * @param location empty when none was sent
     */
    record Answer(int status, String type, String location, JsonNode body) {
        String text(String pointer) {
            return body.at(pointer).asString("");
        }
    }

    Answer get(String path) {
        return send(path, request(path).GET());
    }

    /** Posts JSON; headers are pairs of name and value. */
    Answer post(String path, String json, String... headers) {
        HttpRequest.Builder request =
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json));
        return send(path, headers.length == 0 ? request : request.headers(headers));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20));
    }

    private Answer send(String path, HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String type = answer.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
            String text = answer.body();
            return new Answer(
                    answer.statusCode(),
                    type,
                    answer.headers().firstValue("Location").orElse(""),
                    type.endsWith("json")
                            ? JSON.readTree(text)
                            : JSON.getNodeFactory().stringNode(text));
        } catch (IOException e) {
            throw new AssertionError("REST does not answer at " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
