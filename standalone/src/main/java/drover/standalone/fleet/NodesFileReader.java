package drover.standalone.fleet;

import drover.localenv.UserFacingError;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.model.program.DownloadAddress;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads {@code {config}/nodes.yaml}, strictly: unknown and duplicate keys, wrong types and
 * malformed names are problems, all told at once, each with its line. Scalars are text, whatever
 * they look like ({@code 1.10} stays {@code 1.10}).
 */
public final class NodesFileReader {
    private static final int LARGEST = 256 << 10; // 1,000 nodes take about 150 KiB
    private static final Set<String> KEYS =
            Set.of("name", "chain", "type", "labels", "agent", "programs");
    private static final Set<String> AGENTS = Set.of("standalone", "external");

    private final NodesFileProblemCollector problems;
    private final Set<String> names = new HashSet<>();

    private NodesFileReader(NodesFileProblemCollector problems) {
        this.problems = problems;
    }

    /**
     * The nodes of a file, in its order.
     *
     * @throws UserFacingError with every problem of the file
     */
    public static List<PlannedNode> read(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new UserFacingError(file + " is larger than 256 KiB; split the fleet.");
            }
            String text = Files.readString(file);
            int nul = text.indexOf('\0'); // UTF-16 of ASCII is valid UTF-8, with NULs
            if (nul == 0 || nul == 1) {
                throw new CharacterCodingException();
            }
            return parse(String.valueOf(file.getFileName()), text);
        } catch (CharacterCodingException e) {
            throw new UserFacingError(file + " is not UTF-8 text; save it as such.", e);
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be read; check that it is there.", e);
        }
    }

    /**
     * @param name how the file is called in problems
     * @throws UserFacingError with every problem of the text
     */
    static List<PlannedNode> parse(String name, String text) {
        NodesFileProblemCollector problems = new NodesFileProblemCollector(name);
        List<PlannedNode> nodes =
                new NodesFileReader(problems).nodes(new YamlTreeReader(problems), text);
        problems.throwIfAny();
        return nodes;
    }

    private List<PlannedNode> nodes(YamlTreeReader tree, String text) {
        Node root = tree.compose(text);
        if (root == null) {
            return List.of();
        }
        YamlTreeReader.Fields top = tree.fields(root, "", Set.of("nodes"));
        List<PlannedNode> nodes = new ArrayList<>();
        for (YamlTreeReader.Item item : top.itemsOrReportProblem("nodes")) {
            PlannedNode node = node(tree.fields(item.node(), item.path(), KEYS));
            if (node != null) {
                nodes.add(node);
            }
        }
        if (nodes.isEmpty()) {
            problems.add(0, "nodes", "write at least one node");
        }
        return nodes;
    }

    private @Nullable PlannedNode node(YamlTreeReader.Fields fields) {
        NodeId name = parseField(fields, "name", NodeId::new);
        ChainProfileId chain = parseField(fields, "chain", ChainProfileId::new);
        NodeType type = parseField(fields, "type", NodeType::new);
        Map<String, String> labels = new LinkedHashMap<>(fields.texts("labels"));
        List<InitialProgram> programs = new ArrayList<>();
        for (YamlTreeReader.Item item : fields.itemsOrReportProblem("programs")) {
            InitialProgram program =
                    program(
                            fields.tree()
                                    .fields(
                                            item.node(),
                                            item.path(),
                                            Set.of("name", "version", "url", "checksum")));
            if (program != null) {
                programs.add(program);
            }
        }
        boolean externalAgent = hasExternalAgent(fields);
        if (name == null || chain == null || type == null) {
            return null;
        }
        if (!names.add(name.value())) {
            problems.add(fields.line(), fields.path() + ".name", "'" + name + "' is there twice");
        }
        return new PlannedNode(name, chain, type, labels, programs, externalAgent);
    }

    /** Whether somebody else runs the node's agent; left out, the mesh does. */
    private boolean hasExternalAgent(YamlTreeReader.Fields fields) {
        String word = fields.has("agent") ? fields.textOrReportProblem("agent") : "standalone";
        if (word != null && !AGENTS.contains(word)) {
            problems.add(
                    fields.line("agent"),
                    fields.path() + ".agent",
                    "'" + word + "' is not known here; write standalone or external");
        }
        return "external".equals(word);
    }

    private @Nullable InitialProgram program(YamlTreeReader.Fields fields) {
        BinaryName name = parseField(fields, "name", BinaryName::new);
        Version version = parseField(fields, "version", Version::new);
        String url = parseField(fields, "url", NodesFileReader::requireUrl);
        Digest checksum = parseField(fields, "checksum", Digest::new);
        return name == null || version == null || url == null || checksum == null
                ? null
                : new InitialProgram(name, version, url, checksum);
    }

    private static String requireUrl(String text) {
        DownloadAddress.parse(text);
        return text;
    }

    private <T> @Nullable T parseField(
            YamlTreeReader.Fields fields, String key, Function<String, T> grammar) {
        String text = fields.textOrReportProblem(key);
        if (text == null) {
            return null;
        }
        try {
            return grammar.apply(text);
        } catch (IllegalArgumentException e) { // MalformedValue among them
            problems.add(fields.line(key), fields.path() + "." + key, e.getMessage() + "");
        }
        return null;
    }
}
