package drover.opsagent.docker.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A container as its engine describes it. Fields that nobody here knows are kept as they are. */
public record Container(ObjectNode json) {
    private static final int SHORT = 12; // hexadecimal digits that engines name containers by
    private static final Duration SHORTEST_RESTART_DELAY = Duration.ofMillis(100);

    /** Its id: never that of another container. */
    public String id() {
        return EngineJson.stringField(json, "Id");
    }

    /** The beginning of its id. */
    public String shortId() {
        return id().substring(0, Math.min(SHORT, id().length()));
    }

    /** Its name. */
    public String name() {
        String name = EngineJson.stringField(json, "Name");
        return name.startsWith("/") ? name.substring(1) : name;
    }

    /** Id of the image that it was made of. */
    public String imageId() {
        return EngineJson.stringField(json, "Image");
    }

    /** What its image was called when it was made: a tag, or a name pinned by its digest. */
    public String imageName() {
        return EngineJson.stringField(config(), "Image");
    }

    /** Whether it runs. One that waits to be started again does not. */
    public boolean isRunning() {
        JsonNode state = json.path("State");
        return EngineJson.booleanField(state, "Running")
                && !EngineJson.booleanField(state, "Restarting");
    }

    /** Whether it runs, or is about to by its restart policy. */
    public boolean isRunningOrRestarting() {
        JsonNode state = json.path("State");
        return EngineJson.booleanField(state, "Running")
                || EngineJson.booleanField(state, "Restarting");
    }

    /** Exit code of its last run; empty while it runs. */
    public OptionalInt exitCode() {
        JsonNode code = json.path("State").path("ExitCode");
        return isRunning() || !code.isInt() ? OptionalInt.empty() : OptionalInt.of(code.intValue());
    }

    /** Signal that asks it to end, as its engine sends it. */
    public String stopSignal() {
        String signal = EngineJson.stringField(config(), "StopSignal");
        return signal.isEmpty() ? "SIGTERM" : signal;
    }

    /** When it was last started, as the engine writes it. */
    public String startedAt() {
        return EngineJson.stringField(json.path("State"), "StartedAt");
    }

    /**
     * Time between the output of two runs, in seconds and nanoseconds of Unix time; empty if the
     * container was never started.
     *
     * <p>The engine notes {@code StartedAt} after the process has started, so the first lines have
     * earlier timestamps (measured: 0.3 to 2.5 ms). It waits at least 100 ms before it starts a
     * container again.
     */
    Optional<String> logStartUnixTime() {
        try {
            Instant at = Instant.parse(startedAt()).minus(SHORTEST_RESTART_DELAY);
            return at.getEpochSecond() > 0
                    ? Optional.of("%d.%09d".formatted(at.getEpochSecond(), at.getNano()))
                    : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Names the run: no other start of any container has the same. */
    public String runId() {
        return id() + ":" + startedAt();
    }

    /** Starts by its restart policy since the last start on purpose. */
    public int restartCount() {
        return json.path("RestartCount").asInt(0);
    }

    /** When the engine starts it by itself. */
    public RestartPolicy restartPolicy() {
        return RestartPolicy.of(hostConfig().path("RestartPolicy"));
    }

    /** Directories and volumes that it sees. */
    public List<Mount> mounts() {
        return Mount.parseAll(json.path("Mounts"));
    }

    /** A label's value; empty when it has none. */
    public String label(String name) {
        return EngineJson.stringField(config().path("Labels"), name);
    }

    public JsonNode config() {
        return json.path("Config");
    }

    public JsonNode hostConfig() {
        return json.path("HostConfig");
    }

    /** Networks that it is part of, by name. */
    public JsonNode networks() {
        return json.path("NetworkSettings").path("Networks");
    }
}
