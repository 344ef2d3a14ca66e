package drover.manifest.parse;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.SourceLocation;
import drover.manifest.document.YamlNode;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.model.program.RuntimeName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Turns a located tree into a {@link Profile} or into every problem it has (invariant H10). */
public final class ProfileParser {
    private static final int MOST_PROGRAMS = 20;

    private final ProblemCollector problems;
    private final FieldReader reader;

    private ProfileParser(YamlNode document, ProblemCollector problems) {
        this.problems = problems;
        reader = FieldReader.of(document, problems);
    }

    /**
     * Parses a profile.
     *
     * @param id the file's name without its ending
     * @param contentHash over the raw bytes
     */
    public static ParseResult<Profile> parse(
            YamlNode document, ChainProfileId id, Digest contentHash, String file) {
        ProblemCollector problems = new ProblemCollector(file);
        Profile profile = new ProfileParser(document, problems).profile(id, contentHash);
        return ParseResult.of(problems, () -> profile);
    }

    private Profile profile(ChainProfileId id, Digest contentHash) {
        String written = reader.optional("id", "");
        if (!written.isEmpty() && !written.equals(id.value())) {
            problems.add(
                    reader.locationOf("id"),
                    ProblemCode.PLACE_MISMATCH,
                    "The file is named '" + id + "': write the same here, or leave it out.");
        }
        RuntimeName runtime = runtime();
        List<Program> programs = programs(runtime);
        Map<String, String> variables = ConfigChangeParser.variables(reader, "variables");
        Profile.Health health = health(programs);
        Optional<StandaloneNodes> standalone =
                reader.node("standalone")
                        .map(
                                node ->
                                        StandaloneParser.parse(
                                                FieldReader.of(node, problems),
                                                names(programs),
                                                problems));
        reader.rejectUnknownKeys();
        return new Profile(id, runtime, programs, variables, health, standalone, contentHash);
    }

    private RuntimeName runtime() {
        Optional<YamlNode> node = reader.requiredNode("runtime");
        if (node.isEmpty()) {
            return RuntimeName.PROCESS;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        if (node.get() instanceof YamlNode.Mapping && !fields.has("type")) {
            fields.missing("type");
        }
        String name = fields.optional("type", "process");
        RuntimeName runtime = fields.typed("type", name, RuntimeName::new, RuntimeName.PROCESS);
        fields.rejectUnknownKeys();
        return runtime;
    }

    private List<Program> programs(RuntimeName runtime) {
        List<Program> programs = new ArrayList<>();
        Set<BinaryName> seen = new HashSet<>();
        List<YamlNode> items = reader.items("programs", MOST_PROGRAMS);
        if (items.isEmpty()) {
            problems.add(
                    reader.locationOf("programs"),
                    ProblemCode.MISSING_FIELD,
                    "The field 'programs' is required, with at least one program.");
        }
        for (YamlNode item : items) {
            FieldReader fields = FieldReader.of(item, problems);
            Program program = new ProgramParser(fields, runtime, problems).program();
            if (fields.has("name") && !seen.add(program.name())) {
                problems.add(
                        fields.locationOf("name"),
                        ProblemCode.DUPLICATE_NAME,
                        "The program '" + program.name() + "' stands twice: keep one.");
            }
            programs.add(program);
        }
        return programs;
    }

    private static Set<BinaryName> names(List<Program> programs) {
        Set<BinaryName> names = new HashSet<>();
        programs.forEach(program -> names.add(program.name()));
        return names;
    }

    private Profile.Health health(List<Program> programs) {
        Optional<YamlNode> node = reader.node("health");
        if (node.isEmpty()) {
            requireWait(reader.locationOf("programs"), Profile.Health.DEFAULT, programs);
            return Profile.Health.DEFAULT;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        Profile.Health standard = Profile.Health.DEFAULT;
        Profile.Health health =
                new Profile.Health(
                        DurationReader.read(
                                fields,
                                "wait",
                                standard.healthWait(),
                                Duration.ofSeconds(1),
                                problems),
                        (int)
                                NumberReader.read(
                                        fields,
                                        "crash_loop_restarts",
                                        standard.crashLoopRestarts(),
                                        1,
                                        1_000,
                                        problems));
        fields.rejectUnknownKeys();
        requireWait(fields.locationOf("wait"), health, programs);
        return health;
    }

    /** Requires a health wait in which every probe runs again after its first success. */
    private void requireWait(
            SourceLocation location, Profile.Health health, List<Program> programs) {
        programs.stream()
                .flatMap(program -> program.probes().stream())
                .filter(probe -> probe.interval().compareTo(health.healthWait()) > 0)
                .findFirst()
                .ifPresent(
                        probe ->
                                problems.add(
                                        location,
                                        ProblemCode.WAIT_TOO_SHORT,
                                        "The health wait of "
                                                + DurationReader.text(health.healthWait())
                                                + " is shorter than the interval of the probe '"
                                                + probe.name()
                                                + "', "
                                                + DurationReader.text(probe.interval())
                                                + ": use a wait of at least that, or probe more"
                                                + " often."));
    }
}
