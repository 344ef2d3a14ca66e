package drover.manifest.source;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
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
public final class YamlReader {
    private YamlReader() {}

    /** Reads the bytes of a file. */
    public static ParseResult<YamlNode> read(byte[] bytes, String file) {
        try {
            return parseTree(FileTextDecoder.decode(bytes), file);
        } catch (FileTextDecoder.TooLargeOrNotUtf8 e) {
            return invalid(file, FieldLocation.FILE, e.code(), "The file " + e.getMessage());
        }
    }

    private static ParseResult<YamlNode> parseTree(String text, String file) {
        LoadSettings settings = LoadSettings.builder().setLabel(file).setUseMarks(true).build();
        try {
            return new YamlTreeBuilder(new Parse(settings).parseString(text).iterator(), file)
                    .build();
        } catch (MarkedYamlEngineException e) {
            FieldLocation place =
                    e.getProblemMark()
                            .or(e::getContextMark)
                            .map(
                                    mark ->
                                            new FieldLocation(
                                                    "", mark.getLine() + 1, mark.getColumn() + 1))
                            .orElse(FieldLocation.FILE);
            return invalid(file, place, ProblemCode.YAML_SYNTAX, syntaxMessage(e.getProblem()));
        } catch (YamlEngineException e) {
            return invalid(
                    file,
                    FieldLocation.FILE,
                    ProblemCode.YAML_SYNTAX,
                    syntaxMessage(e.getMessage()));
        }
    }

    /**
     * The library's words on one line, without the excerpt it may add.
     *
     * @param problem null when the library has no words for it
     */
    private static String syntaxMessage(@Nullable String problem) {
        String words = problem == null ? "it is malformed" : problem.lines().findFirst().orElse("");
        String printable = words.replaceAll("\\p{Cntrl}", "?");
        String brief = printable.length() <= 200 ? printable : printable.substring(0, 200) + "…";
        return "This is not YAML 1.2: " + brief + ". Correct the spelling or indentation here.";
    }

    static ParseResult<YamlNode> invalid(
            String file, FieldLocation place, ProblemCode code, String message) {
        return new ParseResult.Invalid<>(
                List.of(new ValidationProblem(file, place, code, message)));
    }
}
