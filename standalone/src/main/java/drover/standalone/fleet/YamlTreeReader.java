package drover.standalone.fleet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads YAML as mappings, lists and texts with their lines; anything else is a problem. */
final class YamlTreeReader {
    private static final LoadSettings SETTINGS =
            LoadSettings.builder()
                    .setLabel("nodes file")
                    .setUseMarks(true)
                    .setAllowDuplicateKeys(true) // told as a problem of ours, with its line
                    .setAllowRecursiveKeys(false)
                    .setMaxAliasesForCollections(0) // no bombs (invariant H9)
                    .setCodePointLimit(256 << 10)
                    .build();

    private final NodesFileProblemCollector problems;

    YamlTreeReader(NodesFileProblemCollector problems) {
        this.problems = problems;
    }

    /**
     * One element of a list.
     *
     * @param path for example {@code nodes[0]}
     */
    record Item(Node node, String path) {}

    /** The document, or null when it is no YAML; the problem is told then. */
    @Nullable Node compose(String text) {
        try {
            Optional<Node> root = new Compose(SETTINGS).composeString(text);
            if (root.isEmpty()) {
                problems.add(0, "", "it is empty; write 'nodes:' and a list");
            }
            return root.orElse(null);
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
            problems.add(line, "", "this is no YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            problems.add(0, "", "this is no YAML: " + e.getMessage());
        }
        return null;
    }

    /** The keys of a mapping, those that are not {@code known} told as problems. */
    Fields fields(Node node, String path, Set<String> known) {
        Map<String, NodeTuple> tuples = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping)) {
            problems.add(line(node), path, "write keys and values here: " + formatSorted(known));
            return new Fields(this, path, line(node), Map.of(), true);
        }
        for (NodeTuple tuple : mapping.getValue()) {
            String key = scalarOrNull(tuple.getKeyNode());
            if (key == null || !known.contains(key)) {
                problems.add(
                        line(tuple.getKeyNode()),
                        path,
                        "'" + key + "' is not known here; known are " + formatSorted(known));
            } else if (tuples.putIfAbsent(key, tuple) != null) {
                problems.add(line(tuple.getKeyNode()), path, "'" + key + "' is there twice");
            }
        }
        return new Fields(this, path, line(node), tuples, false);
    }

    /** The keys of one mapping. */
    record Fields(
            YamlTreeReader tree,
            String path,
            int line,
            Map<String, NodeTuple> tuples,
            boolean alreadyRefused) {
        /** A text that must be there, or null when it is not; the problem is told then. */
        @Nullable String textOrReportProblem(String key) {
            Node value = valueOrReportMissing(key);
            if (value == null) {
                return null;
            }
            String text = scalarOrNull(value);
            if (text == null || text.isBlank()) {
                tree.problems.add(tree.line(value), fieldPath(key), "write a text here");
                return null;
            }
            return text;
        }

        /** Whether a key is there. */
        boolean has(String key) {
            return tuples.containsKey(key);
        }

        /** The line of a key, or of the mapping when it is not there. */
        int line(String key) {
            NodeTuple tuple = tuples.get(key);
            return tuple == null ? line : tree.line(tuple.getKeyNode());
        }

        /** The elements of a list that must be there. */
        List<Item> itemsOrReportProblem(String key) {
            Node value = valueOrReportMissing(key);
            if (value == null) {
                return List.of();
            }
            if (!(value instanceof SequenceNode sequence)) {
                tree.problems.add(tree.line(value), fieldPath(key), "write a list here");
                return List.of();
            }
            List<Item> items = new ArrayList<>();
            for (Node element : sequence.getValue()) {
                items.add(new Item(element, fieldPath(key) + "[" + items.size() + "]"));
            }
            return items;
        }

        /** A mapping of texts that may be absent. */
        Map<String, String> texts(String key) {
            NodeTuple tuple = tuples.get(key);
            if (tuple == null) {
                return Map.of();
            }
            Map<String, String> texts = new LinkedHashMap<>();
            if (!(tuple.getValueNode() instanceof MappingNode mapping)) {
                tree.problems.add(line(key), fieldPath(key), "write names and texts here");
                return texts;
            }
            for (NodeTuple entry : mapping.getValue()) {
                String name = scalarOrNull(entry.getKeyNode());
                String text = scalarOrNull(entry.getValueNode());
                if (name == null || text == null) {
                    tree.problems.add(
                            tree.line(entry.getKeyNode()), fieldPath(key), "write name: text");
                } else if (texts.put(name, text) != null) {
                    tree.problems.add(
                            tree.line(entry.getKeyNode()),
                            fieldPath(key),
                            "'" + name + "' is there twice");
                }
            }
            return texts;
        }

        private @Nullable Node valueOrReportMissing(String key) {
            NodeTuple tuple = tuples.get(key);
            if (tuple == null) {
                if (!alreadyRefused) {
                    tree.problems.add(line, path, "'" + key + "' is missing");
                }
                return null;
            }
            return tuple.getValueNode();
        }

        private String fieldPath(String key) {
            return path.isEmpty() ? key : path + "." + key;
        }
    }

    private static @Nullable String scalarOrNull(Node node) {
        return node instanceof ScalarNode scalar ? scalar.getValue() : null;
    }

    private int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    private static String formatSorted(Set<String> known) {
        return String.join(", ", known.stream().sorted().toList());
    }
}
