package drover.manifest.source;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;

/**
 * Builds the tree from the parser's events, so that no value is ever given a type and nothing is
 * expanded. What would make a bomb stops the reading at once; duplicate keys are collected.
 */
final class YamlTreeBuilder {
    private final Iterator<Event> events;
    private final String file;
    private final ProblemCollector problems;
    private int values;

    YamlTreeBuilder(Iterator<Event> events, String file) {
        this.events = events;
        this.file = file;
        problems = new ProblemCollector(file);
    }

    /** Ends the reading; everything behind it is unknown. */
    private static final class Aborted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Aborted() {
            super(null, null, false, false);
        }
    }

    ParseResult<YamlNode> build() {
        try {
            return buildDocument();
        } catch (Aborted _) {
            return new ParseResult.Invalid<>(problems.sortedProblems());
        }
    }

    private ParseResult<YamlNode> buildDocument() {
        next(); // the stream's start
        Event first = next();
        if (first.getEventId() == Event.ID.StreamEnd) {
            return YamlReader.invalid(
                    file,
                    FieldLocation.FILE,
                    ProblemCode.EMPTY,
                    "The file is empty: write the fields.");
        }
        YamlNode root = buildNode(next(), "", 0);
        next(); // the document's end
        Event end = next();
        if (end.getEventId() != Event.ID.StreamEnd) {
            throw abort(
                    locationOf(end, ""),
                    ProblemCode.YAML_SYNTAX,
                    "A second document begins here: keep one per file.");
        }
        return ParseResult.of(problems, () -> root);
    }

    private Event next() {
        return events.next();
    }

    private YamlNode buildNode(Event event, String path, int depth) {
        FieldLocation place = locationOf(event, path);
        values++;
        if (depth > FileLimits.DEEPEST) {
            throw abort(place, ProblemCode.TOO_DEEP, "Values are nested more than 20 deep.");
        }
        if (values > FileLimits.MOST_VALUES) {
            throw abort(place, ProblemCode.TOO_LARGE, "The file has more than 10,000 values.");
        }
        return switch (event) {
            case ScalarEvent scalar -> {
                rejectAnchorsAndTags(scalar, scalar.getTag(), place);
                yield new YamlNode.Scalar(place, scalar.getValue());
            }
            case SequenceStartEvent start -> {
                rejectAnchorsAndTags(start, start.getTag(), place);
                yield new YamlNode.Sequence(place, buildItems(path, depth));
            }
            case MappingStartEvent start -> {
                rejectAnchorsAndTags(start, start.getTag(), place);
                yield new YamlNode.Mapping(place, buildFields(path, depth));
            }
            case AliasEvent _ ->
                    throw abort(
                            place,
                            ProblemCode.ALIAS_NOT_ALLOWED,
                            "Aliases ('*') are not allowed: write the value out.");
            default -> throw abort(place, ProblemCode.YAML_SYNTAX, "A value is missing here.");
        };
    }

    /** Refuses anchors and tags: neither changes anything a strict reader would accept. */
    private void rejectAnchorsAndTags(NodeEvent event, Optional<?> tag, FieldLocation place) {
        Optional<Anchor> anchor = event.getAnchor();
        if (anchor.isPresent()) {
            throw abort(
                    place,
                    ProblemCode.ALIAS_NOT_ALLOWED,
                    "Anchors ('&') are not allowed: put text that begins so in quotes.");
        }
        if (tag.isPresent()) {
            throw abort(
                    place,
                    ProblemCode.TAG_NOT_ALLOWED,
                    "Tags ('!') are not allowed: put text that begins so in quotes.");
        }
    }

    private List<YamlNode> buildItems(String path, int depth) {
        List<YamlNode> items = new ArrayList<>();
        Event event = next();
        while (event.getEventId() != Event.ID.SequenceEnd) {
            items.add(buildNode(event, path + "[" + items.size() + "]", depth + 1));
            event = next();
        }
        return items;
    }

    private List<YamlNode.Entry> buildFields(String path, int depth) {
        List<YamlNode.Entry> fields = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Event event = next();
        while (event.getEventId() != Event.ID.MappingEnd) {
            FieldLocation keyPlace = locationOf(event, path);
            if (!(buildNode(event, path, depth + 1)
                    instanceof YamlNode.Scalar(FieldLocation _, String key))) {
                throw abort(keyPlace, ProblemCode.WRONG_TYPE, "A key must be a single word.");
            }
            String fieldPath = path.isEmpty() ? key : path + "." + key;
            FieldLocation fieldPlace =
                    new FieldLocation(fieldPath, keyPlace.line(), keyPlace.column());
            YamlNode value = buildNode(next(), fieldPath, depth + 1);
            if (seen.add(key)) {
                fields.add(new YamlNode.Entry(fieldPlace, key, value));
            } else {
                problems.add(
                        fieldPlace,
                        ProblemCode.DUPLICATE_KEY,
                        "This key stands twice in the same mapping: keep one.");
            }
            event = next();
        }
        return fields;
    }

    private Aborted abort(FieldLocation place, ProblemCode code, String message) {
        problems.add(place, code, message);
        return new Aborted();
    }

    private static FieldLocation locationOf(Event event, String path) {
        Optional<Mark> mark = event.getStartMark();
        return mark.map(at -> new FieldLocation(path, at.getLine() + 1, at.getColumn() + 1))
                .orElse(new FieldLocation(path, 0, 0));
    }
}
