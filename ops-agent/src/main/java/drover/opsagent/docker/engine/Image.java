package drover.opsagent.docker.engine;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An image as its engine describes it. */
public record Image(ObjectNode json) {
    /** Its id: the digest of its description, which is not the digest that it is pinned by. */
    public String id() {
        return EngineJson.stringField(json, "Id");
    }

    /** Names pinned by digest that it was got under. */
    public List<String> pinnedNames() {
        return EngineJson.toStrings(json.path("RepoDigests"));
    }

    /** What it is for, such as {@code linux/amd64}; empty when it does not say. */
    public String platform() {
        String architecture = EngineJson.stringField(json, "Architecture");
        return architecture.isEmpty()
                ? ""
                : EngineJson.stringField(json, "Os") + "/" + architecture;
    }

    /** What containers of it are like unless they are told otherwise. */
    public JsonNode config() {
        return json.path("Config");
    }
}
