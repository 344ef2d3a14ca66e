package drover.kit.rest.openapi;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes the nodes of the document. */
final class JsonNodes {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private JsonNodes() {}

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static ObjectNode object(String name, String value) {
        return object().put(name, value);
    }

    static ArrayNode array() {
        return JSON.createArrayNode();
    }

    static ArrayNode texts(Iterable<String> texts) {
        ArrayNode array = array();
        texts.forEach(array::add);
        return array;
    }

    /** A reference within the document, such as {@code responses/Problem}. */
    static ObjectNode reference(String component) {
        return object("$ref", "#/components/" + component);
    }

    /** The same node with a description, unless there is none to tell. */
    static ObjectNode addDescription(ObjectNode node, String text) {
        return text.isEmpty() ? node : node.put("description", text);
    }

    /** A body of one type with one schema. */
    static ObjectNode content(String type, ObjectNode schema) {
        ObjectNode content = object();
        content.putObject(type).set("schema", schema);
        return content;
    }
}
