package drover.manifest.render.template;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The template cases and what Go made of them; {@code src/test/go/main.go} writes the latter. */
final class GoldenCases {
    static final String CASES = "/goldens/cases.json";
    static final String EXPECTED = "/goldens/expected.json";

    private GoldenCases() {}

    /**
     * @param error true when Go refuses the template or its rendering
     */
    record Golden(String template, String output, boolean error) {}

    static List<Golden> expected() {
        return goldens(json(resource(EXPECTED)));
    }

    static List<Golden> goldens(JsonNode results) {
        List<Golden> goldens = new ArrayList<>();
        for (JsonNode result : results) {
            goldens.add(
                    new Golden(
                            result.get("template").asString(),
                            result.get("output").asString(),
                            result.get("error").asBoolean()));
        }
        return goldens;
    }

    static Map<String, Object> variables() {
        return map(json(resource(CASES)).get("variables"));
    }

    static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    static String resource(String name) {
        try (var stream = Objects.requireNonNull(GoldenCases.class.getResourceAsStream(name))) {
            return new String(stream.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> map(JsonNode node) {
        Map<String, Object> map = new LinkedHashMap<>();
        node.properties().forEach(entry -> map.put(entry.getKey(), value(entry.getValue())));
        return map;
    }

    /** Every number is a fraction, as Go's JSON makes it. */
    private static Object value(JsonNode node) {
        if (node.isObject()) {
            return map(node);
        }
        if (node.isArray()) {
            List<Object> list = new ArrayList<>();
            node.forEach(item -> list.add(value(item)));
            return list;
        }
        return node.isNumber()
                ? (Object) node.asDouble()
                : node.isBoolean() ? (Object) node.asBoolean() : node.asString();
    }
}
