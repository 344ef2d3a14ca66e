package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nodes are given work in the order of the rollout, within a batch as well. */
class DispatchOrderTest {
    private static final NodeId FIRST = Given.node(1);

    /** The same rollout, with the last id in the first position. */
    private static Given reversed(Given given) {
        Rollout was = given.rollout;
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>();
        int position = was.nodes().size();
        for (NodeUpgrade node : was.nodes().values()) {
            position--;
            nodes.put(
                    node.id(),
                    NodeUpgrade.withoutAttempts(
                            at(node.target(), position), node.batch(), node.state()));
        }
        given.rollout =
                new Rollout(
                        was.id(),
                        was.revision(),
                        was.spec(),
                        was.state(),
                        0,
                        0,
                        was.batches(),
                        nodes);
        return given;
    }

    private static NodeTarget at(NodeTarget target, int position) {
        return new NodeTarget(
                target.node(),
                target.sourceVersion(),
                target.sourceDigest(),
                target.sourceConfig(),
                target.sourceUrl(),
                target.targetConfig(),
                target.changesConfig(),
                target.platform(),
                target.wayBack(),
                position);
    }

    private static List<NodeId> assigned(Given given) {
        return given.received.stream()
                .filter(transition -> transition.to().equals("assigned"))
                .map(Transition::node)
                .toList();
    }

    @Test
    void nodesOfABatchAreAssignedInTheOrderOfTheRollout() {
        assertThat(assigned(reversed(Given.rolling(3, 3)).start()))
                .containsExactly(Given.node(3), Given.node(2), FIRST);
        assertThat(assigned(Given.rolling(3, 3).start()))
                .as("without positions, by id")
                .containsExactly(FIRST, Given.node(2), Given.node(3));
    }

    @Test
    void theNextNodeInTheOrderReplacesACanary() {
        Given given = reversed(Given.canary(5, MigrationType.NONE));
        NodeId canary =
                given.rollout.nodes().values().stream()
                        .filter(node -> node.batch() == 0)
                        .map(NodeUpgrade::id)
                        .findFirst()
                        .orElseThrow();
        given.fleet.disconnect(canary, Given.START);
        given.at(Duration.ofMinutes(10)).start();
        NodeId next = canary.equals(Given.node(5)) ? Given.node(4) : Given.node(5);
        assertThat(given.inFlight()).containsExactly(next);
    }
}
