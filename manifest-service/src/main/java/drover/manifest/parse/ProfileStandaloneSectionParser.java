package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Parses the {@code standalone} part of a profile. */
final class ProfileStandaloneSectionParser {
    private static final Pattern PREFIX = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?");
    private static final Pattern LABEL =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,98}[A-Za-z0-9_])?");
    private static final int MOST_LABELS = 100;
    private static final int MOST_PROGRAMS = 20;

    private ProfileStandaloneSectionParser() {}

    static StandaloneNodeTemplate parse(
            FieldReader reader, Set<BinaryName> known, ProblemCollector problems) {
        String prefix =
                reader.requiredValue(
                        "name_prefix", ProfileStandaloneSectionParser::requireValidPrefix, "x");
        NodeType type = reader.requiredValue("node_type", NodeType::new, new NodeType("x"));
        Map<String, String> labels =
                reader.textMap(
                        "labels", MOST_LABELS, ProfileStandaloneSectionParser::checkLabelName);
        List<StandaloneNodeTemplate.InitialProgram> programs = new ArrayList<>();
        for (YamlNode item : reader.items("programs", MOST_PROGRAMS)) {
            programs.add(parseInitialProgram(FieldReader.of(item, problems), known, problems));
        }
        if (programs.isEmpty()) {
            problems.add(
                    reader.locationOf("programs"),
                    ProblemCode.MISSING_FIELD,
                    "The field 'programs' is required, with what is installed at first.");
        }
        reader.addUnknownKeyProblems();
        return new StandaloneNodeTemplate(prefix, type, labels, programs);
    }

    private static StandaloneNodeTemplate.InitialProgram parseInitialProgram(
            FieldReader fields, Set<BinaryName> known, ProblemCollector problems) {
        BinaryName standIn = new BinaryName("stand-in");
        BinaryName name = fields.requiredValue("name", BinaryName::new, standIn);
        if (!name.equals(standIn) && !known.contains(name)) {
            problems.add(
                    fields.locationOf("name"),
                    ProblemCode.PROGRAM_NOT_FOUND,
                    "This profile has no program '" + name + "': use the name of one above.");
        }
        Version version = fields.requiredValue("version", Version::new, new Version("x"));
        Artifact artifact = ArtifactParser.readUnsized(fields, "url", "checksum", problems);
        fields.addUnknownKeyProblems();
        return new StandaloneNodeTemplate.InitialProgram(
                name, version, artifact.url(), artifact.checksum());
    }

    private static String requireValidPrefix(String text) {
        if (!PREFIX.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + FieldReader.shorten(text)
                            + "' is not allowed: use 1 to 50 lower-case letters, digits and inner"
                            + " hyphens.");
        }
        return text;
    }

    private static void checkLabelName(YamlNode.Entry field, ProblemCollector problems) {
        if (!LABEL.matcher(field.key()).matches()) {
            problems.add(
                    field.keyLocation(),
                    ProblemCode.MALFORMED_NAME,
                    "'"
                            + FieldReader.shorten(field.key())
                            + "' is no label: use letters, digits, dots, hyphens and underscores.");
        }
    }
}
