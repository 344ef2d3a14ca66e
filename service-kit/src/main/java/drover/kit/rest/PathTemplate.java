package drover.kit.rest;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A path of the contracts, such as {@code /api/v1/rollouts/{rollout_id}/nodes}. Where several
 * match, the one with the earlier literal segment wins: {@code /manifests/validate} before {@code
 * /manifests/{id}}.
 */
public record PathTemplate(List<Segment> segments) implements Comparable<PathTemplate> {
    /** One part between slashes. */
    public sealed interface Segment {
        /** Must be exactly this. */
        record Literal(String text) implements Segment {}

        /** Anything not empty, for a field of the request. */
        record Capture(String field) implements Segment {}
    }

    private static final Comparator<Segment> LITERALS_FIRST =
            Comparator.comparing(segment -> segment instanceof Segment.Capture);

    public PathTemplate {
        segments = List.copyOf(segments);
    }

    /**
     * @throws IllegalArgumentException for forms the contracts do not use, such as {@code {a=b/*}}
     */
    static PathTemplate parse(String template) {
        List<Segment> segments = new ArrayList<>();
        for (String part : split(template)) {
            if (part.matches("\\{[a-z0-9_]+}")) {
                segments.add(new Segment.Capture(part.substring(1, part.length() - 1)));
            } else if (part.matches("[A-Za-z0-9._~-]+")) {
                segments.add(new Segment.Literal(part));
            } else {
                throw new IllegalArgumentException("Path template not supported: " + template);
            }
        }
        return new PathTemplate(segments);
    }

    /** As the contracts write it. */
    public String text() {
        return segments.stream()
                .map(
                        segment ->
                                switch (segment) {
                                    case Segment.Literal(String text) -> "/" + text;
                                    case Segment.Capture(String field) -> "/{" + field + "}";
                                })
                .collect(Collectors.joining());
    }

    /** The decoded captures by field, or empty when the path is another. */
    Optional<Map<String, String>> match(String path) {
        List<String> parts = split(path);
        if (parts.size() != segments.size()) {
            return Optional.empty();
        }
        Map<String, String> captures = new LinkedHashMap<>();
        for (int i = 0; i < parts.size(); i++) {
            String part = decodeSegmentOrEmpty(parts.get(i));
            boolean matches =
                    switch (segments.get(i)) {
                        case Segment.Literal(String text) -> text.equals(part);
                        case Segment.Capture(String field) -> {
                            captures.put(field, part);
                            yield !part.isEmpty();
                        }
                    };
            if (!matches) {
                return Optional.empty();
            }
        }
        return Optional.of(captures);
    }

    @Override
    public int compareTo(PathTemplate other) {
        for (int i = 0; i < Math.min(segments.size(), other.segments.size()); i++) {
            int order = LITERALS_FIRST.compare(segments.get(i), other.segments.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(segments.size(), other.segments.size());
    }

    private static List<String> split(String path) {
        return List.of(path.substring(1).split("/", -1));
    }

    /** In a path a plus is a plus, unlike in a query. A broken escape matches nothing. */
    private static String decodeSegmentOrEmpty(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return ""; // no capture takes an empty segment
        }
    }
}
