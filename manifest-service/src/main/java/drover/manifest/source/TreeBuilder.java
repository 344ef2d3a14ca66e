package drover.manifest.source;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.SourceLocation;
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
final class TreeBuilder {
    private final Iterator<Event> events;
    private final String file;
    private final ProblemCollector problems;
    private int values;

    TreeBuilder(Iterator<Event> events, String file) {
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
            return document();
        } catch (Aborted _) {
            return new ParseResult.Invalid<>(problems.found());
        }
    }

    private ParseResult<YamlNode> document() {
        next(); // the stream's start
        Event first = next();
        if (first.getEventId() == Event.ID.StreamEnd) {
            return YamlDocument.bad(
                    file,
                    SourceLocation.FILE,
                    ProblemCode.EMPTY,
                    "The file is empty: write the fields.");
        }
        YamlNode root = node(next(), "", 0);
        next(); // the document's end
        Event end = next();
        if (end.getEventId() != Event.ID.StreamEnd) {
            throw stop(
                    place(end, ""),
                    ProblemCode.YAML_SYNTAX,
                    "A second document begins here: keep one per file.");
        }
        return ParseResult.of(problems, () -> root);
    }

    private Event next() {
        return events.next();
    }

    private YamlNode node(Event event, String path, int depth) {
        SourceLocation place = place(event, path);
        values++;
        if (depth > FileLimits.DEEPEST) {
            throw stop(place, ProblemCode.TOO_DEEP, "Values are nested more than 20 deep.");
        }
        if (values > FileLimits.MOST_VALUES) {
            throw stop(place, ProblemCode.TOO_LARGE, "The file has more than 10,000 values.");
        }
        return switch (event) {
            case ScalarEvent scalar -> {
                plain(scalar, scalar.getTag(), place);
                yield new YamlNode.Scalar(place, scalar.getValue());
            }
            case SequenceStartEvent start -> {
                plain(start, start.getTag(), place);
                yield new YamlNode.Sequence(place, items(path, depth));
            }
            case MappingStartEvent start -> {
                plain(start, start.getTag(), place);
                yield new YamlNode.Mapping(place, fields(path, depth));
            }
            case AliasEvent _ ->
                    throw stop(
                            place,
                            ProblemCode.ALIAS_NOT_ALLOWED,
                            "Aliases ('*') are not allowed: write the value out.");
            default -> throw stop(place, ProblemCode.YAML_SYNTAX, "A value is missing here.");
        };
    }

    /** Refuses anchors and tags: neither changes anything a strict reader would accept. */
    private void plain(NodeEvent event, Optional<?> tag, SourceLocation place) {
        Optional<Anchor> anchor = event.getAnchor();
        if (anchor.isPresent()) {
            throw stop(
                    place,
                    ProblemCode.ALIAS_NOT_ALLOWED,
                    "Anchors ('&') are not allowed: put text that begins so in quotes.");
        }
        if (tag.isPresent()) {
            throw stop(
                    place,
                    ProblemCode.TAG_NOT_ALLOWED,
                    "Tags ('!') are not allowed: put text that begins so in quotes.");
        }
    }

    private List<YamlNode> items(String path, int depth) {
        List<YamlNode> items = new ArrayList<>();
        Event event = next();
        while (event.getEventId() != Event.ID.SequenceEnd) {
            items.add(node(event, path + "[" + items.size() + "]", depth + 1));
            event = next();
        }
        return items;
    }

    private List<YamlNode.Entry> fields(String path, int depth) {
        List<YamlNode.Entry> fields = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Event event = next();
        while (event.getEventId() != Event.ID.MappingEnd) {
            SourceLocation keyPlace = place(event, path);
            if (!(node(event, path, depth + 1)
                    instanceof YamlNode.Scalar(SourceLocation _, String key))) {
                throw stop(keyPlace, ProblemCode.WRONG_TYPE, "A key must be a single word.");
            }
            String fieldPath = path.isEmpty() ? key : path + "." + key;
            SourceLocation fieldPlace =
                    new SourceLocation(fieldPath, keyPlace.line(), keyPlace.column());
            YamlNode value = node(next(), fieldPath, depth + 1);
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

    private Aborted stop(SourceLocation place, ProblemCode code, String message) {
        problems.add(place, code, message);
        return new Aborted();
    }

    private static SourceLocation place(Event event, String path) {
        Optional<Mark> mark = event.getStartMark();
        return mark.map(at -> new SourceLocation(path, at.getLine() + 1, at.getColumn() + 1))
                .orElse(new SourceLocation(path, 0, 0));
    }
}
