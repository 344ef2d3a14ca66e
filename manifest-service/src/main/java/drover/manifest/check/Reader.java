package drover.manifest.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads the fields of one mapping and notes every problem. Where a value is wrong it hands out a
 * stand-in, so that reading goes on; nothing built from stand-ins is ever used, because {@link
 * Parsed#of} looks at the problems first.
 */
final class Reader {
    private final Place place;
    private final Map<String, Node> values = new LinkedHashMap<>();
    private final Map<String, Place> keys = new LinkedHashMap<>();
    private final Set<String> asked = new LinkedHashSet<>();
    private final Problems problems;

    private Reader(Place place, Problems problems) {
        this.place = place;
        this.problems = problems;
    }

    /** A reader of this node; of nothing, with the problem noted, when it is no mapping. */
    static Reader of(Node node, Problems problems) {
        Reader reader = new Reader(node.place(), problems);
        if (node instanceof Node.Fields(Place _, List<Node.Field> fields)) {
            for (Node.Field field : fields) {
                reader.values.putIfAbsent(field.key(), field.value());
                reader.keys.putIfAbsent(field.key(), field.keyPlace());
            }
        } else {
            problems.add(
                    node.place(),
                    ProblemCode.WRONG_TYPE,
                    "Here stands " + node.kind() + ": write a mapping of keys to values.");
        }
        return reader;
    }

    Place place() {
        return place;
    }

    boolean has(String key) {
        asked.add(key);
        return values.containsKey(key);
    }

    /** Where a field's value stands, or the mapping when it is missing. */
    Place placeOf(String key) {
        Node node = values.get(key);
        return node == null ? place.at(key) : node.place();
    }

    /** Notes every key that nobody asked for. */
    void finish() {
        keys.forEach(
                (key, at) -> {
                    if (!asked.contains(key)) {
                        problems.add(
                                at,
                                ProblemCode.UNKNOWN_KEY,
                                "The key '"
                                        + shortened(key)
                                        + "' is not known here: use "
                                        + String.join(", ", asked)
                                        + ".");
                    }
                });
    }

    Optional<Node> node(String key) {
        asked.add(key);
        return Optional.ofNullable(values.get(key));
    }

    Optional<Node> requiredNode(String key) {
        Optional<Node> node = node(key);
        if (node.isEmpty()) {
            missing(key);
        }
        return node;
    }

    void missing(String key) {
        problems.add(
                place.at(key), ProblemCode.MISSING_FIELD, "The field '" + key + "' is required.");
    }

    /** A required text that is not blank; empty when it is missing or wrong. */
    String required(String key) {
        return requiredNode(key).map(this::text).orElse("");
    }

    /** A text that is not blank when it is given; the fallback when it is not. */
    String optional(String key, String fallback) {
        return node(key).map(this::text).orElse(fallback);
    }

    /** A text that may be blank. */
    String free(String key) {
        return node(key).map(node -> single(node)).orElse("");
    }

    /** A required value of a type with a grammar; the stand-in when it is missing or wrong. */
    <T> T named(String key, Function<String, T> type, T standIn) {
        return typed(key, required(key), type, standIn);
    }

    <T> T typed(String key, String text, Function<String, T> type, T standIn) {
        if (text.isEmpty()) {
            return standIn; // missing or blank: noted already
        }
        try {
            return type.apply(text);
        } catch (IllegalArgumentException e) {
            problems.add(placeOf(key), ProblemCode.MALFORMED_NAME, sentence(e));
            return standIn;
        }
    }

    static String sentence(IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        return message.endsWith(".") ? message : message + ".";
    }

    /** One of a few words. */
    String oneOf(String key, String fallback, List<String> allowed) {
        String text = optional(key, fallback);
        if (!text.isEmpty() && !allowed.contains(text)) {
            problems.add(
                    placeOf(key),
                    ProblemCode.UNKNOWN_VALUE,
                    "'"
                            + shortened(text)
                            + "' is not known: use "
                            + String.join(", ", allowed)
                            + ".");
            return fallback;
        }
        return text;
    }

    /** The elements of a list; none when it is not given. */
    List<Node> items(String key, int most) {
        Optional<Node> node = node(key);
        if (node.isEmpty()) {
            return List.of();
        }
        if (!(node.get() instanceof Node.Items(Place at, List<Node> items))) {
            wrongType(node.get(), "a list");
            return List.of();
        }
        if (items.size() > most) {
            problems.add(
                    at,
                    ProblemCode.TOO_MANY,
                    "There are " + items.size() + ": use at most " + most + ".");
            return List.of();
        }
        return items;
    }

    /** A list of texts, which may be blank. */
    List<String> texts(String key, int most) {
        List<String> texts = new ArrayList<>();
        items(key, most).forEach(item -> texts.add(single(item)));
        return texts;
    }

    /** A mapping of free keys to texts, in the order written. */
    Map<String, String> textMap(String key, int most, KeyRule rule) {
        Map<String, String> map = new LinkedHashMap<>();
        Optional<Node> node = node(key);
        if (node.isEmpty()) {
            return map;
        }
        if (!(node.get() instanceof Node.Fields(Place at, List<Node.Field> fields))) {
            wrongType(node.get(), "a mapping");
            return map;
        }
        if (fields.size() > most) {
            problems.add(
                    at,
                    ProblemCode.TOO_MANY,
                    "There are " + fields.size() + ": use at most " + most + ".");
            return map;
        }
        for (Node.Field field : fields) {
            rule.check(field, problems);
            map.put(field.key(), single(field.value()));
        }
        return map;
    }

    /** Checks the keys of a free mapping. */
    interface KeyRule {
        void check(Node.Field field, Problems problems);
    }

    private String text(Node node) {
        String text = single(node);
        if (node instanceof Node.Text(Place _, String value) && value.isBlank()) {
            problems.add(
                    node.place(), ProblemCode.BLANK_FIELD, "This field has no value: write one.");
            return "";
        }
        return text;
    }

    private String single(Node node) {
        if (!(node instanceof Node.Text(Place at, String value))) {
            wrongType(node, "a single value");
            return "";
        }
        if (value.codePoints().anyMatch(Reader::isUnspeakable)) {
            problems.add(
                    at,
                    ProblemCode.MALFORMED_NAME,
                    "This value has a control character in it: take it out.");
            return "";
        }
        return value;
    }

    /** What no command line or file can carry: controls but line ends and tabs, half characters. */
    private static boolean isUnspeakable(int c) {
        return (Character.isISOControl(c) && c != '\n' && c != '\r' && c != '\t')
                || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private void wrongType(Node node, String wanted) {
        problems.add(
                node.place(),
                ProblemCode.WRONG_TYPE,
                "Here stands " + node.kind() + ": write " + wanted + ".");
    }

    static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
}
