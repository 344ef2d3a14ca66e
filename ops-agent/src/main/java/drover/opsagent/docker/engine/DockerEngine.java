package drover.opsagent.docker.engine;

import drover.model.program.StopSignal;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A Docker engine behind its socket, asked in the words of its HTTP interface of the newest version
 * that it knows, so that what it says of a container and what it takes for one are of one kind.
 */
public final class DockerEngine implements ContainerEngine {
    private static final Duration QUICK = Duration.ofSeconds(20); // looks and small changes
    private static final Duration STOP_MARGIN = Duration.ofSeconds(10); // beyond the grace
    private static final int LARGEST_ANSWER = 16 << 20; // a thousand containers' names are 1 MiB
    private static final int BYTES_PER_LINE = 16; // few lines of a log are shorter

    private final EngineHttpClient http;
    private final RegistryCredentials logins;

    public DockerEngine(EngineHttpClient http, RegistryCredentials logins) {
        this.http = http;
        this.logins = logins;
    }

    private static final class Response {
        private final int status;
        private final byte[] body;

        Response(int status, byte[] body) {
            this.status = status;
            this.body = body;
        }

        String errorMessage() {
            String text = new String(body, StandardCharsets.UTF_8).strip();
            try {
                return EngineJson.stringField(EngineJson.parseObject(body), "message");
            } catch (EngineFailed _) {
                return text;
            }
        }
    }

    @Override
    public Optional<Container> findContainer(String nameOrId) {
        return inspect("/containers/" + encodePathSegment(nameOrId) + "/json").map(Container::new);
    }

    @Override
    public Optional<Image> findImage(String nameOrId) {
        return inspect("/images/" + nameOrId + "/json").map(Image::new);
    }

    private Optional<ObjectNode> inspect(String path) {
        Response answer = call("GET", path, null, QUICK);
        return answer.status == 404
                ? Optional.empty()
                : Optional.of(EngineJson.parseObject(requireSuccess(answer).body));
    }

    @Override
    public List<String> containerNamesWithPrefix(String prefix) {
        // The engine's filter is a regular expression; ours is plain text, so it is asked for all.
        String path = "/containers/json?all=1&size=0";
        Response answer = requireSuccess(call("GET", path, null, QUICK));
        List<String> names = new ArrayList<>();
        byte[] wrapped =
                ("{\"all\":" + decodeText(answer.body) + "}").getBytes(StandardCharsets.UTF_8);
        for (JsonNode container : EngineJson.parseObject(wrapped).path("all").values()) {
            for (String name : EngineJson.toStrings(container.path("Names"))) {
                if (name.startsWith("/" + prefix)) {
                    names.add(name.substring(1));
                }
            }
        }
        return names;
    }

    @Override
    public void pull(String pinned, Deadline deadline, IntConsumer percent) {
        int at = pinned.indexOf('@');
        String path =
                "/images/create?fromImage="
                        + encodeQueryValue(ImageDigests.repositoryName(pinned))
                        + "&tag="
                        + encodeQueryValue(pinned.substring(at + 1));
        Response answer =
                http.call(
                        "POST",
                        path,
                        null,
                        registryAuthHeaders(pinned),
                        deadline.left(),
                        (status, body) ->
                                status == 200
                                        ? new Response(
                                                PullProgressReader.readAndGetHttpStatus(
                                                        body, percent),
                                                new byte[0])
                                        : readResponse(status, body));
        requireSuccess(answer);
    }

    private Map<String, String> registryAuthHeaders(String pinned) {
        return logins.authHeader(ImageDigests.registryHost(pinned))
                .map(login -> Map.of("X-Registry-Auth", login))
                .orElse(Map.of());
    }

    @Override
    public Set<String> fetchPlatforms(String pinned, Deadline deadline) {
        Response answer =
                http.call(
                        "GET",
                        "/distribution/" + pinned + "/json",
                        null,
                        registryAuthHeaders(pinned),
                        deadline.atMost(QUICK).left(),
                        DockerEngine::readResponse);
        Set<String> platforms = new HashSet<>();
        for (JsonNode one :
                EngineJson.parseObject(requireSuccess(answer).body).path("Platforms").values()) {
            platforms.add(
                    EngineJson.stringField(one, "os")
                            + "/"
                            + EngineJson.stringField(one, "architecture"));
        }
        return platforms;
    }

    @Override
    public String create(String name, ObjectNode body) {
        Response answer =
                requireSuccess(
                        call(
                                "POST",
                                "/containers/create?name=" + encodeQueryValue(name),
                                body,
                                QUICK));
        return EngineJson.stringField(EngineJson.parseObject(answer.body), "Id");
    }

    @Override
    public void connectToNetwork(String network, String id, ObjectNode endpoint) {
        ObjectNode body = EngineJson.newObject().put("Container", id);
        body.set("EndpointConfig", endpoint);
        requireSuccess(
                call("POST", "/networks/" + encodePathSegment(network) + "/connect", body, QUICK));
    }

    @Override
    public void rename(String id, String name) {
        postChange(id, "/rename?name=" + encodeQueryValue(name), null, QUICK);
    }

    @Override
    public void start(String id) {
        postChange(id, "/start", null, QUICK);
    }

    @Override
    public void stop(String id, Duration grace) {
        postChange(id, "/stop?t=" + grace.toSeconds(), null, grace.plus(STOP_MARGIN));
    }

    @Override
    public void signal(String id, StopSignal signal) {
        postKill(id, "?signal=" + signal.longName());
    }

    @Override
    public void kill(String id) {
        postKill(id, "");
    }

    private void postKill(String id, String query) {
        String path = "/containers/" + encodePathSegment(id) + "/kill" + query;
        Response answer = call("POST", path, null, QUICK);
        if (answer.status != 409) { // it is down
            requireSuccess(answer);
        }
    }

    @Override
    public void remove(String id) {
        Response answer =
                call("DELETE", "/containers/" + encodePathSegment(id) + "?v=false", null, QUICK);
        if (answer.status != 404) {
            requireSuccess(answer);
        }
    }

    @Override
    public void setRestartPolicy(String id, RestartPolicy policy) {
        ObjectNode body = EngineJson.newObject();
        body.set("RestartPolicy", policy.toJson());
        postChange(id, "/update", body, QUICK);
    }

    @Override
    public String logTail(Container container, int bytes) {
        return logTail(container, "since", bytes);
    }

    @Override
    public String earlierLogTail(Container container, int bytes) {
        return logTail(container, "until", bytes);
    }

    private String logTail(Container container, String ofStart, int bytes) {
        String path =
                "/containers/"
                        + encodePathSegment(container.id())
                        + "/logs?stdout=1&stderr=1&tail="
                        + bytes / BYTES_PER_LINE
                        + container
                                .logStartUnixTime()
                                .map(at -> "&" + ofStart + "=" + at)
                                .orElse("");
        boolean plain = EngineJson.booleanField(container.config(), "Tty");
        return ContainerLogTailDecoder.decodeTail(
                requireSuccess(call("GET", path, null, QUICK)).body, plain, bytes);
    }

    private void postChange(String id, String what, @Nullable JsonNode body, Duration limit) {
        requireSuccess(call("POST", "/containers/" + encodePathSegment(id) + what, body, limit));
    }

    private Response call(String method, String path, @Nullable JsonNode body, Duration limit) {
        return http.call(method, path, body, Map.of(), limit, DockerEngine::readResponse);
    }

    private static Response readResponse(int status, InputStream body) throws IOException {
        byte[] bytes = body.readNBytes(LARGEST_ANSWER);
        if (bytes.length == LARGEST_ANSWER) {
            throw EngineFailed.rejected("The engine's answer is too long");
        }
        return new Response(status, bytes);
    }

    /** 304 says that it is so already. */
    private static Response requireSuccess(Response answer) {
        if (answer.status < 400) {
            return answer;
        }
        String complaint = "The engine refused: " + answer.errorMessage();
        throw answer.status < 500
                ? EngineFailed.rejected(complaint)
                : EngineFailed.serverError(complaint);
    }

    private static String decodeText(byte[] body) {
        return new String(body, StandardCharsets.UTF_8);
    }

    private static String encodeQueryValue(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String encodePathSegment(String value) {
        return encodeQueryValue(value).replace("+", "%20");
    }
}
