package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
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
 * ParseResult#of} looks at the problems first.
 */
public final class FieldReader {
    private final FieldLocation place;
    private final Map<String, YamlNode> values = new LinkedHashMap<>();
    private final Map<String, FieldLocation> keys = new LinkedHashMap<>();
    private final Set<String> requested = new LinkedHashSet<>();
    private final ProblemCollector problems;

    private FieldReader(FieldLocation place, ProblemCollector problems) {
        this.place = place;
        this.problems = problems;
    }

    /** A reader of this node; of nothing, with the problem noted, when it is no mapping. */
    static FieldReader of(YamlNode node, ProblemCollector problems) {
        FieldReader reader = new FieldReader(node.location(), problems);
        if (node instanceof YamlNode.Mapping(FieldLocation _, List<YamlNode.Entry> fields)) {
            for (YamlNode.Entry field : fields) {
                reader.values.putIfAbsent(field.key(), field.value());
                reader.keys.putIfAbsent(field.key(), field.keyLocation());
            }
        } else {
            problems.add(
                    node.location(),
                    ProblemCode.WRONG_TYPE,
                    "Here stands " + node.kind() + ": write a mapping of keys to values.");
        }
        return reader;
    }

    FieldLocation location() {
        return place;
    }

    boolean has(String key) {
        requested.add(key);
        return values.containsKey(key);
    }

    /** Where a field's value stands, or the mapping when it is missing. */
    FieldLocation locationOf(String key) {
        YamlNode node = values.get(key);
        return node == null ? place.atField(key) : node.location();
    }

    /** Notes every key that nobody asked for. */
    void addUnknownKeyProblems() {
        keys.forEach(
                (key, at) -> {
                    if (!requested.contains(key)) {
                        problems.add(
                                at,
                                ProblemCode.UNKNOWN_KEY,
                                "The key '"
                                        + shorten(key)
                                        + "' is not known here: use "
                                        + String.join(", ", requested)
                                        + ".");
                    }
                });
    }

    Optional<YamlNode> node(String key) {
        requested.add(key);
        return Optional.ofNullable(values.get(key));
    }

    Optional<YamlNode> requiredNode(String key) {
        Optional<YamlNode> node = node(key);
        if (node.isEmpty()) {
            addMissingFieldProblem(key);
        }
        return node;
    }

    void addMissingFieldProblem(String key) {
        problems.add(
                place.atField(key),
                ProblemCode.MISSING_FIELD,
                "The field '" + key + "' is required.");
    }

    /** A required text that is not blank; empty when it is missing or wrong. */
    String requiredText(String key) {
        return requiredNode(key).map(this::nonBlankText).orElse("");
    }

    /** A text that is not blank when it is given; the fallback when it is not. */
    String textOrFallback(String key, String fallback) {
        return node(key).map(this::nonBlankText).orElse(fallback);
    }

    /** A text that may be blank. */
    String textOrEmpty(String key) {
        return node(key).map(node -> scalarText(node)).orElse("");
    }

    /** A required value of a type with a grammar; the stand-in when it is missing or wrong. */
    <T> T requiredValue(String key, Function<String, T> type, T standIn) {
        return parseValue(key, requiredText(key), type, standIn);
    }

    <T> T parseValue(String key, String text, Function<String, T> type, T standIn) {
        if (text.isEmpty()) {
            return standIn; // missing or blank: noted already
        }
        try {
            return type.apply(text);
        } catch (IllegalArgumentException e) {
            problems.add(locationOf(key), ProblemCode.MALFORMED_NAME, toSentence(e));
            return standIn;
        }
    }

    static String toSentence(IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        return message.endsWith(".") ? message : message + ".";
    }

    /** One of a few words. */
    String allowedTextOrFallback(String key, String fallback, List<String> allowed) {
        String text = textOrFallback(key, fallback);
        if (!text.isEmpty() && !allowed.contains(text)) {
            problems.add(
                    locationOf(key),
                    ProblemCode.UNKNOWN_VALUE,
                    "'"
                            + shorten(text)
                            + "' is not known: use "
                            + String.join(", ", allowed)
                            + ".");
            return fallback;
        }
        return text;
    }

    /** The elements of a list; none when it is not given. */
    List<YamlNode> items(String key, int most) {
        Optional<YamlNode> node = node(key);
        if (node.isEmpty()) {
            return List.of();
        }
        if (!(node.get() instanceof YamlNode.Sequence(FieldLocation at, List<YamlNode> items))) {
            addWrongTypeProblem(node.get(), "a list");
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
    List<String> textList(String key, int most) {
        List<String> texts = new ArrayList<>();
        items(key, most).forEach(item -> texts.add(scalarText(item)));
        return texts;
    }

    /** A mapping of free keys to texts, in the order written. */
    Map<String, String> textMap(String key, int most, KeyRule rule) {
        Map<String, String> map = new LinkedHashMap<>();
        Optional<YamlNode> node = node(key);
        if (node.isEmpty()) {
            return map;
        }
        if (!(node.get()
                instanceof YamlNode.Mapping(FieldLocation at, List<YamlNode.Entry> fields))) {
            addWrongTypeProblem(node.get(), "a mapping");
            return map;
        }
        if (fields.size() > most) {
            problems.add(
                    at,
                    ProblemCode.TOO_MANY,
                    "There are " + fields.size() + ": use at most " + most + ".");
            return map;
        }
        for (YamlNode.Entry field : fields) {
            rule.check(field, problems);
            map.put(field.key(), scalarText(field.value()));
        }
        return map;
    }

    /** Checks the keys of a free mapping. */
    interface KeyRule {
        void check(YamlNode.Entry field, ProblemCollector problems);
    }

    private String nonBlankText(YamlNode node) {
        String text = scalarText(node);
        if (node instanceof YamlNode.Scalar(FieldLocation _, String value) && value.isBlank()) {
            problems.add(
                    node.location(),
                    ProblemCode.BLANK_FIELD,
                    "This field has no value: write one.");
            return "";
        }
        return text;
    }

    private String scalarText(YamlNode node) {
        if (!(node instanceof YamlNode.Scalar(FieldLocation at, String value))) {
            addWrongTypeProblem(node, "a single value");
            return "";
        }
        if (value.codePoints().anyMatch(FieldReader::isForbiddenCodePoint)) {
            problems.add(
                    at,
                    ProblemCode.MALFORMED_NAME,
                    "This value has a control character in it: take it out.");
            return "";
        }
        return value;
    }

    /** What no command line or file can carry: controls but line ends and tabs, half characters. */
    private static boolean isForbiddenCodePoint(int c) {
        return (Character.isISOControl(c) && c != '\n' && c != '\r' && c != '\t')
                || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private void addWrongTypeProblem(YamlNode node, String wanted) {
        problems.add(
                node.location(),
                ProblemCode.WRONG_TYPE,
                "Here stands " + node.kind() + ": write " + wanted + ".");
    }

    public static String shorten(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
}
