package drover.manifest.check;

import drover.model.BinaryName;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.RuntimeName;
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

    private final Problems problems;
    private final Reader reader;

    private ProfileParser(Node document, Problems problems) {
        this.problems = problems;
        reader = Reader.of(document, problems);
    }

    /**
     * Parses a profile.
     *
     * @param id the file's name without its ending
     * @param contentHash over the raw bytes
     */
    public static Parsed<Profile> parse(
            Node document, ChainProfileId id, Digest contentHash, String file) {
        Problems problems = new Problems(file);
        Profile profile = new ProfileParser(document, problems).profile(id, contentHash);
        return Parsed.of(problems, () -> profile);
    }

    private Profile profile(ChainProfileId id, Digest contentHash) {
        String written = reader.optional("id", "");
        if (!written.isEmpty() && !written.equals(id.value())) {
            problems.add(
                    reader.placeOf("id"),
                    ProblemCode.PLACE_MISMATCH,
                    "The file is named '" + id + "': write the same here, or leave it out.");
        }
        RuntimeName runtime = runtime();
        List<Program> programs = programs(runtime);
        Map<String, String> variables = ConfigChangeParser.variables(reader, "variables");
        Profile.Health health = health();
        Optional<StandaloneNodes> standalone =
                reader.node("standalone")
                        .map(
                                node ->
                                        StandaloneParser.parse(
                                                Reader.of(node, problems),
                                                names(programs),
                                                problems));
        reader.finish();
        return new Profile(id, runtime, programs, variables, health, standalone, contentHash);
    }

    private RuntimeName runtime() {
        Optional<Node> node = reader.requiredNode("runtime");
        if (node.isEmpty()) {
            return RuntimeName.PROCESS;
        }
        Reader fields = Reader.of(node.get(), problems);
        if (node.get() instanceof Node.Fields && !fields.has("type")) {
            fields.missing("type");
        }
        String name = fields.optional("type", "process");
        RuntimeName runtime = fields.typed("type", name, RuntimeName::new, RuntimeName.PROCESS);
        fields.finish();
        return runtime;
    }

    private List<Program> programs(RuntimeName runtime) {
        List<Program> programs = new ArrayList<>();
        Set<BinaryName> seen = new HashSet<>();
        List<Node> items = reader.items("programs", MOST_PROGRAMS);
        if (items.isEmpty()) {
            problems.add(
                    reader.placeOf("programs"),
                    ProblemCode.MISSING_FIELD,
                    "The field 'programs' is required, with at least one program.");
        }
        for (Node item : items) {
            Reader fields = Reader.of(item, problems);
            Program program = new ProgramParser(fields, runtime, problems).program();
            if (fields.has("name") && !seen.add(program.name())) {
                problems.add(
                        fields.placeOf("name"),
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

    private Profile.Health health() {
        Optional<Node> node = reader.node("health");
        if (node.isEmpty()) {
            return Profile.Health.DEFAULT;
        }
        Reader fields = Reader.of(node.get(), problems);
        Profile.Health standard = Profile.Health.DEFAULT;
        Profile.Health health =
                new Profile.Health(
                        Durations.read(
                                fields,
                                "wait",
                                standard.healthWait(),
                                Duration.ofSeconds(1),
                                problems),
                        (int)
                                Numbers.read(
                                        fields,
                                        "crash_loop_restarts",
                                        standard.crashLoopRestarts(),
                                        1,
                                        1_000,
                                        problems));
        fields.finish();
        return health;
    }
}
