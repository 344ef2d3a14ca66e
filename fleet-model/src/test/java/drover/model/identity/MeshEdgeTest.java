package drover.model.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MeshEdgeTest {
    private static final TrustDomain MESH = new TrustDomain("mesh.test");

    @Test
    @DisplayName("H5 who is let in at which door")
    void aDoorAdmitsThoseWithAnEdgeToIt() {
        assertThat(MeshEdge.callersOf(MeshService.MANIFEST))
                .containsExactlyInAnyOrder(MeshService.COORDINATOR, MeshService.PREPARE);
        assertThat(MeshEdge.callersOf(MeshService.HEALTH)).containsExactly(MeshService.COORDINATOR);
        assertThat(MeshEdge.callersOf(MeshService.GATEWAY))
                .containsExactlyInAnyOrder(
                        MeshService.COORDINATOR, MeshService.HEALTH, MeshService.PREPARE);
        assertThat(MeshEdge.callersOf(MeshService.COORDINATOR)).isEmpty();
        assertThat(MeshEdge.callersOf(MeshService.PREPARE)).isEmpty();
    }

    @Test
    @DisplayName("H5 each caller is held to its own contracts")
    void aCallerIsHeldToItsOwnContracts() {
        for (MeshService from : MeshService.values()) {
            for (MeshEdge edge : MeshEdge.values()) {
                boolean own =
                        Arrays.stream(MeshEdge.values())
                                .anyMatch(
                                        it ->
                                                it.from() == from
                                                        && it.to() == edge.to()
                                                        && it.contract().equals(edge.contract()));
                assertThat(MeshEdge.allows(from, edge.to(), edge.contract()))
                        .as("%s to %s", from, edge)
                        .isEqualTo(own);
            }
        }
        assertThat(
                        MeshEdge.allows(
                                MeshService.HEALTH,
                                MeshService.GATEWAY,
                                "drover.node.v1.GatewayControlService"))
                .isFalse();
        assertThat(MeshEdge.leadsTo(MeshService.GATEWAY, "drover.rollout.v1.RolloutService"))
                .isFalse();
    }

    @Test
    void callsHaveNoCircle() {
        Set<MeshService> called = EnumSet.of(MeshService.COORDINATOR);
        for (int step = 0; step < MeshService.values().length; step++) {
            Set<MeshService> next =
                    Arrays.stream(MeshEdge.values())
                            .filter(edge -> called.contains(edge.from()))
                            .map(MeshEdge::to)
                            .collect(Collectors.toSet());
            assertThat(next)
                    .as("whom a coordinator reaches")
                    .doesNotContain(MeshService.COORDINATOR);
            called.addAll(next);
        }
        assertThat(Arrays.stream(MeshEdge.values()).map(MeshEdge::from))
                .as("manifest-service and gateway call nobody")
                .doesNotContain(MeshService.MANIFEST, MeshService.GATEWAY);
    }

    @Test
    void theRuleOfADoorIsMadeOfItsEdges() {
        PeerRule rule = PeerRule.ofCallers(MESH, MeshService.HEALTH);
        assertThat(rule.admits(MESH.service(MeshService.COORDINATOR))).isTrue();
        assertThat(rule.admits(MESH.service(MeshService.GATEWAY))).isFalse();
        assertThat(rule.admits(new TrustDomain("other").service(MeshService.COORDINATOR)))
                .isFalse();
        assertThat(rule.nodes()).isFalse();
        assertThat(MeshService.of("health")).contains(MeshService.HEALTH);
        assertThat(MeshService.of("HEALTH")).isEmpty();
    }
}
