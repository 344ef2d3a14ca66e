package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Faults;
import drover.coordinator.engine.leader.ReconnectingAgent.Left;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.MigrationType;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A node that returns two hours later, wherever it was and whatever became of its rollout: every
 * cell says what it is sent, as what it ends, and which attempt has touched it (DESIGN § 4, open
 * attempts; rule R1; invariants A13, C5, C6, C10).
 */
final class LateReconnectIT {
    private static final Duration AN_HOUR = Duration.ofHours(1);
    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final int MANY = 20; // ten minutes each: more than three hours
    private static final int FEW = 9; // more than one hour, less than two
    private static TestDatabase database;
    // two tests play the same cell in one database, each on nodes of its own
    private static int stories;

    /** What became of the rollout while the node was away. */
    enum World {
        RUNNING,
        PAUSED,
        CANCELLED,
        COMPLETED,
        ROLLED_BACK,
        NEXT_RUNNING
    }

    @BeforeAll
    static void openTheDatabase() {
        database = TestDatabase.open();
    }

    @AfterAll
    static void closeTheDatabase() {
        if (database != null) {
            database.close();
        }
    }

    @DisplayName("R1: a node that returns two hours later, four of the cells")
    @ParameterizedTest(name = "{0}, rollout {1}: sent [{2}], ends {3}, touched by {4}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    NEVER_RECEIVED      | RUNNING      | upgrade 1             | succeeded   | 1
                    MUTATING         | RUNNING      | ''                    | failed      | 0
                    NEVER_RECEIVED      | PAUSED       | withdraw 1            | pending     | 0
                    FINISHED_OFFLINE | CANCELLED    | ''                    | unreachable | 1
                    """)
    void someCells(Left left, World world, String sent, String ends, long modifiedBy) {
        everyCell(left, world, sent, ends, modifiedBy);
    }

    @DisplayName("R1: a node that returns two hours later")
    @ParameterizedTest(name = "{0}, rollout {1}: sent [{2}], ends {3}, touched by {4}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    NEVER_RECEIVED      | RUNNING      | upgrade 1             | succeeded   | 1
                    PREPARING        | RUNNING      | ''                    | succeeded   | 1
                    MUTATING         | RUNNING      | ''                    | failed      | 0
                    FINISHED_OFFLINE | RUNNING      | ''                    | succeeded   | 1
                    NEVER_RECEIVED      | PAUSED       | withdraw 1            | pending     | 0
                    PREPARING        | PAUSED       | ''                    | succeeded   | 1
                    MUTATING         | PAUSED       | ''                    | failed      | 0
                    FINISHED_OFFLINE | PAUSED       | ''                    | succeeded   | 1
                    NEVER_RECEIVED      | CANCELLED    | withdraw 1            | unreachable | 0
                    PREPARING        | CANCELLED    | withdraw 1            | unreachable | 1
                    MUTATING         | CANCELLED    | ''                    | unreachable | 0
                    FINISHED_OFFLINE | CANCELLED    | ''                    | unreachable | 1
                    NEVER_RECEIVED      | COMPLETED    | withdraw 1            | skipped     | 0
                    PREPARING        | COMPLETED    | withdraw 1            | skipped     | 1
                    MUTATING         | COMPLETED    | ''                    | skipped     | 0
                    FINISHED_OFFLINE | COMPLETED    | ''                    | skipped     | 1
                    NEVER_RECEIVED      | ROLLED_BACK  | withdraw 1            | unreachable | 0
                    PREPARING        | ROLLED_BACK  | withdraw 1            | unreachable | 1
                    MUTATING         | ROLLED_BACK  | ''                    | unreachable | 0
                    FINISHED_OFFLINE | ROLLED_BACK  | ''                    | unreachable | 1
                    NEVER_RECEIVED      | NEXT_RUNNING | withdraw 1, upgrade 2 | unreachable | 0
                    PREPARING        | NEXT_RUNNING | withdraw 1            | unreachable | 1
                    MUTATING         | NEXT_RUNNING | upgrade 2             | unreachable | 0
                    FINISHED_OFFLINE | NEXT_RUNNING | ''                    | unreachable | 1
                    """)
    @Faults(
            rule = "R1 (only a report from the agent closes an attempt)",
            sample = "LateReconnectIT.someCells")
    void everyCell(Left left, World world, String sent, String ends, long modifiedBy) {
        try (VirtualTimeTerm term = new VirtualTimeTerm(database)) {
            Story story = new Story(term, left, world);
            story.goesOnForTwoHours();
            story.theNodeReturns();

            assertThat(String.join(", ", story.node.receivedMessages())).as("sent").isEqualTo(sent);
            NodeUpgrade node = term.node(story.id, story.node);
            assertThat(StateNameFormatter.of(node.state())).as("ends").isEqualTo(ends);
            assertThat(node.installedBy()).as("touched by").isEqualTo(modifiedBy);
            story.nothingIsLeftOpen();
            story.theRolloutIsWhatItWas();
            switch (world) {
                case RUNNING, PAUSED, CANCELLED, COMPLETED -> {}
                case ROLLED_BACK -> story.secondRollbackCompletes(modifiedBy != 0);
                case NEXT_RUNNING -> story.theNextRolloutDoesWhatIsLeft(modifiedBy != 0);
            }
        }
    }

    /** One cell. */
    private static final class Story {
        private final VirtualTimeTerm term;
        private final World world;
        private final ReconnectingAgent node;
        private final Plan plan;
        private final RolloutId id;
        private RolloutId next;

        Story(VirtualTimeTerm term, Left left, World world) {
            this.term = term;
            this.world = world;
            String cell = (left + "-" + world).toLowerCase(Locale.ROOT).replace('_', '-');
            String chain = cell + "-" + ++stories;
            int nodes = world == World.COMPLETED ? FEW : MANY;
            node = term.fleet(chain, nodes, left);
            plan =
                    new Plan(
                            chain,
                            nodes,
                            new Strategy.Rolling(1),
                            new Threshold.Count(5),
                            0,
                            MigrationType.NONE,
                            7);
            id = term.create(plan);
            next = id;
            term.submit(id, new OperatorRequest.Start());
            assertThat(node.connected).as("it has lost its connection").isFalse();
        }

        void goesOnForTwoHours() {
            term.pass(AN_HOUR);
            assertThat(term.node(id, node).state()).isInstanceOf(NodeState.Unreachable.class);
            switch (world) {
                case RUNNING -> {}
                case PAUSED -> term.submit(id, new OperatorRequest.Pause());
                case CANCELLED -> term.submit(id, new OperatorRequest.Cancel());
                case COMPLETED -> term.submit(id, new OperatorRequest.SkipNode(node.id));
                case ROLLED_BACK -> term.submit(id, new OperatorRequest.Rollback());
                case NEXT_RUNNING -> {
                    term.submit(id, new OperatorRequest.Cancel());
                    term.pass(Duration.ofMinutes(11)); // until whoever is at work is done
                    next = term.create(plan);
                    term.submit(next, new OperatorRequest.Start());
                }
            }
            term.pass(AN_HOUR);
        }

        void theNodeReturns() {
            assertThat(term.node(id, node).open()).as("its attempt is open").isTrue();
            theRolloutIsWhatItWas();
            node.comeBack();
            term.tick();
            term.pass(A_MINUTE);
            node.goOn();
            term.pass(A_MINUTE);
            if (world == World.NEXT_RUNNING) {
                term.pass(AN_HOUR.multipliedBy(3)); // its turn comes behind all others
            }
        }

        void nothingIsLeftOpen() {
            assertThat(
                            database.count(
                                    "SELECT count(*) FROM node_attempt WHERE open AND node_id = ?",
                                    node.id.value()))
                    .as("open attempts")
                    .isZero();
            assertThat(term.isAcknowledged(node)).as("C10: its last status").isTrue();
            assertThat(StoredHashChain.breaks(database, id)).isEmpty();
        }

        /** A13: what could not be proven before can be now. */
        void secondRollbackCompletes(boolean modified) {
            node.receivedMessages().clear();
            term.submit(id, new OperatorRequest.Rollback());
            term.pass(A_MINUTE);
            assertThat(node.receivedMessages())
                    .isEqualTo(modified ? Set.of("restore 2") : Set.of());
            assertThat(term.rollout(id).state()).isInstanceOf(RolloutState.RolledBack.class);
        }

        void theNextRolloutDoesWhatIsLeft(boolean modified) {
            NodeState state = term.node(next, node).state();
            if (modified) {
                assertThat(state)
                        .isInstanceOfSatisfying(
                                NodeState.Skipped.class,
                                skipped ->
                                        assertThat(skipped.reason())
                                                .isEqualTo(SkipReason.ALREADY_THERE));
            } else {
                assertThat(state).isInstanceOf(NodeState.Succeeded.class);
            }
            assertThat(term.rollout(next).state()).isInstanceOf(RolloutState.Completed.class);
        }

        void theRolloutIsWhatItWas() {
            RolloutState state = term.rollout(id).state();
            switch (world) {
                case RUNNING -> assertThat(state).isInstanceOf(RolloutState.Running.class);
                case PAUSED -> assertThat(state).isInstanceOf(RolloutState.Paused.class);
                case CANCELLED, NEXT_RUNNING ->
                        assertThat(state).isInstanceOf(RolloutState.Cancelled.class);
                case COMPLETED -> assertThat(state).isInstanceOf(RolloutState.Completed.class);
                case ROLLED_BACK ->
                        assertThat(state)
                                .isInstanceOfSatisfying(
                                        RolloutState.Failed.class,
                                        failed ->
                                                assertThat(failed.reason())
                                                        .isEqualTo(
                                                                RolloutFailureReason
                                                                        .ROLLBACK_INCOMPLETE));
            }
        }
    }
}
