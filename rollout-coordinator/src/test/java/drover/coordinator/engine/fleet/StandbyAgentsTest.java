package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.StandbyAgent;
import drover.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StandbyAgentsTest {
    private static final NodeId NODE = new NodeId("a");

    private final StandbyAgents standbys = new StandbyAgents();

    @Test
    void aGatewayTakesBackOnlyWhatItHas() {
        report("g2", Optional.of(agent(2)));

        report("g1", Optional.empty());
        assertThat(standbys.of(NODE)).contains(agent(2));
        report("g2", Optional.empty());

        assertThat(standbys.of(NODE)).isEmpty();
    }

    @Test
    @DisplayName(
            "C13: a gateway with a broken stream of an earlier start says nothing of the later")
    void theLaterStartWins() {
        report("g2", Optional.of(agent(3)));

        report("g1", Optional.of(agent(2)));

        assertThat(standbys.of(NODE)).contains(agent(3));
    }

    @Test
    @DisplayName("R3: of a gateway that cannot be heard nobody is there")
    void unreachableGatewayHasNoNodes() {
        report("g1", Optional.of(agent(2)));

        standbys.retainGateways(List.of("g1"));
        assertThat(standbys.of(NODE)).isPresent();
        standbys.removeGateway("g1");

        assertThat(standbys.of(NODE)).isEmpty();
    }

    private void report(String gateway, Optional<StandbyAgent> agent) {
        standbys.update(gateway, Map.of(NODE, agent));
    }

    private static StandbyAgent agent(long incarnation) {
        return new StandbyAgent("1.1.0", "sha256:1", incarnation, true);
    }
}
