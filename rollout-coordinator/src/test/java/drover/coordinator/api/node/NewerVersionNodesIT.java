package drover.coordinator.api.node;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.fleet.NoDataFleetView;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.query.PostgresPreviewInputViews;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import drover.node.v1.Node;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Nodes as they are listed while a later version has written something about one of them. */
class NewerVersionNodesIT {
    private static final String AGENTS = ProgramKind.AGENTS.value();
    private static final NodeId FROZEN = SampleRollout.node(AGENTS, 1);
    private static final NodeId KNOWN = SampleRollout.node(AGENTS, 2);

    @AutoClose private TestDatabase database;

    @BeforeEach
    void createARolloutOfAgents() {
        database = TestDatabase.open();
        new PostgresRolloutCreationStore(database.database())
                .create(StoredRollout.fresh(Plan.rolling(AGENTS, 2, 1), BinaryName.AGENT));
    }

    private List<String> agentsThatNodesShallHave() {
        return reading()
                .withDesiredAgents(
                        List.of(node(FROZEN.value()), node(KNOWN.value()), node("elsewhere-1")))
                .stream()
                .map(Node::getDesiredAgentVersion)
                .toList();
    }

    private NodeQueries reading() {
        return new NodeQueries(
                new PostgresRolloutViews(database.database()),
                new PostgresPreviewInputViews(database.database()),
                NoDataFleetView::new,
                Instant::now,
                new OperatorNodeRequestSubmitter(
                        new PostgresOperatorNodeRequestStore(database.database())),
                new PostgresOperatorIncidentStore(database.database()));
    }

    private static Node node(String id) {
        return Node.newBuilder().setId(id).build();
    }

    @Test
    @DisplayName("C15: one whose state is not known hides no other, and is said to be unknown")
    void reportsANodeOfALaterVersionAsUnknown() {
        database.run("ALTER TABLE rollout_node DISABLE TRIGGER USER");
        database.run(
                "UPDATE rollout_node SET state = state || '{\"status\": \"frozen\"}'"
                        + " WHERE node_id = ?",
                FROZEN.value());

        assertThat(agentsThatNodesShallHave()).containsExactly("unknown", "v1", "");
    }

    @Test
    @DisplayName("C15: the same of all nodes of a rollout whose specification is not known")
    void reportsNodesOfALaterRolloutAsUnknown() {
        database.run("UPDATE rollout SET spec = spec || '{\"migration\": \"SIDEWAYS\"}'");

        assertThat(agentsThatNodesShallHave()).containsExactly("unknown", "unknown", "");
    }
}
