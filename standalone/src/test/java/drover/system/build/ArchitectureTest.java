package drover.system.build;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dependencies between packages and on libraries, as the design allows them. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("drover");

    /** Decision packages of each service. Those of one service may use each other. */
    private static final Map<String, List<String>> DECISION_PACKAGES =
            Map.of(
                    "drover.coordinator", List.of("plan"),
                    "drover.opsagent", List.of("journal", "plan", "admission", "preflight"),
                    "drover.gateway", List.of("session"),
                    "drover.evaluator", List.of("assess"),
                    "drover.manifest", List.of("document", "parse", "render"));

    private static final Set<String> SERVICES = DECISION_PACKAGES.keySet();

    private static final DescribedPredicate<JavaClass> GENERATED =
            DescribedPredicate.describe(
                    "generated from the contracts",
                    type -> type.getPackageName().matches("drover\\.[a-z]+\\.v[0-9]+"));

    @Test
    void decisionPackagesDependOnlyOnTheLanguageAndTheModel() {
        DECISION_PACKAGES.forEach(
                (service, packages) ->
                        noClasses()
                                .that()
                                .resideInAnyPackage(packagesOf(service, packages))
                                .should()
                                .dependOnClassesThat(
                                        DescribedPredicate.not(
                                                allowedInDecisions(service, packages)))
                                .because("a decision is the same for the same arguments")
                                .allowEmptyShould(true)
                                .check(CLASSES));
    }

    /** B19: under the locale ar-EG, Java formats numbers with digits that no program reads. */
    @Test
    void everyProgramFormatsNumbersIndependentlyOfTheLocaleOfItsUser() {
        List<JavaClass> programs =
                CLASSES.stream()
                        .filter(type -> type.tryGetMethod("main", String[].class).isPresent())
                        .toList();
        assertThat(programs).hasSizeGreaterThanOrEqualTo(7);
        assertThat(programs)
                .allMatch(
                        type ->
                                type.getMethodCallsFromSelf().stream()
                                        .map(call -> call.getTarget().getFullName())
                                        .anyMatch(
                                                target ->
                                                        target.startsWith(
                                                                        "java.util.Locale.setDefault(java.util.Locale$Category,")
                                                                || target.startsWith(
                                                                        "drover.kit.config.ServiceLauncher.run(")));
    }

    @Test
    void decisionPackagesReadNoClockAndNoRandomNumbers() {
        DescribedPredicate<JavaCall<?>> ambient =
                DescribedPredicate.describe(
                        "reads the clock, the environment or a random number",
                        call ->
                                is(call, Instant.class, "now")
                                        || is(call, System.class, "currentTimeMillis", "nanoTime")
                                        || is(call, System.class, "getenv", "getProperty")
                                        || is(call, Math.class, "random")
                                        || is(call, UUID.class, "randomUUID"));
        DECISION_PACKAGES.forEach(
                (service, packages) ->
                        noClasses()
                                .that()
                                .resideInAnyPackage(packagesOf(service, packages))
                                .should()
                                .callCodeUnitWhere(ambient)
                                .allowEmptyShould(true)
                                .check(CLASSES));
    }

    /** Actions use the verbs of a runtime; runtimes do not use actions (decision 0114). */
    @Test
    void actionsAndRuntimesAreIndependentOfEachOther() {
        DescribedPredicate<JavaClass> adapter =
                DescribedPredicate.describe(
                        "an implementation or a provider of a runtime",
                        type ->
                                type.isAssignableTo("drover.opsagent.runtime.RuntimeProvider")
                                        || (type.isAssignableTo(
                                                        "drover.opsagent.runtime.NodeRuntime")
                                                && !type.isInterface()));
        noClasses()
                .that()
                .resideInAnyPackage(
                        "drover.opsagent.engine..",
                        "drover.opsagent.journal..",
                        "drover.opsagent.plan..",
                        "drover.opsagent.admission..",
                        "drover.opsagent.preflight..")
                .should()
                .dependOnClassesThat(
                        adapter.or(
                                resideInAnyPackage(
                                        "drover.opsagent.docker..", "drover.opsagent.systemd..")))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage(
                        "drover.opsagent.docker..",
                        "drover.opsagent.systemd..",
                        "drover.opsagent.runtime..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("drover.opsagent.engine.."))
                .check(CLASSES);
    }

    /** The content of traces is a decision. */
    @Test
    void tracesAreDecisions() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.trace..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInDecisions("drover.coordinator", "trace")))
                .check(CLASSES);
    }

    /** Metrics are decisions on the planner's rollout. */
    @Test
    void metricsAreDecisions() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.metrics..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(
                                allowedInDecisions("drover.coordinator", "metrics")
                                        .or(resideInAnyPackage("drover.coordinator.plan.."))))
                .check(CLASSES);
    }

    /** The content of events is a decision. */
    @Test
    void eventsAreDecisions() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.event..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInDecisions("drover.coordinator", "event")))
                .check(CLASSES);
    }

    /** Authorization is a decision, in the terms of the kit. */
    @Test
    void authorizationIsADecision() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.access..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(
                                allowedInDecisions("drover.coordinator", "access")
                                        .or(resideInAnyPackage("drover.kit.access.."))))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("drover.kit.access..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInDecisions("drover.kit", "access")))
                .check(CLASSES);
    }

    /** The gateway that an agent connects to, and the time, are decisions. */
    @Test
    void reconnectsAreDecisions() {
        noClasses()
                .that()
                .resideInAPackage("drover.opsagent.reconnect..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInDecisions("drover.opsagent", "reconnect")))
                .check(CLASSES);
    }

    @Test
    void onlyTheKitUsesTheTelemetryLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.kit.telemetry..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.opentelemetry..", "io.prometheus.."))
                .check(CLASSES);
    }

    @Test
    void onlyTheCaUsesTheCertificateLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.kit.ca..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.bouncycastle.."))
                .check(CLASSES);
    }

    /** Enrollment of machines is a decision. */
    @Test
    void enrollmentIsADecision() {
        noClasses()
                .that()
                .resideInAPackage("drover.gateway.identity..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInDecisions("drover.gateway", "identity")))
                .check(CLASSES);
    }

    @Test
    void onlyTokenVerificationUsesItsLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.coordinator.token..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("com.nimbusds.."))
                .check(CLASSES);
    }

    @Test
    void onlyTheElectionUsesEtcd() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.coordinator.election..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.etcd..", "io.vertx.."))
                .check(CLASSES);
    }

    /** B5 (leases do not depend on synchronized clocks). */
    @Test
    void theElectionReadsNoWallClock() {
        DescribedPredicate<JavaCall<?>> wallClock =
                DescribedPredicate.describe(
                        "reads the wall clock",
                        call ->
                                is(call, Instant.class, "now")
                                        || is(call, System.class, "currentTimeMillis"));
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.election..")
                .should()
                .callCodeUnitWhere(wallClock)
                .check(CLASSES);
    }

    @Test
    void servicesDoNotUseEachOther() {
        for (String service : SERVICES) {
            String[] others =
                    SERVICES.stream()
                            .filter(other -> !other.equals(service))
                            .map(other -> other + "..")
                            .toArray(String[]::new);
            noClasses()
                    .that(handWrittenIn(service))
                    .should()
                    .dependOnClassesThat(
                            resideInAnyPackage(others).and(DescribedPredicate.not(GENERATED)))
                    .because("they share only the contracts")
                    .allowEmptyShould(true)
                    .check(CLASSES);
        }
    }

    /** The store is unavailable, or a later version wrote the row. */
    private static final Set<String> FAILURES_OF_STORES =
            Set.of("StoreUnavailable", "UnreadableRow", "UnwritableValue");

    /**
     * API classes read a store through the engine, or through a read-only interface named {@code
     * *Views} and its rows. They may catch the failures of a store. They use nothing that writes.
     */
    @Test
    void apisReadStoresOnlyThroughTheirViews() {
        for (String service : SERVICES) {
            noClasses()
                    .that()
                    .resideInAPackage(service + ".api..")
                    .should()
                    .dependOnClassesThat(
                            resideInAnyPackage(service + ".store..")
                                    .and(DescribedPredicate.not(shownByViews())))
                    .allowEmptyShould(true)
                    .check(CLASSES);
        }
    }

    private static boolean isReadOnlyView(String interfaceName) {
        return interfaceName.endsWith("Views") || interfaceName.equals("HistoryChecker");
    }

    private static DescribedPredicate<JavaClass> shownByViews() {
        Set<JavaClass> views =
                CLASSES.stream()
                        .filter(type -> outermost(type).isInterface())
                        .filter(type -> isReadOnlyView(outermost(type).getSimpleName()))
                        .collect(Collectors.toSet());
        Set<JavaClass> rows =
                views.stream()
                        .flatMap(view -> view.getDirectDependenciesFromSelf().stream())
                        .map(Dependency::getTargetClass)
                        .filter(JavaClass::isRecord)
                        .collect(Collectors.toSet());
        return DescribedPredicate.describe(
                "a store's views and its failures",
                type ->
                        views.contains(type)
                                || (type.isRecord() && rows.contains(outermost(type)))
                                || FAILURES_OF_STORES.contains(type.getSimpleName()));
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
    }

    @Test
    void theCliUsesOnlyTheContracts() {
        noClasses()
                .that()
                .resideInAPackage("drover.cli..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("drover..")
                                .and(DescribedPredicate.not(resideInAnyPackage("drover.cli..")))
                                .and(DescribedPredicate.not(GENERATED)))
                .check(CLASSES);
    }

    /** Shared by programs that start services; it depends on none of them. */
    @Test
    void theLocalEnvironmentUsesNoService() {
        noClasses()
                .that()
                .resideInAPackage("drover.localenv..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("drover..")
                                .and(
                                        DescribedPredicate.not(
                                                resideInAnyPackage(
                                                        "drover.localenv..",
                                                        "drover.kit..",
                                                        "drover.model..",
                                                        "drover.trust.."))))
                .check(CLASSES);
    }

    /**
     * The two modules with the longest tests, this one and {@code bench}, are tested at the same
     * time; the benchmark's classes are not on this class path, so their module files are read.
     */
    @Test
    void noModuleDependsOnStandalone() throws IOException {
        try (Stream<Path> files = Files.find(Path.of(".."), 2, ArchitectureTest::isModule)) {
            assertThat(files.filter(file -> names(file, "standalone")))
                    .containsExactly(Path.of("../standalone/pom.xml")); // its own name
        }
    }

    private static boolean isModule(Path file, BasicFileAttributes attributes) {
        return file.endsWith("pom.xml") && attributes.isRegularFile();
    }

    private static boolean names(Path file, String module) {
        try {
            return Files.readString(file).contains("<artifactId>" + module + "</artifactId>");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theAgentStaysLight() {
        noClasses()
                .that(handWrittenIn("drover.opsagent"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "drover.kit..",
                        "org.jdbi..",
                        "io.etcd..",
                        "io.opentelemetry..",
                        "io.helidon..",
                        "java.sql..",
                        "build.buf..")
                .because("it shares the node with the programs that it runs")
                .check(CLASSES);
    }

    @Test
    void theModelDependsOnNothing() {
        classes()
                .that()
                .resideInAPackage("drover.model..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("drover.model..", "java..", "org.jspecify..")
                .check(CLASSES);
        classes()
                .that()
                .resideInAPackage("drover.trust..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("drover.trust..", "drover.model..", "java..", "org.jspecify..")
                .check(CLASSES);
    }

    @Test
    void everyPackageHasANullMarkedPackageInfo() {
        Set<String> lacking = new TreeSet<>();
        for (JavaPackage one : packages()) {
            boolean marked =
                    one.tryGetPackageInfo()
                            .map(info -> info.isAnnotatedWith(NullMarked.class))
                            .orElse(false);
            if (!marked) {
                lacking.add(one.getName());
            }
        }
        assertThat(lacking).as("packages without a @NullMarked package-info").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Manager", "Helper", "Util", "Utils", "Impl", "Data", "Info"})
    void noNameEndsInAFillerWord(String ending) {
        List<String> found =
                CLASSES.stream()
                        .filter(type -> !GENERATED.test(type))
                        .map(JavaClass::getSimpleName)
                        .filter(simple -> simple.endsWith(ending))
                        .filter(simple -> !simple.equals("NoData")) // a verdict
                        .filter(simple -> !simple.matches(".*(Trust|Key)Manager")) // as in the JDK
                        .filter(simple -> !simple.equals("NodesWithoutData")) // nodes, not data
                        .toList();
        assertThat(found).isEmpty();
    }

    @Test
    void onlyClocksSleep() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(SystemTicker|Await|PollSleeper|RetryDeadline|Sleeper|TaskScheduler)\\b.*")
                .should()
                .callMethodWhere(target(owner(name("java.lang.Thread"))).and(target(name("sleep"))))
                .because("time belongs to an object that a test can replace")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> allowedInDecisions(String service, String name) {
        return allowedInDecisions(service, List.of(name));
    }

    private static DescribedPredicate<JavaClass> allowedInDecisions(
            String service, List<String> packages) {
        DescribedPredicate<JavaClass> language =
                resideInAnyPackage(
                                "java.lang..",
                                "java.util..",
                                "java.time..",
                                "java.math..",
                                "java.text..",
                                "java.nio.charset..",
                                "org.jspecify..",
                                "drover.model..",
                                "drover.trust..")
                        .or(resideInAnyPackage(packagesOf(service, packages)))
                        .and(
                                DescribedPredicate.not(
                                        resideInAnyPackage(
                                                "java.util.concurrent..", "java.util.logging..")));
        return language.or(
                        DescribedPredicate.describe(
                                "an array or a primitive type", ArchitectureTest::isPrimitive))
                .and(
                        DescribedPredicate.describe(
                                "no clock",
                                type ->
                                        !type.isEquivalentTo(Clock.class)
                                                && !type.isEquivalentTo(InstantSource.class)));
    }

    private static String[] packagesOf(String service, List<String> packages) {
        return packages.stream().map(name -> service + "." + name + "..").toArray(String[]::new);
    }

    /** Primitive types and their arrays have no package. */
    private static boolean isPrimitive(JavaClass type) {
        return type.getBaseComponentType().isPrimitive();
    }

    private static DescribedPredicate<JavaClass> handWrittenIn(String service) {
        return resideInAnyPackage(service, service + "..").and(DescribedPredicate.not(GENERATED));
    }

    private static boolean is(JavaCall<?> call, Class<?> type, String... methods) {
        return call.getTargetOwner().isEquivalentTo(type)
                && List.of(methods).contains(call.getName());
    }

    private static Set<JavaPackage> packages() {
        Set<JavaPackage> packages =
                new TreeSet<>((one, other) -> one.getName().compareTo(other.getName()));
        CLASSES.stream()
                .filter(type -> !GENERATED.test(type))
                .map(JavaClass::getPackage)
                .forEach(packages::add);
        return packages;
    }
}
