package drover.opsagent.docker.engine;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads what an engine says without knowing all of it. */
public final class EngineJson {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private EngineJson() {}

    public static ObjectNode newObject() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** A copy of the object of this name; an empty one when there is none. */
    public static ObjectNode copyObject(JsonNode parent, String name) {
        return parent.path(name) instanceof ObjectNode found ? found.deepCopy() : newObject();
    }

    /** A copy of the object of this name that is part of its parent. */
    public static ObjectNode putObjectCopy(ObjectNode parent, String name) {
        ObjectNode found = copyObject(parent, name);
        parent.set(name, found);
        return found;
    }

    public static String stringField(JsonNode parent, String name) {
        return parent.path(name).asString("");
    }

    public static boolean booleanField(JsonNode parent, String name) {
        return parent.path(name).asBoolean(false);
    }

    public static List<String> toStrings(JsonNode list) {
        List<String> all = new ArrayList<>();
        list.values().forEach(item -> all.add(item.asString("")));
        return all;
    }

    public static void putStrings(ObjectNode parent, String name, List<String> texts) {
        var list = JsonNodeFactory.instance.arrayNode();
        texts.forEach(list::add);
        parent.set(name, list);
    }

    /** Engines write an absent value in all of these ways, and read them alike. */
    public static boolean isAbsentEmptyOrFalse(JsonNode node) {
        return node.isMissingNode()
                || node.isNull()
                || (node.isContainer() && node.isEmpty())
                || (node.isString() && node.stringValue().isEmpty())
                || (node.isBoolean() && !node.booleanValue());
    }

    public static boolean isEqualOrBothAbsent(JsonNode one, JsonNode other) {
        return (isAbsentEmptyOrFalse(one) && isAbsentEmptyOrFalse(other)) || one.equals(other);
    }

    /**
     * The object that a text is.
     *
     * @throws EngineFailed when it is none
     */
    public static ObjectNode parseObject(byte[] text) {
        try {
            if (MAPPER.readTree(text) instanceof ObjectNode found) {
                return found;
            }
        } catch (RuntimeException e) {
            throw EngineFailed.unavailable("The engine's answer cannot be read", e);
        }
        throw EngineFailed.rejected("The engine's answer is no object");
    }

    static byte[] toBytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }
}
