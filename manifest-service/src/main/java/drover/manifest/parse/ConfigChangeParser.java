package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import drover.model.NodePath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Parses lists of configuration files and the variables in them. */
final class ConfigChangeParser {
    private static final NodePath STAND_IN = new NodePath("/(wrong)");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
    private static final int MOST_VARIABLES = 500;

    private ConfigChangeParser() {}

    /** The {@code configs} of a program in a chain profile. */
    static List<TemplatedConfigFile> parseConfigs(FieldReader reader, ProblemCollector problems) {
        return parse(
                reader,
                "configs",
                problems,
                fields ->
                        ConfigWritePolicy.ofKeyword(
                                fields.allowedTextOrFallback(
                                        "managed", "always", ConfigWritePolicy.KEYWORDS)));
    }

    /** The {@code config_changes} of a manifest. */
    static List<TemplatedConfigFile> parseChanges(FieldReader reader, ProblemCollector problems) {
        return parse(reader, "config_changes", problems, _ -> ConfigWritePolicy.ALWAYS);
    }

    private static List<TemplatedConfigFile> parse(
            FieldReader reader,
            String key,
            ProblemCollector problems,
            Function<FieldReader, ConfigWritePolicy> management) {
        List<TemplatedConfigFile> changes = new ArrayList<>();
        Set<NodePath> paths = new HashSet<>();
        for (YamlNode item : reader.items(key, TemplatedConfigFile.MOST_FILES)) {
            FieldReader fields = FieldReader.of(item, problems);
            NodePath path = fields.requiredValue("path", NodePath::new, STAND_IN);
            if (!path.equals(STAND_IN) && !paths.add(path)) {
                problems.add(
                        fields.locationOf("path"),
                        ProblemCode.DUPLICATE_NAME,
                        "The path '" + path + "' stands twice: keep one.");
            }
            String template = fields.requiredValue("template", TemplateNameRules::requireValid, "");
            Map<String, String> overrides = parseVariables(fields, "overrides");
            changes.add(
                    new TemplatedConfigFile(path, template, overrides, management.apply(fields)));
            fields.addUnknownKeyProblems();
        }
        return changes;
    }

    static Map<String, String> parseVariables(FieldReader reader, String key) {
        return reader.textMap(key, MOST_VARIABLES, ConfigChangeParser::checkVariableName);
    }

    private static void checkVariableName(YamlNode.Entry field, ProblemCollector problems) {
        if (!VARIABLE.matcher(field.key()).matches()) {
            problems.add(
                    field.keyLocation(),
                    ProblemCode.MALFORMED_NAME,
                    "'"
                            + FieldReader.shorten(field.key())
                            + "' is no name of a variable: use letters, digits and underscores.");
        }
        if (TemplatedConfigFile.RESERVED_VARIABLES.contains(field.key())) {
            problems.add(
                    field.keyLocation(),
                    ProblemCode.RESERVED_NAME,
                    "Drover itself gives '" + field.key() + "' its value: use another name.");
        }
    }
}
