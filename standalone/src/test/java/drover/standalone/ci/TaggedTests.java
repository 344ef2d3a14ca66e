package drover.standalone.ci;

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
import java.util.Set;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Tests of the full suite, found in the sources of all tests, and what is wrong with their
 * {@code @Faults}: a rule without its meaning, or a sample that the default suite does not run.
 */
final class TaggedTests {
    private static final Set<String> TESTS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");
    private static final Pattern RULE =
            Pattern.compile("(?:[A-N][1-9]\\d*|R[1-4]|S[0-4]-\\d+|D-\\d+) \\(.{10,}\\)");

    /** One test class: its base class, whether all of it is tagged, and which tests are. */
    private record Type(String base, boolean tagged, Map<String, Boolean> tests) {}

    private record Use(String place, String rule, String sample) {}

    private final Map<String, Type> types = new HashMap<>();
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
                unit.getTypeDecls().forEach(tests::add);
            }
        }
        return tests;
    }

    private void add(Tree declared) {
        if (!(declared instanceof ClassTree type)) {
            return;
        }
        String name = type.getSimpleName().toString();
        boolean all = isTagged(name, type.getModifiers());
        Map<String, Boolean> tests = new HashMap<>();
        for (Tree member : type.getMembers()) {
            if (member instanceof MethodTree method) {
                boolean tagged = isTagged(name, method.getModifiers());
                if (isTest(method.getModifiers())) {
                    tests.merge(method.getName().toString(), tagged, (one, two) -> one && two);
                }
            }
        }
        Tree base = type.getExtendsClause();
        types.put(name, new Type(base == null ? "" : base.toString(), all, tests));
    }

    private static boolean isTest(ModifiersTree modifiers) {
        return modifiers.getAnnotations().stream()
                .anyMatch(one -> TESTS.contains(one.getAnnotationType().toString()));
    }

    /** Whether {@code @Faults} stands there; notes its elements. */
    private boolean isTagged(String place, ModifiersTree modifiers) {
        boolean tagged = false;
        for (AnnotationTree annotation : modifiers.getAnnotations()) {
            String type = annotation.getAnnotationType().toString();
            if (type.equals("Faults")) {
                tagged = true;
                uses.add(
                        new Use(place, element(annotation, "rule"), element(annotation, "sample")));
            } else if (type.equals("Tag") && annotation.toString().contains("\"faults\"")) {
                problems.add(place + ": use @Faults, which names a rule and a sample");
            }
        }
        return tagged;
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

    /** One sentence for each mistake. */
    List<String> problems() {
        List<String> all = new ArrayList<>(problems);
        for (Use use : uses) {
            if (!RULE.matcher(use.rule()).matches()) {
                all.add(use.place() + ": no rule with its meaning: " + use.rule());
            }
            if (!isDefault(use.sample())) {
                all.add(use.place() + ": not a test of the default suite: " + use.sample());
            }
        }
        return all;
    }

    /** Number of {@code @Faults} in all sources. */
    int uses() {
        return uses.size();
    }

    private boolean isDefault(String sample) {
        String[] names = sample.split("\\.", 2);
        Type type = types.get(names[0]);
        if (type == null || type.tagged()) {
            return false;
        }
        Map<String, Boolean> tests = testsOf(type);
        return names.length == 1
                ? tests.containsValue(false)
                : Boolean.FALSE.equals(tests.get(names[1]));
    }

    /** Its tests, and those of its base class. */
    private Map<String, Boolean> testsOf(Type type) {
        Map<String, Boolean> tests = new HashMap<>();
        Type base = types.get(type.base());
        if (base != null) {
            tests.putAll(testsOf(base));
        }
        tests.putAll(type.tests());
        return tests;
    }
}
