package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
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
        Profile profile = new ProfileParser(document, problems).parseProfile(id, contentHash);
        return ParseResult.of(problems, () -> profile);
    }

    private Profile parseProfile(ChainProfileId id, Digest contentHash) {
        String written = reader.textOrFallback("id", "");
        if (!written.isEmpty() && !written.equals(id.value())) {
            problems.add(
                    reader.locationOf("id"),
                    ProblemCode.PLACE_MISMATCH,
                    "The file is named '" + id + "': write the same here, or leave it out.");
        }
        RuntimeName runtime = parseRuntime();
        List<ProgramTemplate> programs = parsePrograms(runtime);
        Map<String, String> variables = ConfigChangeParser.parseVariables(reader, "variables");
        Profile.HealthDefaults health = parseHealth(programs);
        Optional<StandaloneNodeTemplate> standalone =
                reader.node("standalone")
                        .map(
                                node ->
                                        ProfileStandaloneSectionParser.parse(
                                                FieldReader.of(node, problems),
                                                programNames(programs),
                                                problems));
        reader.addUnknownKeyProblems();
        return new Profile(id, runtime, programs, variables, health, standalone, contentHash);
    }

    private RuntimeName parseRuntime() {
        Optional<YamlNode> node = reader.requiredNode("runtime");
        if (node.isEmpty()) {
            return RuntimeName.PROCESS;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        if (node.get() instanceof YamlNode.Mapping && !fields.has("type")) {
            fields.addMissingFieldProblem("type");
        }
        String name = fields.textOrFallback("type", "process");
        RuntimeName runtime =
                fields.parseValue("type", name, RuntimeName::new, RuntimeName.PROCESS);
        fields.addUnknownKeyProblems();
        return runtime;
    }

    private List<ProgramTemplate> parsePrograms(RuntimeName runtime) {
        List<ProgramTemplate> programs = new ArrayList<>();
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
            ProgramTemplate program = new ProfileProgramParser(fields, runtime, problems).parse();
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

    private static Set<BinaryName> programNames(List<ProgramTemplate> programs) {
        Set<BinaryName> names = new HashSet<>();
        programs.forEach(program -> names.add(program.name()));
        return names;
    }

    private Profile.HealthDefaults parseHealth(List<ProgramTemplate> programs) {
        Optional<YamlNode> node = reader.node("health");
        if (node.isEmpty()) {
            checkHealthWait(
                    reader.locationOf("programs"), Profile.HealthDefaults.DEFAULT, programs);
            return Profile.HealthDefaults.DEFAULT;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        Profile.HealthDefaults standard = Profile.HealthDefaults.DEFAULT;
        Profile.HealthDefaults health =
                new Profile.HealthDefaults(
                        DurationReader.read(
                                fields,
                                "wait",
                                standard.healthWait(),
                                Duration.ofSeconds(1),
                                problems),
                        (int)
                                WholeNumberReader.read(
                                        fields,
                                        "crash_loop_restarts",
                                        standard.crashLoopRestarts(),
                                        1,
                                        1_000,
                                        problems));
        fields.addUnknownKeyProblems();
        checkHealthWait(fields.locationOf("wait"), health, programs);
        return health;
    }

    /** Requires a health wait in which every probe runs again after its first success. */
    private void checkHealthWait(
            FieldLocation location, Profile.HealthDefaults health, List<ProgramTemplate> programs) {
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
                                                + DurationReader.format(health.healthWait())
                                                + " is shorter than the interval of the probe '"
                                                + probe.name()
                                                + "', "
                                                + DurationReader.format(probe.interval())
                                                + ": use a wait of at least that, or probe more"
                                                + " often."));
    }
}
