package drover.system.build;

import static java.util.Map.entry;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Tests of the full suite, found in the sources of all tests, and what is wrong with their
 * {@code @Faults}: a rule that does not exist or has no meaning, or a sample that is not one test
 * of the default suite.
 */
final class TaggedTests {
    private static final Set<String> TESTS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");
    private static final Pattern RULE = Pattern.compile("((S[0-4]|D)-\\d+|[A-Z]\\d+) \\(.{10,}\\)");

    /** Last invariant of each letter (J to M are of later stages), and last rule of visibility. */
    private static final Map<String, Integer> INVARIANTS =
            Map.ofEntries(
                    entry("A", 24),
                    entry("B", 9),
                    entry("C", 15),
                    entry("D", 20),
                    entry("E", 8),
                    entry("F", 8),
                    entry("G", 6),
                    entry("H", 16),
                    entry("I", 7),
                    entry("J", 6),
                    entry("K", 9),
                    entry("L", 7),
                    entry("M", 6),
                    entry("N", 4),
                    entry("R", 4));

    /**
     * One test class.
     *
     * @param base simple name of its base class; empty if there is none
     * @param tagged whether it or a class around it is tagged
     * @param tests whether each test is tagged
     */
    private record Type(String base, boolean tagged, Map<String, Boolean> tests) {}

    private record Use(String location, String rule, String sample) {}

    private final Map<String, List<Type>> types = new HashMap<>(); // by simple name
    private final List<Use> uses = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /** Parses the sources without resolving any name. */
    static TaggedTests in(Collection<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        TaggedTests tests = new TaggedTests();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(sources));
            for (CompilationUnitTree unit : task.parse()) {
                unit.getTypeDecls().forEach(type -> tests.add(type, false));
            }
        }
        return tests;
    }

    private void add(Tree declared, boolean inTagged) {
        if (!(declared instanceof ClassTree type)) {
            return;
        }
        String name = type.getSimpleName().toString();
        note(name, type.getModifiers());
        boolean tagged = inTagged || isTagged(type.getModifiers());
        Map<String, Boolean> tests = new HashMap<>();
        for (Tree member : type.getMembers()) {
            add(member, tagged);
            if (member instanceof MethodTree method) {
                ModifiersTree modifiers = method.getModifiers();
                note(name, modifiers);
                if (isTest(modifiers)) {
                    tests.merge(
                            method.getName().toString(),
                            isTagged(modifiers),
                            (one, two) -> one && two);
                }
            }
        }
        Tree base = type.getExtendsClause();
        String baseName = base == null ? "" : base.toString().replaceFirst("<.*", "");
        types.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Type(baseName, tagged, tests));
    }

    private static boolean isTest(ModifiersTree modifiers) {
        return modifiers.getAnnotations().stream()
                .anyMatch(one -> TESTS.contains(one.getAnnotationType().toString()));
    }

    private static boolean isTagged(ModifiersTree modifiers) {
        return modifiers.getAnnotations().stream().anyMatch(one -> isNamed(one, "Faults"));
    }

    private static boolean isNamed(AnnotationTree annotation, String name) {
        return annotation.getAnnotationType().toString().equals(name);
    }

    /** Notes the elements of {@code @Faults}, and a tag without it as a problem. */
    private void note(String place, ModifiersTree modifiers) {
        for (AnnotationTree one : modifiers.getAnnotations()) {
            if (isNamed(one, "Faults")) {
                uses.add(new Use(place, element(one, "rule"), element(one, "sample")));
            } else if (isNamed(one, "Tag") && one.toString().contains("\"faults\"")) {
                problems.add(place + ": use @Faults, which names a rule and a sample");
            }
        }
    }

    /** The plain string; empty if it is anything else. */
    private static String element(AnnotationTree annotation, String name) {
        for (ExpressionTree argument : annotation.getArguments()) {
            if (argument instanceof AssignmentTree assignment
                    && assignment.getVariable().toString().equals(name)
                    && assignment.getExpression() instanceof LiteralTree literal) {
                return String.valueOf(literal.getValue());
            }
        }
        return "";
    }

    /**
     * One sentence for each mistake.
     *
     * @param promises ids of the promises that {@code docs/coverage.md} lists
     */
    List<String> problems(Set<String> promises) {
        List<String> all = new ArrayList<>(problems);
        for (Use use : uses) {
            Matcher rule = RULE.matcher(use.rule());
            if (!rule.matches()) {
                all.add(use.location() + ": no rule with its meaning: " + use.rule());
            } else if (!isRule(rule.group(1), promises)) {
                all.add(use.location() + ": no such rule: " + rule.group(1));
            }
            sampleProblem(use.sample())
                    .ifPresent(problem -> all.add(use.location() + ": " + problem + use.sample()));
        }
        return all;
    }

    /** Number of {@code @Faults} in all sources. */
    int uses() {
        return uses.size();
    }

    private static boolean isRule(String id, Set<String> promises) {
        if (id.contains("-")) {
            return promises.contains(id);
        }
        int number = Integer.parseInt(id.substring(1));
        return number > 0 && number <= INVARIANTS.getOrDefault(id.substring(0, 1), 0);
    }

    private Optional<String> sampleProblem(String sample) {
        String[] names = sample.split("\\.", -1);
        if (names.length != 2) {
            return Optional.of("name the sample as Class.method: ");
        }
        List<Type> named = types.getOrDefault(names[0], List.of());
        if (named.size() > 1) {
            return Optional.of("several classes have the name of the sample: ");
        }
        return named.stream().anyMatch(type -> isDefault(type, names[1]))
                ? Optional.empty()
                : Optional.of("not a test of the default suite: ");
    }

    /** JUnit inherits the tag of a class: a tagged base class tags all tests of this one. */
    private boolean isDefault(Type type, String test) {
        Map<String, Boolean> tests = new HashMap<>();
        List<Type> line = withBases(type);
        line.reversed().forEach(each -> tests.putAll(each.tests()));
        return line.stream().noneMatch(Type::tagged) && Boolean.FALSE.equals(tests.get(test));
    }

    /** The class, its base class, and so on, as far as their names are unique. */
    private List<Type> withBases(Type type) {
        List<Type> line = new ArrayList<>(List.of(type));
        List<Type> base = types.getOrDefault(type.base(), List.of());
        if (base.size() == 1) {
            line.addAll(withBases(base.getFirst()));
        }
        return line;
    }
}
