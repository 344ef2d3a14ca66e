package drover.system.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Size, cycles and users of the packages of all modules. */
class PackageRulesTest {
    private static final int MAX_FILES = 30;

    /**
     * Users of each package within its module, one package per line. A class that another package
     * of its module needs must be public in Java; this file says which package that is.
     */
    private static final Path USERS =
            Path.of("src/test/resources/drover/system/build/package-users.txt");

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("drover");

    @Test
    @DisplayName("A package has at most 30 files, besides its package-info")
    void packagesAreSmall() throws IOException {
        Map<Path, Long> sizes =
                JavaSources.all().stream()
                        .filter(file -> !file.endsWith("package-info.java"))
                        .collect(
                                Collectors.groupingBy(
                                        file -> Objects.requireNonNull(file.getParent()),
                                        TreeMap::new,
                                        Collectors.counting()));
        assertThat(sizes).hasSizeGreaterThan(200);
        assertThat(sizes.entrySet()).filteredOn(size -> size.getValue() > MAX_FILES).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "drover.cli",
                "drover.coordinator",
                "drover.evaluator",
                "drover.gateway",
                "drover.kit",
                "drover.localenv",
                "drover.manifest",
                "drover.model",
                "drover.opsagent",
                "drover.simulation",
                "drover.standalone",
                "drover.trust"
            })
    void packagesOfAModuleHaveNoCycle(String module) {
        SlicesRuleDefinition.slices()
                .assignedFrom(new Packages(module))
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /** Each package of a module is a slice. */
    private record Packages(String module) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            return (name + ".").startsWith(module + ".")
                    ? SliceIdentifier.of(name)
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages of " + module;
        }
    }

    @Test
    @DisplayName("Only packages that package-users.txt lists use a package (-Dupdate writes it)")
    void packagesHaveListedUsers() throws IOException {
        Map<String, TreeSet<String>> users = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String used = dependency.getTargetClass().getBaseComponentType().getPackageName();
                String user = type.getPackageName();
                if (!used.equals(user) && isOfOneModule(used, user)) {
                    users.computeIfAbsent(used, _ -> new TreeSet<>()).add(user);
                }
            }
        }
        List<String> lines =
                users.entrySet().stream()
                        .map(one -> one.getKey() + ": " + String.join(" ", one.getValue()))
                        .toList();

        if (System.getProperty("update") != null) {
            Files.write(USERS, lines);
        }
        assertThat(lines)
                .as(
                        "users of packages; if a new user is intended, write them:"
                                + " ./mvnw -pl standalone -am test -Dtest=PackageRulesTest -Dupdate")
                .isEqualTo(Files.readAllLines(USERS));
    }

    private static boolean isOfOneModule(String one, String other) {
        return one.startsWith("drover.") && root(one).equals(root(other));
    }

    private static String root(String name) {
        return name.split("\\.", 3)[1];
    }
}
