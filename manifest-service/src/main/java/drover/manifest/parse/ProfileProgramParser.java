package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ProgramDigestSource;
import drover.model.program.RuntimeName;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Parses one program of a profile. */
final class ProfileProgramParser {
    private static final Pattern SERVICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9@_.:-]{0,199}");
    private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");
    private static final Pattern ENVIRONMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
    private static final int MOST = 200;
    private static final int MOST_PROBES = 20;

    private final FieldReader reader;
    private final RuntimeName runtime;
    private final ProblemCollector problems;

    ProfileProgramParser(FieldReader reader, RuntimeName runtime, ProblemCollector problems) {
        this.reader = reader;
        this.runtime = runtime;
        this.problems = problems;
    }

    ProgramTemplate parse() {
        BinaryName name = reader.requiredValue("name", BinaryName::new, new BinaryName("x"));
        NodePath path = reader.requiredValue("path", NodePath::new, new NodePath("/x"));
        String service = readAndCheckPattern("service", SERVICE, "a unit or container name");
        if (service.isEmpty() && runtime.needsServiceName()) {
            reader.addMissingFieldProblem("service");
        }
        List<String> arguments = reader.textList("arguments", MOST);
        Map<String, String> environment =
                reader.textMap("environment", MOST, ProfileProgramParser::checkEnvironmentName);
        checkTemplates(arguments, environment);
        String user = readAndCheckPattern("user", USER, "the name of an operating system user");
        ProgramDigestSource identity =
                reader.allowedTextOrFallback("identity", "exe", List.of("exe", "file"))
                                .equals("file")
                        ? ProgramDigestSource.FILE
                        : ProgramDigestSource.EXE;
        List<ProbeTemplate> probes = parseProbes();
        List<TemplatedConfigFile> configs = ConfigChangeParser.parseConfigs(reader, problems);
        StopSettings stop = parseStop();
        Optional<ClusterProbeTemplate> cluster =
                reader.node("cluster")
                        .map(node -> FieldReader.of(node, problems))
                        .map(fields -> new ClusterProbeParser(fields, problems).parse());
        if (!runtime.launchesAsSpecified()) {
            List.of("arguments", "environment", "user").forEach(this::refuseUnderSystemd);
        }
        reader.addUnknownKeyProblems();
        return new ProgramTemplate(
                name,
                path,
                service,
                arguments,
                environment,
                user,
                identity,
                probes,
                configs,
                stop,
                cluster);
    }

    private void refuseUnderSystemd(String key) {
        if (reader.has(key)) {
            problems.add(
                    reader.locationOf(key),
                    ProblemCode.FIELD_NOT_FOR_RUNTIME,
                    "Under systemd the unit file sets "
                            + key
                            + ": set it there and leave it out here.");
        }
    }

    private StopSettings parseStop() {
        Optional<YamlNode> node = reader.node("stop");
        if (node.isEmpty()) {
            return StopSettings.RUNTIME_DEFAULT;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        String name = fields.textOrFallback("signal", "");
        Optional<StopSignal> signal = name.isEmpty() ? Optional.empty() : parseSignal(fields, name);
        Optional<Duration> timeout =
                fields.has("timeout") ? Optional.of(readTimeout(fields)) : Optional.empty();
        fields.addUnknownKeyProblems();
        return new StopSettings(signal, timeout);
    }

    private Optional<StopSignal> parseSignal(FieldReader fields, String name) {
        try {
            StopSignal signal = StopSignal.parse(name);
            if (!runtime.launchesAsSpecified()) {
                problems.add(
                        fields.locationOf("signal"),
                        ProblemCode.FIELD_NOT_FOR_RUNTIME,
                        "Under systemd the unit file names the signal: set KillSignal="
                                + signal.longName()
                                + " there and leave stop.signal out.");
            }
            return Optional.of(signal);
        } catch (IllegalArgumentException e) {
            problems.add(
                    fields.locationOf("signal"),
                    ProblemCode.UNKNOWN_VALUE,
                    FieldReader.toSentence(e));
            return Optional.empty();
        }
    }

    private Duration readTimeout(FieldReader fields) {
        return DurationReader.read(
                fields,
                "timeout",
                StopSettings.DEFAULT_TIMEOUT,
                StopSettings.MIN_TIMEOUT,
                StopSettings.MAX_TIMEOUT,
                problems);
    }

    private void checkTemplates(List<String> arguments, Map<String, String> environment) {
        for (int i = 0; i < arguments.size(); i++) {
            ProfileTemplateSyntaxCheck.check(
                    arguments.get(i),
                    elementLocation("arguments", i).orElse(reader.location()),
                    problems);
        }
        reader.node("environment")
                .ifPresent(
                        node -> {
                            if (node
                                    instanceof
                                    YamlNode.Mapping(
                                            FieldLocation _,
                                            List<YamlNode.Entry> fields)) {
                                fields.forEach(
                                        field ->
                                                ProfileTemplateSyntaxCheck.check(
                                                        environment.getOrDefault(field.key(), ""),
                                                        field.value().location(),
                                                        problems));
                            }
                        });
    }

    private Optional<FieldLocation> elementLocation(String key, int index) {
        return reader.node(key)
                .flatMap(
                        node ->
                                node
                                                instanceof
                                                YamlNode.Sequence(
                                                        FieldLocation _,
                                                        List<YamlNode> items)
                                        ? Optional.of(items.get(index).location())
                                        : Optional.empty());
    }

    private String readAndCheckPattern(String key, Pattern grammar, String what) {
        String text = reader.textOrFallback(key, "");
        if (!text.isEmpty() && !grammar.matcher(text).matches()) {
            problems.add(
                    reader.locationOf(key),
                    ProblemCode.MALFORMED_NAME,
                    "'" + FieldReader.shorten(text) + "' is not allowed: write " + what + ".");
        }
        return text;
    }

    private static void checkEnvironmentName(YamlNode.Entry field, ProblemCollector problems) {
        if (!ENVIRONMENT.matcher(field.key()).matches()) {
            problems.add(
                    field.keyLocation(),
                    ProblemCode.MALFORMED_NAME,
                    "'"
                            + FieldReader.shorten(field.key())
                            + "' is no name of an environment variable: use letters, digits and"
                            + " underscores.");
        }
    }

    private List<ProbeTemplate> parseProbes() {
        List<ProbeTemplate> probes = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (YamlNode item : reader.items("probes", MOST_PROBES)) {
            FieldReader fields = FieldReader.of(item, problems);
            ProbeTemplate probe = new ProbeParser(fields, problems).parse();
            if (!probe.name().isEmpty() && !seen.add(probe.name())) {
                problems.add(
                        fields.locationOf("name"),
                        ProblemCode.DUPLICATE_NAME,
                        "The probe '" + probe.name() + "' stands twice: keep one.");
            }
            probes.add(probe);
        }
        return probes;
    }
}
