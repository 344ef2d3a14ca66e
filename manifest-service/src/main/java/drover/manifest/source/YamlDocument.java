package drover.manifest.source;

import drover.manifest.check.Node;
import drover.manifest.check.Parsed;
import drover.manifest.check.Place;
import drover.manifest.check.Problem;
import drover.manifest.check.ProblemCode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads YAML 1.2 strictly into a located tree: no aliases, no tags, no duplicate keys, bounded in
 * size and depth (invariants H9, H10).
 */
public final class YamlDocument {
    private YamlDocument() {}

    /** Reads the bytes of a file. */
    public static Parsed<Node> read(byte[] bytes, String file) {
        try {
            return tree(FileText.decode(bytes), file);
        } catch (FileText.Unusable e) {
            return bad(file, Place.FILE, e.code(), "The file " + e.getMessage());
        }
    }

    private static Parsed<Node> tree(String text, String file) {
        LoadSettings settings = LoadSettings.builder().setLabel(file).setUseMarks(true).build();
        try {
            return new TreeBuilder(new Parse(settings).parseString(text).iterator(), file).build();
        } catch (MarkedYamlEngineException e) {
            Place place =
                    e.getProblemMark()
                            .or(e::getContextMark)
                            .map(mark -> new Place("", mark.getLine() + 1, mark.getColumn() + 1))
                            .orElse(Place.FILE);
            return bad(file, place, ProblemCode.YAML_SYNTAX, syntax(e.getProblem()));
        } catch (YamlEngineException e) {
            return bad(file, Place.FILE, ProblemCode.YAML_SYNTAX, syntax(e.getMessage()));
        }
    }

    /**
     * The library's words on one line, without the excerpt it may add.
     *
     * @param problem null when the library has no words for it
     */
    private static String syntax(@Nullable String problem) {
        String words = problem == null ? "it is malformed" : problem.lines().findFirst().orElse("");
        String printable = words.replaceAll("\\p{Cntrl}", "?");
        String brief = printable.length() <= 200 ? printable : printable.substring(0, 200) + "…";
        return "This is not YAML 1.2: " + brief + ". Correct the spelling or indentation here.";
    }

    static Parsed<Node> bad(String file, Place place, ProblemCode code, String message) {
        return new Parsed.Bad<>(List.of(new Problem(file, place, code, message)));
    }
}
