package drover.standalone.command;

import drover.standalone.command.JsonSchemaCommand.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which keys a parser and a schema know at a place. */
final class SchemaKeys {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private SchemaKeys() {}

    /** The keys in a sentence such as "use a, b, c." or "known are a, b, c". */
    static Set<String> parserKeys(String sentence) {
        String list = sentence.replaceAll("(?s).*(?:: use |known are )", "").replace(".", "");
        return new TreeSet<>(Arrays.asList(list.strip().split(", ")));
    }

    /** The properties of the schema at a path of keys and indexes, for the mapping found there. */
    static Set<String> schemaKeys(Kind kind, List<Object> path, Map<?, ?> mapping) {
        JsonNode root = JSON.readTree(JsonSchemaCommand.readSchema(kind));
        JsonNode at = root;
        for (Object step : path) {
            at = resolved(root, at);
            at = at.has("oneOf") ? at.get("oneOf").get(0) : at; // what branches share
            at = step instanceof Integer ? at.get("items") : child(at, step.toString());
        }
        at = resolved(root, at);
        if (at.has("oneOf")) {
            at = ofKind(at.get("oneOf"), String.valueOf(mapping.get("kind")));
        }
        if (at.path("additionalProperties").asBoolean(true)) {
            throw new AssertionError("the schema is not strict at " + path);
        }
        return new TreeSet<>(at.get("properties").propertyNames());
    }

    private static JsonNode child(JsonNode at, String key) {
        return at.has("properties") && at.get("properties").has(key)
                ? at.get("properties").get(key)
                : at.get("additionalProperties");
    }

    private static JsonNode ofKind(JsonNode branches, String kind) {
        for (JsonNode branch : branches) {
            if (branch.at("/properties/kind/const").asString("").equals(kind)) {
                return branch;
            }
        }
        throw new AssertionError("no branch for the kind " + kind);
    }

    private static JsonNode resolved(JsonNode root, JsonNode at) {
        return at.has("$ref") ? root.at(at.get("$ref").asString().substring(1)) : at;
    }
}
