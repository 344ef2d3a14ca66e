package drover.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.NodeRequestDesk;
import drover.coordinator.engine.UnseenFleet;
import drover.coordinator.plan.ProgramKind;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.store.PostgresCreationStore;
import drover.coordinator.store.PostgresIncidentStore;
import drover.coordinator.store.PostgresNodeRequestStore;
import drover.coordinator.store.PostgresPlanViews;
import drover.coordinator.store.PostgresRolloutViews;
import drover.coordinator.store.StoredRollout;
import drover.coordinator.store.TestDatabase;
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
class NodesOfALaterVersionIT {
    private static final String AGENTS = ProgramKind.AGENTS.value();
    private static final NodeId FROZEN = SampleRollout.node(AGENTS, 1);
    private static final NodeId KNOWN = SampleRollout.node(AGENTS, 2);

    @AutoClose private TestDatabase database;

    @BeforeEach
    void createARolloutOfAgents() {
        database = TestDatabase.open();
        new PostgresCreationStore(database.database())
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

    private NodeReading reading() {
        return new NodeReading(
                new PostgresRolloutViews(database.database()),
                new PostgresPlanViews(database.database()),
                UnseenFleet::new,
                Instant::now,
                new NodeRequestDesk(new PostgresNodeRequestStore(database.database())),
                new PostgresIncidentStore(database.database()));
    }

    private static Node node(String id) {
        return Node.newBuilder().setId(id).build();
    }

    @Test
    @DisplayName("C15: one whose state is not known hides no other, and is said to be unknown")
    void saysUnknownOfANodeOfALaterVersion() {
        database.run("ALTER TABLE rollout_node DISABLE TRIGGER USER");
        database.run(
                "UPDATE rollout_node SET state = state || '{\"status\": \"frozen\"}'"
                        + " WHERE node_id = ?",
                FROZEN.value());

        assertThat(agentsThatNodesShallHave()).containsExactly("unknown", "v1", "");
    }

    @Test
    @DisplayName("C15: the same of all nodes of a rollout whose specification is not known")
    void saysUnknownOfNodesOfARolloutOfALaterVersion() {
        database.run("UPDATE rollout SET spec = spec || '{\"migration\": \"SIDEWAYS\"}'");

        assertThat(agentsThatNodesShallHave()).containsExactly("unknown", "unknown", "");
    }
}
