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

/** Keeps the rooms of the house apart, as the plan of the house in the design says. */
class ArchitectureTest {
    private static final JavaClasses HOUSE =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("drover");

    /** Decision packages of each service. Those of one service may use each other. */
    private static final Map<String, List<String>> PURE_ROOMS =
            Map.of(
                    "drover.coordinator", List.of("plan"),
                    "drover.opsagent", List.of("journal", "plan", "admission", "preflight"),
                    "drover.gateway", List.of("session"),
                    "drover.evaluator", List.of("assess"),
                    "drover.manifest", List.of("document", "parse", "render"));

    private static final Set<String> SERVICES = PURE_ROOMS.keySet();

    private static final DescribedPredicate<JavaClass> GENERATED =
            DescribedPredicate.describe(
                    "generated from the contracts",
                    type -> type.getPackageName().matches("drover\\.[a-z]+\\.v[0-9]+"));

    @Test
    void pureRoomsKnowOnlyTheLanguageAndTheVocabulary() {
        PURE_ROOMS.forEach(
                (service, rooms) ->
                        noClasses()
                                .that()
                                .resideInAnyPackage(packagesOf(service, rooms))
                                .should()
                                .dependOnClassesThat(
                                        DescribedPredicate.not(allowedInPureRoom(service, rooms)))
                                .because("a decision is the same for the same arguments")
                                .allowEmptyShould(true)
                                .check(HOUSE));
    }

    @Test
    void pureRoomsReadNoClockAndThrowNoDice() {
        DescribedPredicate<JavaCall<?>> ambient =
                DescribedPredicate.describe(
                        "reads the world",
                        call ->
                                is(call, Instant.class, "now")
                                        || is(call, System.class, "currentTimeMillis", "nanoTime")
                                        || is(call, System.class, "getenv", "getProperty")
                                        || is(call, Math.class, "random")
                                        || is(call, UUID.class, "randomUUID"));
        PURE_ROOMS.forEach(
                (service, rooms) ->
                        noClasses()
                                .that()
                                .resideInAnyPackage(packagesOf(service, rooms))
                                .should()
                                .callCodeUnitWhere(ambient)
                                .allowEmptyShould(true)
                                .check(HOUSE));
    }

    /** Actions know the verbs of a runtime; runtimes know nothing of actions (decision 0114). */
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
                .check(HOUSE);
        noClasses()
                .that()
                .resideInAnyPackage(
                        "drover.opsagent.docker..",
                        "drover.opsagent.systemd..",
                        "drover.opsagent.runtime..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("drover.opsagent.engine.."))
                .check(HOUSE);
    }

    /** A second pure room of the coordinator: what a trace tells is decided, too. */
    @Test
    void theRoomOfTracesIsPure() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.trace..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInPureRoom("drover.coordinator", "trace")))
                .check(HOUSE);
    }

    /** A third one: figures are decided, too, from the rollout as the first one has it. */
    @Test
    void theRoomOfMeasuresIsPure() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.metrics..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(
                                allowedInPureRoom("drover.coordinator", "metrics")
                                        .or(resideInAnyPackage("drover.coordinator.plan.."))))
                .check(HOUSE);
    }

    /** A fourth one: what the world is told is decided, too. */
    @Test
    void theRoomOfEventsIsPure() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.event..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInPureRoom("drover.coordinator", "event")))
                .check(HOUSE);
    }

    /** A fifth one: who may call is decided, too, in the kit's words for access. */
    @Test
    void theRoomsOfAccessArePure() {
        noClasses()
                .that()
                .resideInAPackage("drover.coordinator.access..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(
                                allowedInPureRoom("drover.coordinator", "access")
                                        .or(resideInAnyPackage("drover.kit.access.."))))
                .check(HOUSE);
        noClasses()
                .that()
                .resideInAPackage("drover.kit.access..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInPureRoom("drover.kit", "access")))
                .check(HOUSE);
    }

    /** A second pure room of the agent: whom it dials, and when, is decided, too. */
    @Test
    void theRoomOfDialsIsPure() {
        noClasses()
                .that()
                .resideInAPackage("drover.opsagent.reconnect..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInPureRoom("drover.opsagent", "reconnect")))
                .check(HOUSE);
    }

    @Test
    void onlyTheKitKnowsTheTelemetryLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.kit.telemetry..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.opentelemetry..", "io.prometheus.."))
                .check(HOUSE);
    }

    @Test
    void onlyTheRoomOfAuthoritiesKnowsTheCertificateLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.kit.ca..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.bouncycastle.."))
                .check(HOUSE);
    }

    /** A second pure room of the gateway: how machines become nodes is decided, too. */
    @Test
    void theRoomOfIdentitiesIsPure() {
        noClasses()
                .that()
                .resideInAPackage("drover.gateway.identity..")
                .should()
                .dependOnClassesThat(
                        DescribedPredicate.not(allowedInPureRoom("drover.gateway", "identity")))
                .check(HOUSE);
    }

    @Test
    void onlyTheRoomOfTokensKnowsTheirLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.coordinator.token..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("com.nimbusds.."))
                .check(HOUSE);
    }

    @Test
    void onlyTheElectionKnowsEtcd() {
        noClasses()
                .that()
                .resideOutsideOfPackage("drover.coordinator.election..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.etcd..", "io.vertx.."))
                .check(HOUSE);
    }

    /** Two machines need not agree on the time for one of them to lead (invariant B5). */
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
                .check(HOUSE);
    }

    @Test
    void servicesNeverImportOneAnother() {
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
                    .because("they meet only in the contracts")
                    .allowEmptyShould(true)
                    .check(HOUSE);
        }
    }

    /** It is away, or a later version wrote what is there. */
    private static final Set<String> FAILURES_OF_STORES =
            Set.of("StoreUnavailable", "UnreadableRow", "UnwritableValue");

    /**
     * What doors show of a store they get from the engine. One thing they may use directly: a
     * read-only interface named {@code *Views}, with the rows it speaks of; and they may know how a
     * store fails, to say it in the operator's words. Never anything that writes.
     */
    @Test
    void doorsReadStoresOnlyThroughTheirViews() {
        for (String service : SERVICES) {
            noClasses()
                    .that()
                    .resideInAPackage(service + ".api..")
                    .should()
                    .dependOnClassesThat(
                            resideInAnyPackage(service + ".store..")
                                    .and(DescribedPredicate.not(shownByViews())))
                    .allowEmptyShould(true)
                    .check(HOUSE);
        }
    }

    private static DescribedPredicate<JavaClass> shownByViews() {
        Set<JavaClass> views =
                HOUSE.stream()
                        .filter(type -> outermost(type).isInterface())
                        .filter(type -> outermost(type).getSimpleName().endsWith("Views"))
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
    void theTerminalKnowsOnlyTheContracts() {
        noClasses()
                .that()
                .resideInAPackage("drover.cli..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("drover..")
                                .and(DescribedPredicate.not(resideInAnyPackage("drover.cli..")))
                                .and(DescribedPredicate.not(GENERATED)))
                .check(HOUSE);
    }

    /** Whoever starts services shares it: it must not bring any along. */
    @Test
    void theHomeOnAMachineKnowsNoService() {
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
                .check(HOUSE);
    }

    /**
     * The two modules with the longest tests, this one and {@code bench}, are tested at the same
     * time; the benchmark's classes are not on this class path, so their module files are read.
     */
    @Test
    void nothingDependsOnTheWholeMesh() throws IOException {
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
                .because("it runs beside the program it serves")
                .check(HOUSE);
    }

    @Test
    void theVocabularyStandsAlone() {
        classes()
                .that()
                .resideInAPackage("drover.model..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("drover.model..", "java..", "org.jspecify..")
                .check(HOUSE);
        classes()
                .that()
                .resideInAPackage("drover.trust..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("drover.trust..", "drover.model..", "java..", "org.jspecify..")
                .check(HOUSE);
    }

    @Test
    void everyPackageSaysWhatItIsAndIsNullMarked() {
        Set<String> lacking = new TreeSet<>();
        for (JavaPackage room : packages()) {
            boolean marked =
                    room.tryGetPackageInfo()
                            .map(told -> told.isAnnotatedWith(NullMarked.class))
                            .orElse(false);
            if (!marked) {
                lacking.add(room.getName());
            }
        }
        assertThat(lacking).as("packages without a @NullMarked package-info").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Manager", "Helper", "Util", "Utils", "Impl", "Data", "Info"})
    void noNameHidesWhatAThingIs(String ending) {
        List<String> found =
                HOUSE.stream()
                        .filter(type -> !GENERATED.test(type))
                        .map(JavaClass::getSimpleName)
                        .filter(simple -> simple.endsWith(ending))
                        .filter(simple -> !simple.equals("NoData")) // a verdict: there is none
                        .filter(simple -> !simple.matches(".*(Trust|Key)Manager")) // as in the JDK
                        .filter(simple -> !simple.equals("NodesWithoutData")) // nodes, not data
                        .toList();
        assertThat(found).isEmpty();
    }

    @Test
    void onlyTickersSleep() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(SystemTicker|Await|PollDelay|RetryDeadline|Sleeper|TaskScheduler)\\b.*")
                .should()
                .callMethodWhere(target(owner(name("java.lang.Thread"))).and(target(name("sleep"))))
                .because("time belongs to an object that a test can replace")
                .check(HOUSE);
    }

    private static DescribedPredicate<JavaClass> allowedInPureRoom(String service, String room) {
        return allowedInPureRoom(service, List.of(room));
    }

    private static DescribedPredicate<JavaClass> allowedInPureRoom(
            String service, List<String> rooms) {
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
                        .or(resideInAnyPackage(packagesOf(service, rooms)))
                        .and(
                                DescribedPredicate.not(
                                        resideInAnyPackage(
                                                "java.util.concurrent..", "java.util.logging..")));
        return language.or(
                        DescribedPredicate.describe(
                                "an array of words", ArchitectureTest::isPrimitive))
                .and(
                        DescribedPredicate.describe(
                                "no clock",
                                type ->
                                        !type.isEquivalentTo(Clock.class)
                                                && !type.isEquivalentTo(InstantSource.class)));
    }

    private static String[] packagesOf(String service, List<String> rooms) {
        return rooms.stream().map(room -> service + "." + room + "..").toArray(String[]::new);
    }

    /** Primitive types and arrays of anything have no package of their own. */
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
        HOUSE.stream()
                .filter(type -> !GENERATED.test(type))
                .map(JavaClass::getPackage)
                .forEach(packages::add);
        return packages;
    }
}
