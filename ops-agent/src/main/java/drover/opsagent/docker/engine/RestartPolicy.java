package drover.opsagent.docker.engine;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * When an engine starts a container by itself.
 *
 * @param name {@code no}, {@code always}, {@code unless-stopped} or {@code on-failure}
 * @param retries most starts of {@code on-failure}; 0 without a limit
 */
public record RestartPolicy(String name, int retries) {
    /** Never. */
    public static final RestartPolicy NO = new RestartPolicy("no", 0);

    static RestartPolicy of(JsonNode json) {
        String name = EngineJson.stringField(json, "Name");
        return name.isEmpty()
                ? NO
                : new RestartPolicy(name, json.path("MaximumRetryCount").asInt(0));
    }

    /** Whether the engine starts the container by itself at all. */
    public boolean startsContainer() {
        return !name.equals(NO.name);
    }

    public ObjectNode toJson() {
        return EngineJson.newObject().put("Name", name).put("MaximumRetryCount", retries);
    }
}
