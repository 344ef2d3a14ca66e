package drover.coordinator.plan.request;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A17: every cell of the table of states and requests. */
class OperatorRequestsTest {
    private static final Instant NOW = Given.START;
    private static final NodeId NODE = Given.node(1);

    private static final Map<String, RolloutState> STATES =
            Map.ofEntries(
                    Map.entry("pending", new RolloutState.Pending(NOW)),
                    Map.entry("running", new RolloutState.Running(NOW)),
                    Map.entry("awaiting_approval", new RolloutState.AwaitingApproval(NOW)),
                    Map.entry(
                            "paused_running",
                            new RolloutState.Running(NOW).pause(PauseReason.OPERATOR, NOW)),
                    Map.entry(
                            "paused_failures",
                            new RolloutState.Running(NOW)
                                    .pause(PauseReason.FAILURE_THRESHOLD, NOW)),
                    Map.entry(
                            "paused_approval",
                            new RolloutState.AwaitingApproval(NOW)
                                    .pause(PauseReason.OPERATOR, NOW)),
                    Map.entry(
                            "paused_rolling_back",
                            new RolloutState.RollingBack(NOW).pause(PauseReason.OPERATOR, NOW)),
                    Map.entry("cancelling", new RolloutState.Cancelling(NOW)),
                    Map.entry("rolling_back", new RolloutState.RollingBack(NOW)),
                    Map.entry("completed", new RolloutState.Completed(NOW)),
                    Map.entry(
                            "failed",
                            new RolloutState.Failed(RolloutFailureReason.NODES_FAILED, NOW)),
                    Map.entry("cancelled", new RolloutState.Cancelled(NOW)),
                    Map.entry("rolled_back", new RolloutState.RolledBack(NOW)));

    private static final List<String> REQUESTS =
            List.of(
                    "start",
                    "pause",
                    "resume",
                    "cancel",
                    "approve",
                    "force",
                    "rollback",
                    "retry",
                    "skip",
                    "hold",
                    "release",
                    "skip_all");

    /**
     * One row a state, one column a request: the status it moves to, or the code it is refused
     * with.
     */
    private static final String TABLE =
            """
            pending             running     NOT_STARTED NOT_STARTED       cancelled  NOT_AWAITING NOT_STARTED  NOTHING_DONE NOT_STARTED pending pending pending pending
            running             ALREADY     paused      ALREADY           cancelling NOT_AWAITING running      rolling_back running     running running running running
            awaiting_approval   ALREADY     paused      USE_APPROVE       cancelling running      USE_APPROVE  rolling_back running     running awaiting_approval awaiting_approval running
            paused_running      USE_RESUME  ALREADY     running           cancelling RESUME_FIRST paused       rolling_back paused      paused paused paused paused
            paused_failures     USE_RESUME  ALREADY     running           cancelling RESUME_FIRST running      rolling_back paused      paused paused paused paused
            paused_approval     USE_RESUME  ALREADY     awaiting_approval cancelling RESUME_FIRST RESUME_FIRST rolling_back paused      paused paused paused paused
            paused_rolling_back USE_RESUME  ALREADY     rolling_back      TOO_LATE   TOO_LATE     TOO_LATE     USE_RESUME   paused      paused TOO_LATE TOO_LATE TOO_LATE
            cancelling          TOO_LATE    TOO_LATE    TOO_LATE          ALREADY    TOO_LATE     TOO_LATE     cancelling   TOO_LATE    TOO_LATE TOO_LATE TOO_LATE TOO_LATE
            rolling_back        TOO_LATE    paused      ALREADY           USE_PAUSE  TOO_LATE     TOO_LATE     ALREADY      rolling_back rolling_back TOO_LATE TOO_LATE TOO_LATE
            completed           FINAL       FINAL       FINAL             FINAL      FINAL        FINAL        rolling_back FINAL       FINAL FINAL FINAL FINAL
            failed              FINAL       FINAL       FINAL             FINAL      FINAL        FINAL        rolling_back FINAL       FINAL FINAL FINAL FINAL
            cancelled           FINAL       FINAL       FINAL             FINAL      FINAL        FINAL        rolling_back FINAL       FINAL FINAL FINAL FINAL
            rolled_back         FINAL       FINAL       FINAL             FINAL      FINAL        FINAL        ALREADY      FINAL       FINAL FINAL FINAL FINAL
            """;

    static List<Arguments> cells() {
        List<Arguments> cells = new ArrayList<>();
        for (String row : TABLE.strip().split("\n", -1)) {
            String[] columns = row.strip().split(" +", -1);
            for (int i = 0; i < REQUESTS.size(); i++) {
                cells.add(Arguments.of(columns[0], REQUESTS.get(i), columns[i + 1]));
            }
        }
        return cells;
    }

    @ParameterizedTest(name = "{1} when {0}: {2}")
    @MethodSource("cells")
    void respondsAsTheTableDefines(String state, String request, String expected) {
        Given given = in(state, request);
        RequestDecision decision = given.request(request(given, request));
        String answer =
                switch (decision) {
                    case RequestDecision.Applied applied ->
                            StateNameFormatter.of(applied.next().state());
                    case RequestDecision.Refused refused -> refused.code().name();
                };
        assertThat(answer).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{1} by its creator when {0}: {2}, but nobody approves alone")
    @MethodSource("cells")
    @DisplayName("A9 A16: in no state does a creator approve or force")
    void aCreatorNeitherApprovesNorForcesInAnyState(String state, String request, String cell) {
        Given given = in(state, request);
        boolean alone = List.of("approve", "force").contains(request);
        String answer =
                switch (given.request(request(given, request), "alice")) {
                    case RequestDecision.Applied applied ->
                            StateNameFormatter.of(applied.next().state());
                    case RequestDecision.Refused refused -> refused.code().name();
                };
        boolean refusedAnyway = cell.equals(cell.toUpperCase(java.util.Locale.ROOT));
        assertThat(answer).isEqualTo(alone && !refusedAnyway ? "CREATOR_CANNOT_APPROVE" : cell);
    }

    @Test
    void theTableHasEveryStateAndEveryRequest() {
        assertThat(cells()).hasSize(STATES.size() * REQUESTS.size());
        int known = OperatorRequest.class.getPermittedSubclasses().length - 1; // but Unknown
        assertThat(REQUESTS).hasSize(known);
    }

    @ParameterizedTest
    @MethodSource("states")
    @DisplayName("C15: what a later version asks for is refused in every state, and says so")
    void refusesRequirementsOfALaterVersion(String state) {
        RequestDecision decision = in(state, "pause").request(new OperatorRequest.Unknown("thaw"));
        assertThat(decision)
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> {
                            assertThat(refused.code())
                                    .isEqualTo(RefusalCode.WRITTEN_BY_LATER_VERSION);
                            assertThat(refused.sentence()).contains("'thaw'");
                        });
    }

    static List<String> states() {
        return List.copyOf(STATES.keySet());
    }

    /** The rows of the documented table, in order, by the words of the test. */
    private static final List<String> DOCUMENTED =
            List.of(
                    "pending",
                    "running",
                    "awaiting_approval",
                    "paused_running",
                    "paused_failures",
                    "paused_approval",
                    "paused_rolling_back",
                    "cancelling",
                    "rolling_back",
                    "completed",
                    "failed",
                    "cancelled",
                    "rolled_back");

    @Test
    @DisplayName("The table of docs/operations.md says what the code does, cell by cell")
    void theDocumentedTableIsTheTable() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operations.md"));
        String table =
                page.substring(
                        page.indexOf("<!-- requests: begin -->"),
                        page.indexOf("<!-- requests: end -->"));
        List<String> rows = table.lines().filter(line -> line.startsWith("| ")).skip(1).toList();
        assertThat(rows).hasSize(DOCUMENTED.size());
        for (int i = 0; i < rows.size(); i++) {
            String[] reported = rows.get(i).split(" \\| ", -1);
            String state = DOCUMENTED.get(i);
            for (int k = 0; k < REQUESTS.size(); k++) {
                String expected = reported[k + 1].replaceAll("[ |]+$", "");
                assertThat(isDocumented(state, REQUESTS.get(k), expected))
                        .as(state + ", " + REQUESTS.get(k) + ": " + expected)
                        .isTrue();
            }
        }
    }

    /** An arrow names the new state, "ok" says in words what else there is, a code refuses. */
    private static boolean isDocumented(String state, String request, String message) {
        Given given = in(state, request);
        String before = StateNameFormatter.of(given.rollout.state());
        return switch (given.request(request(given, request))) {
            case RequestDecision.Refused refused -> message.equals(refused.code().name());
            case RequestDecision.Applied applied -> {
                String after = StateNameFormatter.of(applied.next().state());
                yield (after.equals(before) || message.endsWith("observed anew"))
                        ? message.startsWith("ok")
                        : message.equals("→ " + after);
            }
        };
    }

    /**
     * A rollout in this state with a node that the request can be about: failed, held or proven.
     */
    private static Given in(String name, String request) {
        Given given = Given.canary(3, drover.model.MigrationType.BREAKING);
        RolloutState state = STATES.get(name);
        if (state == null) {
            throw new IllegalArgumentException(name);
        }
        Map<NodeId, NodeUpgrade> nodes = new java.util.LinkedHashMap<>(given.rollout.nodes());
        if (request.equals("retry") || (request.equals("skip_all") && !name.equals("pending"))) {
            nodes.put(
                    NODE,
                    given.upgrade(NODE)
                            .withState(
                                    new NodeState.Failed(
                                            1, new Cause("START_FAILED", "It failed."), NOW)));
        }
        if (request.equals("release") || (request.equals("skip_all") && name.equals("pending"))) {
            nodes.put(
                    NODE,
                    given.upgrade(NODE)
                            .withState(new NodeState.Held("disk", NOW.plusSeconds(60), NOW)));
        }
        if (request.equals("approve")) { // the canary is proven
            nodes.replaceAll(
                    (id, node) ->
                            node.batch() == 0
                                    ? node.withState(new NodeState.Succeeded(1, "run-1", NOW))
                                    : node);
        }
        given.rollout =
                new Rollout(
                        given.rollout.id(),
                        1,
                        given.rollout.spec(),
                        state,
                        1,
                        0,
                        given.rollout.batches(),
                        nodes);
        return given;
    }

    private static OperatorRequest request(Given given, String name) {
        return switch (name) {
            case "start" -> new OperatorRequest.Start();
            case "pause" -> new OperatorRequest.Pause();
            case "resume" -> new OperatorRequest.Resume(0);
            case "cancel" -> new OperatorRequest.Cancel();
            case "approve" -> SampleRollout.approval(given.rollout);
            case "force" -> new OperatorRequest.Force();
            case "rollback" -> new OperatorRequest.Rollback();
            case "retry" -> new OperatorRequest.RetryNode(NODE);
            case "skip" -> new OperatorRequest.SkipNode(NODE);
            case "hold" -> new OperatorRequest.HoldNode(NODE, NOW.plusSeconds(60));
            case "release" -> new OperatorRequest.ReleaseNode(NODE);
            case "skip_all" -> new OperatorRequest.SkipNodes(List.of());
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Test
    @DisplayName("A6: resuming beyond the threshold must name the present number of failures")
    void resumingBeyondTheThresholdMustAcknowledgeTheFailures() {
        Given given = Given.rolling(3, 1).start().fails(NODE);
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(RefusalCode.ACKNOWLEDGE_FAILURES));
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        assertThat(given.inFlight()).containsExactly(Given.node(2));
    }

    @Test
    @DisplayName("A6: a forced rollout goes on beyond its threshold and ends as failed")
    void aForcedRolloutGoesOnBeyondItsThreshold() {
        Given given = Given.rolling(3, 1).start().fails(NODE);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Paused.class);
        given.request(new OperatorRequest.Force());
        given.plan();
        assertThat(given.inFlight()).containsExactly(Given.node(2));
        given.fails(Given.node(2)).installs(Given.node(3)).isHealthy(Given.node(3)).isObserved();
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.NODES_FAILED));
    }

    @Test
    void rolloutIsForcedOnceAndReportsIt() {
        Given given = Given.rolling(3, 1).start();
        given.request(new OperatorRequest.Force());
        assertThat(given.rollout.forced()).isTrue();
        assertThat(given.received)
                .anySatisfy(row -> assertThat(row.because().code()).isEqualTo("FORCED"));
        assertThat(code(given.request(new OperatorRequest.Force()))).isEqualTo(RefusalCode.ALREADY);
    }

    @Test
    @DisplayName("A9: forcing is no way around the approval of a breaking migration")
    void aForcedBreakingMigrationStillAwaitsApproval() {
        Given given = Given.canary(3, drover.model.MigrationType.BREAKING).start();
        given.request(new OperatorRequest.Force());
        given.fails(given.inFlight().getFirst());
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        given.approve();
        given.plan();
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    @DisplayName(
            "D14: a node that could not be brought back is tried again only when it is cleared")
    void aMarkedNodeIsTriedAgainOnlyWhenItIsCleared() {
        Given given = Given.rolling(2, 1).start();
        NodeState marked = new NodeState.FailedRollback(1, new Cause("X", "It failed."), NOW);
        Map<NodeId, NodeUpgrade> nodes = new java.util.LinkedHashMap<>(given.rollout.nodes());
        nodes.put(Given.node(2), given.upgrade(Given.node(2)).withState(marked));
        given.rollout =
                new Rollout(
                        given.rollout.id(),
                        1,
                        given.rollout.spec(),
                        given.rollout.state(),
                        0,
                        0,
                        given.rollout.batches(),
                        nodes);
        OperatorRequest retry = new OperatorRequest.RetryNode(Given.node(2));
        given.fleet.guards.put(
                Given.node(2), new FleetView.NodeAttemptsAndReservation(1, null, true));
        assertThat(code(given.request(retry))).isEqualTo(RefusalCode.NODE_FAILED_ROLLBACK);
        given.fleet.guards.put(
                Given.node(2), new FleetView.NodeAttemptsAndReservation(2, null, false));
        given.request(retry);
        assertThat(given.upgrade(Given.node(2)).state()).isInstanceOf(NodeState.Pending.class);
    }

    private static RefusalCode code(RequestDecision decision) {
        assertThat(decision).isInstanceOf(RequestDecision.Refused.class);
        return ((RequestDecision.Refused) decision).code();
    }

    @Test
    void aRetriedNodeJoinsTheBatchInFlight() {
        Given given =
                Given.of(
                                3,
                                new Strategy.Rolling(1),
                                new Threshold.Count(2),
                                drover.model.MigrationType.NONE)
                        .start()
                        .fails(NODE);
        given.request(new OperatorRequest.RetryNode(NODE));
        assertThat(given.upgrade(NODE).batch()).isEqualTo(1);
    }

    @Test
    void anEndedRolloutIsRolledBackThoughItsNodesHadLaterWork() {
        Given given = Given.rolling(1, 1).start().batchSucceeds().isObserved();
        given.fleet.guards.put(NODE, new FleetView.NodeAttemptsAndReservation(9, null, false));
        given.request(new OperatorRequest.Rollback());
        given.plan().restores(NODE);
        assertThat(given.upgrade(NODE).attempt()).isEqualTo(10);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A4, A18: a rollback waits for other work on a node, and not for ever")
    void aRollbackWaitsForOtherWorkOnANode() {
        Given given = Given.rolling(1, 1).start().batchSucceeds();
        given.fleet.guards.put(
                NODE,
                new FleetView.NodeAttemptsAndReservation(
                        9, FleetView.NodeAttemptsAndReservation.CLEARING, false));
        given.request(new OperatorRequest.Rollback());
        given.plan();
        assertThat(given.upgrade(NODE).state()).isInstanceOf(NodeState.Succeeded.class);
        given.at(RolloutTimeouts.STANDARD.work()).plan();
        assertThat(given.upgrade(NODE).state()).isInstanceOf(NodeState.Unreachable.class);
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.ROLLBACK_INCOMPLETE));
    }

    @Test
    void aRollbackGoesOnWhenOtherWorkOnANodeIsOver() {
        Given given = Given.rolling(1, 1).start().batchSucceeds();
        given.fleet.guards.put(
                NODE,
                new FleetView.NodeAttemptsAndReservation(
                        9, FleetView.NodeAttemptsAndReservation.CLEARING, false));
        given.request(new OperatorRequest.Rollback());
        given.plan();
        given.fleet.guards.put(NODE, new FleetView.NodeAttemptsAndReservation(9, null, false));
        given.plan().restores(NODE);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    void anEndedRolloutIsNotRolledBackOverALaterOne() {
        Given given = Given.rolling(1, 1).start().batchSucceeds().isObserved();
        given.fleet.superseded.add(NODE);
        assertThat(given.request(new OperatorRequest.Rollback()))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo(RefusalCode.SUPERSEDED));
    }

    @Test
    void aNodeWithWorkOpenIsNotTriedAgain() {
        Given given = Given.rolling(1, 1).start();
        assertThat(given.request(new OperatorRequest.RetryNode(NODE)))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(RefusalCode.NODE_IN_FLIGHT));
    }

    @Test
    void rollbackRequestedDuringACancellationFollows() {
        Given given = Given.rolling(2, 2).start().installs(NODE).isHealthy(NODE);
        given.request(new OperatorRequest.Cancel());
        given.request(new OperatorRequest.Rollback());
        given.plan().installs(Given.node(2)).isHealthy(Given.node(2));
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);
    }
}
