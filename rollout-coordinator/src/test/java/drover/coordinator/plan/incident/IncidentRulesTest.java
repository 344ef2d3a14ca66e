package drover.coordinator.plan.incident;

import static drover.coordinator.plan.incident.IncidentCategory.CRASH_LOOP;
import static drover.coordinator.plan.incident.IncidentCategory.DRIFT;
import static drover.coordinator.plan.incident.IncidentCategory.NODE_UNHEALTHY;
import static drover.coordinator.plan.incident.IncidentCategory.UPGRADE_FAILED;
import static drover.coordinator.plan.incident.IncidentCategory.UPGRADE_ROLLBACK_FAILED;
import static drover.coordinator.plan.incident.IncidentCategory.UPGRADE_STALLED;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.incident.IncidentChange.CloseMatching;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IncidentRulesTest {
    private static final NodeId NODE = Given.node(1);
    private static final AgentFinding FALLS =
            new AgentFinding(AgentFinding.CRASH_LOOP, "web", "It falls again and again.");

    private final List<IncidentChange> changes = new ArrayList<>();
    private final Given given = Given.rolling(1, 1);

    private void step(Runnable happening) {
        Rollout before = given.rollout;
        happening.run();
        changes.addAll(IncidentRules.changesBetween(before, given.rollout, List.of()));
    }

    private List<IncidentCategory> opened() {
        return changes.stream()
                .filter(Open.class::isInstance)
                .map(change -> ((Open) change).category())
                .toList();
    }

    private void reports(AttemptOutcome outcome) {
        given.fleet.report(
                NODE,
                given.upgrade(NODE).attempt(),
                outcome,
                Given.NEW.value(),
                Given.NEW_CONFIG.value(),
                "BACKUP_DAMAGED");
        given.plan();
    }

    @Test
    void aFailedUpgradeThatIsBackOpensNothing() {
        step(() -> given.start().fails(NODE));

        assertThat(changes).isEmpty();
    }

    @Test
    void anUpgradeThatCouldNotBeUndoneIsACriticalIncidentOfItsRollout() {
        step(() -> given.start());
        step(() -> reports(AttemptOutcome.FAILED_ROLLBACK));

        assertThat(changes)
                .singleElement()
                .isInstanceOfSatisfying(
                        Open.class,
                        open -> {
                            assertThat(open.category()).isEqualTo(UPGRADE_FAILED);
                            assertThat(open.severity()).isEqualTo(IncidentSeverity.CRITICAL);
                            assertThat(open.node()).isEqualTo(NODE);
                            assertThat(open.rollout()).isEqualTo(given.rollout.id());
                            assertThat(open.because().code()).isEqualTo("BACKUP_DAMAGED");
                        });
    }

    @Test
    void aRollbackThatFailsOnASucceededNodeHasItsOwnCategory() {
        step(() -> given.start().installs(NODE).isHealthy(NODE));
        step(() -> given.request(new OperatorRequest.Rollback()));
        step(() -> given.plan());
        step(() -> reports(AttemptOutcome.FAILED_ROLLBACK));

        assertThat(opened()).containsExactly(UPGRADE_ROLLBACK_FAILED);
    }

    @Test
    void aNodeThatIsUnresponsiveInARollbackIsNotBackEither() {
        step(() -> given.start().installs(NODE).isHealthy(NODE));
        step(() -> given.request(new OperatorRequest.Rollback()));
        step(() -> given.plan());
        step(() -> given.at(RolloutTimeouts.STANDARD.accept()).plan());

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Unreachable.class);
        assertThat(opened()).containsExactly(UPGRADE_ROLLBACK_FAILED);
    }

    @Test
    void aNodeThatShowsLifeAndIsNotHealthyInTimeHasStalled() {
        step(() -> given.start().installs(NODE));
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        given.at(Duration.ofHours(1));
        step(() -> given.plan());

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);
        assertThat(opened()).containsExactly(UPGRADE_STALLED);
        step(() -> given.restores(NODE));
        assertThat(opened()).hasSize(1);
    }

    @Test
    @DisplayName("A22: a success closes what any rollout of the program opened about the node")
    void aSuccessClosesWhatEarlierRolloutsOfTheProgramOpened() {
        step(() -> given.start().installs(NODE).isHealthy(NODE));

        assertThat(changes)
                .singleElement()
                .isInstanceOfSatisfying(
                        CloseMatching.class,
                        close -> {
                            assertThat(close.categories()).contains(NODE_UNHEALTHY);
                            assertThat(close.node()).isEqualTo(NODE);
                            assertThat(close.rollout()).isNull();
                            assertThat(close.program()).isEqualTo(new BinaryName("web"));
                        });
    }

    private static Optional<CloseMatching> closeAt(
            ProgramKind kind, NodeView view, Duration afterEnd) {
        return IncidentRules.closeIfHealthyAgain(
                new UnhealthyAfterEnd(
                        NODE,
                        new RolloutId("rollout-1"),
                        kind,
                        new BinaryName("web"),
                        Given.START,
                        Duration.ofSeconds(10)),
                view,
                Given.START.plus(afterEnd));
    }

    private NodeView reports(Level level, Duration since) {
        given.fleet.reports(NODE, level, Given.START.plus(since));
        return given.fleet.node(NODE);
    }

    @Test
    @DisplayName(
            "A22: after the end, a node is healthy again when it has been so for the health wait")
    void anUnhealthyNodeOfAnEndedRolloutMustBeHealthyForTheHealthWait() {
        NodeView healthy = reports(Level.HEALTHY, Duration.ofSeconds(5));

        assertThat(closeAt(ProgramKind.CARED_FOR, healthy, Duration.ofSeconds(14))).isEmpty();
        assertThat(closeAt(ProgramKind.CARED_FOR, healthy, Duration.ofSeconds(15)))
                .hasValueSatisfying(
                        close -> {
                            assertThat(close.categories()).containsExactly(NODE_UNHEALTHY);
                            assertThat(close.node()).isEqualTo(NODE);
                            assertThat(close.rollout()).isEqualTo(new RolloutId("rollout-1"));
                        });
    }

    @Test
    void theHealthWaitStartsAtTheEndOfTheRollout() {
        NodeView healthy = reports(Level.HEALTHY, Duration.ofMinutes(-1));

        assertThat(closeAt(ProgramKind.CARED_FOR, healthy, Duration.ofSeconds(9))).isEmpty();
        assertThat(closeAt(ProgramKind.CARED_FOR, healthy, Duration.ofSeconds(10))).isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"UNKNOWN", "CRITICAL", "DOWN", "CRASH_LOOP"})
    @DisplayName("R3: without data, or while it is not healthy, the incident stays open")
    void aNodeThatIsNotHealthyKeepsItsIncident(Level level) {
        NodeView view = reports(level, Duration.ZERO);
        assertThat(closeAt(ProgramKind.CARED_FOR, view, Duration.ofHours(1))).isEmpty();
    }

    @Test
    void aNodeThatIsNotConnectedKeepsItsIncident() {
        NodeView offline = new NodeView.Absent(Given.START);
        assertThat(closeAt(ProgramKind.CARED_FOR, offline, Duration.ofHours(1))).isEmpty();
        assertThat(closeAt(ProgramKind.AGENT, offline, Duration.ofHours(1))).isEmpty();
    }

    @Test
    void anAgentIsHealthyWhenItIsConnected() {
        assertThat(closeAt(ProgramKind.AGENT, given.fleet.node(NODE), Duration.ofSeconds(10)))
                .isPresent();
    }

    @Test
    void aRetryThatSucceedsClosesWhatTheFailureOpened() {
        step(() -> given.start().installs(NODE));
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        step(() -> given.at(Duration.ofHours(1)).plan().restores(NODE));
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Failed.class);
        step(() -> given.request(new OperatorRequest.RetryNode(NODE)));
        changes.clear();
        step(
                () -> {
                    given.request(new OperatorRequest.Resume(0));
                    given.plan().installs(NODE).isHealthy(NODE);
                });

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(changes)
                .singleElement()
                .isInstanceOfSatisfying(
                        CloseMatching.class,
                        close -> {
                            assertThat(close.categories()).contains(UPGRADE_STALLED);
                            assertThat(close.node()).isEqualTo(NODE);
                        });
    }

    @Test
    void aRollbackThatIsDoneClosesWhatItsRolloutOpened() {
        step(() -> given.start().installs(NODE).isHealthy(NODE));
        changes.clear();
        step(() -> given.request(new OperatorRequest.Rollback()));
        step(() -> given.plan());
        step(() -> given.restores(NODE));

        assertThat(changes)
                .anySatisfy(
                        change ->
                                assertThat(change)
                                        .isInstanceOfSatisfying(
                                                CloseMatching.class,
                                                close -> assertThat(close.node()).isNull()));
    }

    private Optional<Open> falls(NodeState state, boolean ended, MigrationType migration) {
        return IncidentRules.fromFinding(
                NODE,
                FALLS,
                new LastProgramWork(
                        given.rollout.id(), state, ended, migration, "Provision it anew."));
    }

    @Test
    void aCrashLoopAfterTheWayBackOfABreakingMigrationIsCriticalAndCarriesItsPlan() {
        Open open =
                falls(new NodeState.RolledBack(2, Given.START), true, MigrationType.BREAKING)
                        .orElseThrow();

        assertThat(open.category()).isEqualTo(CRASH_LOOP);
        assertThat(open.severity()).isEqualTo(IncidentSeverity.CRITICAL);
        assertThat(open.recoveryPlan()).isEqualTo("Provision it anew.");
        assertThat(open.category().degradesNode()).isTrue();
    }

    @Test
    void aCrashLoopAfterAnotherWayBackIsMajor() {
        Cause cause = new Cause("UNHEALTHY", "It was unwell.");

        assertThat(
                        falls(
                                        new NodeState.Failed(2, cause, Given.START),
                                        false,
                                        MigrationType.NONE)
                                .orElseThrow()
                                .severity())
                .isEqualTo(IncidentSeverity.MAJOR);
    }

    @Test
    void aCrashLoopOfANodeThatItsRolloutJudgesOpensNothing() {
        NodeState settling = new NodeState.Settling(1, "run", Given.START);
        NodeState succeeded = new NodeState.Succeeded(1, "run", Given.START);

        assertThat(falls(settling, false, MigrationType.NONE)).isEmpty();
        assertThat(falls(succeeded, false, MigrationType.NONE)).isEmpty();
        assertThat(falls(succeeded, true, MigrationType.NONE)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"COMMAND_UNSIGNED", "COMMAND_ALTERED", "TRUST_UNUSABLE", "RENEWAL_SUSPECT"})
    @DisplayName("H8: an agent that does not believe what it is sent is for a person to look at")
    void disbeliefIsAnIncident(String code) {
        AgentFinding finding = new AgentFinding(code, "", "Find out who changes messages.");
        Open open = IncidentRules.fromFinding(NODE, finding, null).orElseThrow();
        assertThat(open.category()).isEqualTo(IncidentCategory.COMMAND_REJECTED);
        assertThat(open.because().code()).isEqualTo(code);
        assertThat(open.because().sentence()).contains("Find out who changes messages.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DISK_FULL", "DISK_ERROR"})
    @DisplayName("D15: an agent that cannot record attempts is visible before a rollout")
    void aDiskThatTakesNoRecordsIsAnIncident(String code) {
        AgentFinding finding = new AgentFinding(code, "", "/state has 0 free inodes.");
        Open open = IncidentRules.fromFinding(NODE, finding, null).orElseThrow();
        assertThat(open.category()).isEqualTo(IncidentCategory.AGENT_DISK_FAULT);
        assertThat(open.because()).isEqualTo(new Cause(code, "/state has 0 free inodes."));
    }

    @Test
    void driftBelongsToNoRollout() {
        Open open =
                IncidentRules.fromFinding(
                                NODE,
                                new AgentFinding(AgentFinding.DRIFT, "web", "The file changed."),
                                null)
                        .orElseThrow();

        assertThat(open.category()).isEqualTo(DRIFT);
        assertThat(open.rollout()).isNull();
        assertThat(open.because().sentence()).contains("web");
    }

    @Test
    @DisplayName("H1: that nobody is misplaced is known when all gateways have long been heard")
    void mismatchEndsOnceAllGatewaysReportedForLongEnough() {
        Instant since = Instant.parse("2026-01-01T00:00:00Z");
        Instant late = since.plus(Duration.ofMinutes(15));
        Set<String> both = Set.of("g1", "g2");
        assertThat(IncidentRules.areMismatchReportsComplete(both, both, since, late)).isTrue();
        assertThat(IncidentRules.areMismatchReportsComplete(both, Set.of("g1"), since, late))
                .as("one has not spoken")
                .isFalse();
        assertThat(IncidentRules.areMismatchReportsComplete(Set.of(), Set.of(), since, late))
                .as("there is nobody who could have been heard")
                .isFalse();
        assertThat(IncidentRules.areMismatchReportsComplete(both, both, null, late))
                .as("one cannot be heard")
                .isFalse();
        assertThat(IncidentRules.areMismatchReportsComplete(both, both, since, late.minusMillis(1)))
                .as("a gateway that was lost may have known")
                .isFalse();
    }
}
