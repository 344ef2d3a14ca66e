package drover.coordinator.plan.group;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.model.RefusalCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every cell of the table of a group's states and requests. */
class GroupRequestsTest {
    private static final Instant NOW = GivenGroup.START;
    private static final GroupState.Running COMPONENT =
            new GroupState.Running(1, RunningGroupStage.COMPONENT, NOW);
    private static final GroupState.Running GATE =
            new GroupState.Running(1, RunningGroupStage.GATE, NOW);

    private static final Map<String, GroupState> STATES =
            Map.ofEntries(
                    Map.entry("pending", new GroupState.Pending(NOW)),
                    Map.entry("running", COMPONENT),
                    Map.entry(
                            "paused_component",
                            COMPONENT.pause(GroupPauseReason.COMPONENT_FAILED, NOW)),
                    Map.entry("paused_gate", GATE.pause(GroupPauseReason.GATE_UNHEALTHY, NOW)),
                    Map.entry(
                            "paused_rolling_back",
                            new GroupState.RollingBack(NOW).pause(GroupPauseReason.OPERATOR, NOW)),
                    Map.entry(
                            "cancelling",
                            new GroupState.Cancelling(UnsuccessfulGroupEnding.CANCELLED, NOW)),
                    Map.entry("rolling_back", new GroupState.RollingBack(NOW)),
                    Map.entry("completed", new GroupState.Completed(NOW)),
                    Map.entry("partial", new GroupState.Partial(NOW)),
                    Map.entry(
                            "failed",
                            new GroupState.Failed(GroupFailureReason.COMPONENT_FAILED, NOW)),
                    Map.entry("cancelled", new GroupState.Cancelled(NOW)),
                    Map.entry("rolled_back", new GroupState.RolledBack(NOW)));

    private static final List<String> REQUESTS =
            List.of("start", "pause", "resume", "cancel", "rollback", "skip");

    /**
     * One row a state, one column a request: the status it moves to, or the code it is refused
     * with. The rows are those of docs/operations.md, in its order.
     */
    private static final String TABLE =
            """
            pending             running    NOT_STARTED NOT_STARTED  cancelling NOTHING_DONE NOT_STARTED
            running             ALREADY    paused      ALREADY      cancelling rolling_back PAUSE_FIRST
            paused_component    USE_RESUME ALREADY     running      cancelling rolling_back running
            paused_gate         USE_RESUME ALREADY     running      cancelling rolling_back running
            paused_rolling_back USE_RESUME ALREADY     rolling_back TOO_LATE   USE_RESUME   TOO_LATE
            cancelling          TOO_LATE   TOO_LATE    TOO_LATE     ALREADY    rolling_back TOO_LATE
            rolling_back        TOO_LATE   paused      ALREADY      USE_PAUSE  ALREADY      TOO_LATE
            completed           FINAL      FINAL       FINAL        FINAL      rolling_back FINAL
            partial             FINAL      FINAL       FINAL        FINAL      rolling_back FINAL
            failed              FINAL      FINAL       FINAL        FINAL      rolling_back FINAL
            cancelled           FINAL      FINAL       FINAL        FINAL      rolling_back FINAL
            rolled_back         FINAL      FINAL       FINAL        FINAL      ALREADY      FINAL
            """;

    static List<Arguments> cells() {
        List<Arguments> cells = new ArrayList<>();
        for (String[] columns : rows()) {
            for (int i = 0; i < REQUESTS.size(); i++) {
                cells.add(Arguments.of(columns[0], REQUESTS.get(i), columns[i + 1]));
            }
        }
        return cells;
    }

    private static List<String[]> rows() {
        return TABLE.strip().lines().map(row -> row.strip().split(" +", -1)).toList();
    }

    @ParameterizedTest(name = "{1} when {0}: {2}")
    @MethodSource("cells")
    void respondsAsTheTableDefines(String state, String request, String expected) {
        GivenGroup given = in(state);
        GroupRequestDecision decision = given.request(request(request));
        String answer =
                switch (decision) {
                    case GroupRequestDecision.Applied applied ->
                            GroupStateNames.of(applied.next().state());
                    case GroupRequestDecision.Refused refused -> refused.code().name();
                };
        assertThat(answer).isEqualTo(expected);
    }

    @Test
    void theTableHasEveryStateAndEveryRequest() {
        assertThat(rows()).hasSize(STATES.size());
        assertThat(rows())
                .extracting(row -> row[0])
                .containsExactlyInAnyOrderElementsOf(STATES.keySet());
        int known = GroupRequest.class.getPermittedSubclasses().length - 1; // but Unknown
        assertThat(REQUESTS).hasSize(known);
        assertThat(STATES.values())
                .extracting(Object::getClass)
                .as("every state that there is")
                .containsAll(leaves(GroupState.class));
    }

    private static List<Class<?>> leaves(Class<?> family) {
        List<Class<?>> leaves = new ArrayList<>();
        for (Class<?> type : family.getPermittedSubclasses()) {
            if (type.isRecord()) {
                leaves.add(type);
            } else {
                leaves.addAll(leaves(type));
            }
        }
        return leaves;
    }

    @Test
    @DisplayName("The table of docs/operations.md says what the code does, cell by cell")
    void theDocumentedTableIsTheTable() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operations.md"));
        String table =
                page.substring(
                        page.indexOf("<!-- group requests: begin -->"),
                        page.indexOf("<!-- group requests: end -->"));
        List<String> documented =
                table.lines().filter(line -> line.startsWith("| ")).skip(1).toList();
        assertThat(documented).hasSize(rows().size());
        for (int i = 0; i < documented.size(); i++) {
            String[] reported = documented.get(i).split(" \\| ", -1);
            String[] meant = rows().get(i);
            for (int k = 1; k <= REQUESTS.size(); k++) {
                String cell =
                        reported[k].replaceAll("[ |]+$", "").replace("→ ", "").replace("`", "");
                assertThat(cell).as(meant[0] + ", " + REQUESTS.get(k - 1)).isEqualTo(meant[k]);
            }
        }
    }

    @Test
    void aComponentThatHasEndedCannotBeResumed() {
        GivenGroup given = in("paused_component");
        given.components.set(1, new RolloutState.Failed(RolloutFailureReason.NODES_FAILED, NOW));
        assertThat(given.request(new GroupRequest.Resume(0)))
                .isInstanceOfSatisfying(
                        GroupRequestDecision.Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(RefusalCode.COMPONENT_ENDED));
    }

    @Test
    void aComponentThatIsCompletedIsNotSkipped() {
        GivenGroup given = in("paused_component");
        given.complete(1);
        assertThat(given.request(new GroupRequest.Skip()))
                .isInstanceOfSatisfying(
                        GroupRequestDecision.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo(RefusalCode.ALREADY));
    }

    @Test
    void whatALaterRolloutChangedIsNotRolledBack() {
        GivenGroup given = in("completed");
        given.superseded =
                "Node n-1 has been changed by a later rollout; roll that one back first.";
        assertThat(given.request(new GroupRequest.Rollback()))
                .isEqualTo(
                        new GroupRequestDecision.Refused(RefusalCode.SUPERSEDED, given.superseded));
    }

    private static GivenGroup in(String state) {
        GroupState wanted = Objects.requireNonNull(STATES.get(state), state);
        GivenGroup given = new GivenGroup(3, GroupFailurePolicy.MANUAL);
        if (state.equals("paused_component")) {
            given.fail(1);
        }
        return given.in(wanted);
    }

    private static GroupRequest request(String word) {
        return switch (word) {
            case "start" -> new GroupRequest.Start();
            case "pause" -> new GroupRequest.Pause();
            case "resume" -> new GroupRequest.Resume(0);
            case "cancel" -> new GroupRequest.Cancel();
            case "rollback" -> new GroupRequest.Rollback();
            case "skip" -> new GroupRequest.Skip();
            default -> throw new IllegalArgumentException(word);
        };
    }

    @Test
    @DisplayName("A16: a group with a component that needs a second person is not started alone")
    void theCreatorDoesNotStartAGroupThatNeedsASecondPerson() {
        GroupDecisionInput view =
                new GroupDecisionInput(
                        java.util.List.of(
                                new ComponentRolloutSummary(
                                        new drover.coordinator.plan.model.RolloutState.Pending(
                                                java.time.Instant.EPOCH),
                                        false,
                                        "alice",
                                        "It does not wait for health.")),
                        java.util.Map.of(),
                        new GroupGateStatus.Waiting(java.time.Instant.EPOCH, "It is at no gate."),
                        java.util.Optional.empty(),
                        "");
        GroupRequest start = new GroupRequest.Start();
        assertThat(GroupRequestRules.findCreatorRefusal(start, "alice", view).orElseThrow())
                .isEqualTo(
                        new GroupRequestDecision.Refused(
                                drover.model.RefusalCode.CREATOR_CANNOT_APPROVE,
                                "Of a component: It does not wait for health. Somebody else than"
                                        + " its creator must start the group."));
        assertThat(GroupRequestRules.findCreatorRefusal(start, "bob", view)).isEmpty();
        assertThat(GroupRequestRules.findCreatorRefusal(new GroupRequest.Cancel(), "alice", view))
                .isEmpty();
    }
}
