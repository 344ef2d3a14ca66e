package drover.simulation.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The checks of the simulation read what the planner produced, and never call what the planner
 * decides with: a check that shares code with the planner repeats its mistakes.
 */
class CheckIndependenceTest {
    private static final String PLANNER = "drover.coordinator.plan";

    /** Classes that check; all others drive the simulation. */
    private static final Set<String> CHECKS =
            Set.of(
                    "SafetyInvariants",
                    "ObservationRecorder",
                    "RecordedLeaderVerdicts",
                    "StateClassification");

    private static final String HISTORY_CHECKS = "drover.coordinator.store.check";

    /** Names of states for messages and for the history, the value that A10 checks, look-ups. */
    private static final Set<String> ALLOWED =
            Set.of(
                    "StateNameFormatter.of",
                    "GroupStateNames.of",
                    "Rollout.counters",
                    "NodeUpgrade.id",
                    "RolloutGroup.component");

    private static final Set<String> OF_EVERY_OBJECT =
            Set.of("equals", "getClass", "hashCode", "toString");

    /** What decides in the planner. No class of the simulation calls it. */
    private static final Set<String> DECISIONS =
            Set.of(
                    "RolloutPlanner",
                    "StepViolationFinder",
                    "HealthInvariants",
                    "OperatorRequestRules",
                    "GroupPlanner",
                    "GroupRequestRules",
                    "Threshold.isExceededBy",
                    "Rollout.isBeyondThreshold",
                    "Rollout.unacknowledgedFailures",
                    "Rollout.isDecided",
                    "BatchPhase.next");

    private static final JavaClasses SIMULATION =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("drover.simulation", PLANNER, HISTORY_CHECKS);

    private static Stream<JavaClass> simulation() {
        return SIMULATION.stream()
                .filter(type -> type.getPackageName().startsWith("drover.simulation"));
    }

    private static Stream<JavaClass> historyChecks() {
        return SIMULATION.stream().filter(type -> type.getPackageName().equals(HISTORY_CHECKS));
    }

    private static boolean isCheck(JavaClass type) {
        String outer = type.getName().replaceFirst(".*\\.", "").replaceFirst("\\$.*", "");
        return outer.endsWith("Invariants") || CHECKS.contains(outer);
    }

    private static Stream<JavaAccess<? extends CodeUnitAccessTarget>> calls(JavaClass type) {
        return Stream.concat(
                type.getMethodCallsFromSelf().stream(),
                type.getMethodReferencesFromSelf().stream());
    }

    private static boolean isPlanner(JavaAccess<? extends CodeUnitAccessTarget> call) {
        return call.getTargetOwner().getPackageName().startsWith(PLANNER);
    }

    private static String name(JavaAccess<? extends CodeUnitAccessTarget> call) {
        return call.getTargetOwner().getSimpleName() + "." + call.getTarget().getName();
    }

    /** Components of records, constants of enums, and what records implement by a component. */
    private static boolean isData(JavaAccess<? extends CodeUnitAccessTarget> call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getTarget().getName();
        if (OF_EVERY_OBJECT.contains(name)) {
            return true;
        }
        if (owner.isRecord()) {
            return Arrays.stream(owner.reflect().getRecordComponents())
                    .anyMatch(component -> component.getName().equals(name));
        }
        if (owner.isEnum()) {
            return Set.of("values", "valueOf", "name", "ordinal").contains(name);
        }
        return call.getTarget()
                .resolveMember()
                .filter(member -> member.getModifiers().contains(JavaModifier.ABSTRACT))
                .isPresent();
    }

    @Test
    @DisplayName("Checks of the simulation call no code of the planner")
    void checksCallNoCodeOfThePlanner() {
        assertThat(simulation().filter(CheckIndependenceTest::isCheck)).hasSizeGreaterThan(15);
        Set<String> shared =
                simulation()
                        .filter(CheckIndependenceTest::isCheck)
                        .flatMap(CheckIndependenceTest::calls)
                        .filter(CheckIndependenceTest::isPlanner)
                        .filter(call -> !isData(call))
                        .filter(call -> !ALLOWED.contains(name(call)))
                        .map(call -> call.getOriginOwner().getSimpleName() + ": " + name(call))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(shared).isEmpty();
    }

    @Test
    @DisplayName("Checks of histories use no class of the planner but the reason of a row")
    void checksOfHistoriesUseNoClassOfThePlanner() {
        assertThat(historyChecks()).hasSizeGreaterThan(3);
        Set<String> shared =
                historyChecks()
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                        .filter(target -> target.getPackageName().startsWith(PLANNER))
                        .map(JavaClass::getName)
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(shared).isSubsetOf(PLANNER + ".observed.Cause");
    }

    @Test
    @DisplayName("No class of the simulation calls what decides in the planner")
    void theSimulationCallsNoDecision() {
        Set<String> decisions =
                simulation()
                        .flatMap(CheckIndependenceTest::calls)
                        .filter(CheckIndependenceTest::isPlanner)
                        .filter(
                                call ->
                                        DECISIONS.contains(name(call))
                                                || DECISIONS.contains(
                                                        call.getTargetOwner().getSimpleName()))
                        .map(call -> call.getOriginOwner().getSimpleName() + ": " + name(call))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(decisions).isEmpty();
    }

    @ParameterizedTest
    @DisplayName("A6: the threshold of the checks is exact")
    @CsvSource({"1, 3, 33, true", "1, 3, 34, false", "1, 100, 1, false", "0, 0, 0, false"})
    void theThresholdOfTheChecksIsExact(int failed, int attempted, int percent, boolean exceeded) {
        assertThat(StateClassification.exceeds(new Threshold.Percent(percent), failed, attempted))
                .isEqualTo(exceeded);
    }

    @Test
    @DisplayName("A17: the checks know transitions that are not legal")
    void theChecksKnowWhatIsNotLegal() {
        assertThat(TransitionInvariants.isLegal("node", "pending", "assigned")).isTrue();
        assertThat(TransitionInvariants.isLegal("node", "pending", "succeeded")).isFalse();
        assertThat(TransitionInvariants.isLegal("rollout", "completed", "running")).isFalse();
        assertThat(TransitionInvariants.isLegal("batch 1", "promoted", "dispatching")).isFalse();
        assertThat(StateClassification.batchSize(new Strategy.Canary(1, 4))).isEqualTo(4);
    }
}
