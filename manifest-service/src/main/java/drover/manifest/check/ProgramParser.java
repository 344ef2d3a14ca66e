package drover.manifest.check;

import drover.model.BinaryName;
import drover.model.NodePath;
import drover.model.ProgramIdentity;
import drover.model.RuntimeName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Parses one program of a profile. */
final class ProgramParser {
    private static final Pattern SERVICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9@_.:-]{0,199}");
    private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");
    private static final Pattern ENVIRONMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
    private static final int MOST = 200;
    private static final int MOST_PROBES = 20;

    private final Reader reader;
    private final RuntimeName runtime;
    private final Problems problems;

    ProgramParser(Reader reader, RuntimeName runtime, Problems problems) {
        this.reader = reader;
        this.runtime = runtime;
        this.problems = problems;
    }

    Program program() {
        BinaryName name = reader.named("name", BinaryName::new, new BinaryName("x"));
        NodePath path = reader.named("path", NodePath::new, new NodePath("/x"));
        String service = matching("service", SERVICE, "a unit or container name");
        if (service.isEmpty() && runtime.needsService()) {
            reader.missing("service");
        }
        List<String> arguments = reader.texts("arguments", MOST);
        Map<String, String> environment =
                reader.textMap("environment", MOST, ProgramParser::checkEnvironment);
        templates(arguments, environment);
        String user = matching("user", USER, "the name of an operating system user");
        ProgramIdentity identity =
                reader.oneOf("identity", "exe", List.of("exe", "file")).equals("file")
                        ? ProgramIdentity.FILE
                        : ProgramIdentity.EXE;
        List<ProbeTemplate> probes = probes();
        List<ConfigChange> configs = ConfigChangeParser.parse(reader, "configs", problems);
        reader.finish();
        return new Program(
                name, path, service, arguments, environment, user, identity, probes, configs);
    }

    private void templates(List<String> arguments, Map<String, String> environment) {
        for (int i = 0; i < arguments.size(); i++) {
            InlineTemplates.check(
                    arguments.get(i), element("arguments", i).orElse(reader.place()), problems);
        }
        reader.node("environment")
                .ifPresent(
                        node -> {
                            if (node instanceof Node.Fields(Place _, List<Node.Field> fields)) {
                                fields.forEach(
                                        field ->
                                                InlineTemplates.check(
                                                        environment.getOrDefault(field.key(), ""),
                                                        field.value().place(),
                                                        problems));
                            }
                        });
    }

    private Optional<Place> element(String key, int index) {
        return reader.node(key)
                .flatMap(
                        node ->
                                node instanceof Node.Items(Place _, List<Node> items)
                                        ? Optional.of(items.get(index).place())
                                        : Optional.empty());
    }

    private String matching(String key, Pattern grammar, String what) {
        String text = reader.optional(key, "");
        if (!text.isEmpty() && !grammar.matcher(text).matches()) {
            problems.add(
                    reader.placeOf(key),
                    ProblemCode.MALFORMED_NAME,
                    "'" + Reader.shortened(text) + "' is not allowed: write " + what + ".");
        }
        return text;
    }

    private static void checkEnvironment(Node.Field field, Problems problems) {
        if (!ENVIRONMENT.matcher(field.key()).matches()) {
            problems.add(
                    field.keyPlace(),
                    ProblemCode.MALFORMED_NAME,
                    "'"
                            + Reader.shortened(field.key())
                            + "' is no name of an environment variable: use letters, digits and"
                            + " underscores.");
        }
    }

    private List<ProbeTemplate> probes() {
        List<ProbeTemplate> probes = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Node item : reader.items("probes", MOST_PROBES)) {
            Reader fields = Reader.of(item, problems);
            ProbeTemplate probe = new ProbeParser(fields, problems).probe();
            if (!probe.name().isEmpty() && !seen.add(probe.name())) {
                problems.add(
                        fields.placeOf("name"),
                        ProblemCode.DUPLICATE_NAME,
                        "The probe '" + probe.name() + "' stands twice: keep one.");
            }
            probes.add(probe);
        }
        return probes;
    }
}
