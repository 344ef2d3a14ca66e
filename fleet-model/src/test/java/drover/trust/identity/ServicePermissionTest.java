package drover.trust.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ServicePermissionTest {
    private static final TrustDomain TRUST_DOMAIN = new TrustDomain("mesh.test");

    @Test
    @DisplayName("H5 who is let in at which door")
    void anEndpointAdmitsThoseWithAnEdgeToIt() {
        assertThat(ServicePermission.callersOf(ServiceName.MANIFEST))
                .containsExactlyInAnyOrder(ServiceName.COORDINATOR, ServiceName.PREPARE);
        assertThat(ServicePermission.callersOf(ServiceName.HEALTH))
                .containsExactly(ServiceName.COORDINATOR);
        assertThat(ServicePermission.callersOf(ServiceName.GATEWAY))
                .containsExactlyInAnyOrder(
                        ServiceName.COORDINATOR, ServiceName.HEALTH, ServiceName.PREPARE);
        assertThat(ServicePermission.callersOf(ServiceName.COORDINATOR)).isEmpty();
        assertThat(ServicePermission.callersOf(ServiceName.PREPARE)).isEmpty();
    }

    /** Written out once more, so that an edge is given to nobody by a slip in the table. */
    private static final Set<String> ALLOWED =
            Set.of(
                    "coordinator manifest drover.manifest.v1.ManifestCatalogService/GetChainProfile",
                    "coordinator manifest drover.manifest.v1.ManifestCatalogService/RenderConfigs",
                    "coordinator manifest drover.manifest.v1.ManifestService/GetManifest",
                    "coordinator manifest drover.manifest.v1.ManifestService/ListManifests",
                    "coordinator manifest drover.manifest.v1.ManifestService/GetContentHash",
                    "coordinator manifest drover.manifest.v1.ManifestService/ValidateManifest",
                    "coordinator gateway drover.node.v1.NodeDirectoryService/ListDirectory",
                    "coordinator gateway drover.node.v1.NodeDirectoryService/RevokeDirectoryNode",
                    "coordinator gateway drover.node.v1.NodeDirectoryService/RetireDirectoryNode",
                    "coordinator gateway drover.node.v1.NodeDirectoryService/ReadDirectoryNodeLog",
                    "coordinator gateway drover.node.v1.GatewayControlService/Attach",
                    "coordinator gateway drover.node.v1.JoinTokenDirectoryService/CreateDirectoryJoinToken",
                    "coordinator gateway"
                            + " drover.node.v1.JoinTokenDirectoryService/ListDirectoryJoinTokens",
                    "coordinator gateway drover.node.v1.JoinTokenDirectoryService/RevokeDirectoryJoinToken",
                    "coordinator health drover.health.v1.HealthVerdictService/Watch",
                    "health gateway drover.node.v1.HeartbeatFeedService/Subscribe",
                    "prepare manifest drover.manifest.v1.ManifestCatalogService/ListChainProfiles",
                    "prepare manifest drover.manifest.v1.ManifestCatalogService/RenderConfigs",
                    "prepare manifest drover.manifest.v1.ManifestService/ListManifests",
                    "prepare manifest drover.manifest.v1.ManifestService/GetManifest",
                    "prepare gateway drover.node.v1.NodeDirectoryService/RegisterNode");

    @Test
    @DisplayName("H5 each caller is held to its own methods")
    void aCallerIsHeldToItsOwnMethods() {
        Set<String> methods =
                ALLOWED.stream()
                        .map(row -> row.substring(row.lastIndexOf(' ') + 1))
                        .collect(Collectors.toSet());
        Set<String> allowed = new HashSet<>();
        for (ServiceName from : ServiceName.values()) {
            for (ServiceName to : ServiceName.values()) {
                methods.stream()
                        .filter(method -> ServicePermission.allows(from, to, method))
                        .forEach(method -> allowed.add(from + " " + to + " " + method));
            }
        }
        assertThat(allowed).isEqualTo(ALLOWED);
        assertThat(
                        Arrays.stream(ServicePermission.values())
                                .mapToInt(edge -> edge.methods().size())
                                .sum())
                .as("no row allows what is not written here")
                .isEqualTo(ALLOWED.size());
    }

    @Test
    @DisplayName("H5 whoever prepares nodes takes none out of service")
    void registrationRevokesNoNode() {
        String directory = "drover.node.v1.NodeDirectoryService/";
        for (String method : Set.of("RetireDirectoryNode", "RevokeDirectoryNode", "Unheard")) {
            assertThat(
                            ServicePermission.allows(
                                    ServiceName.PREPARE, ServiceName.GATEWAY, directory + method))
                    .as(method)
                    .isFalse();
        }
        assertThat(ServicePermission.isCallable(ServiceName.GATEWAY, directory + "Unheard"))
                .isFalse();
        assertThat(ServicePermission.isCallable(ServiceName.MANIFEST, directory + "RegisterNode"))
                .isFalse();
    }

    @Test
    void callsHaveNoCircle() {
        Set<ServiceName> called = EnumSet.of(ServiceName.COORDINATOR);
        for (int step = 0; step < ServiceName.values().length; step++) {
            Set<ServiceName> next =
                    Arrays.stream(ServicePermission.values())
                            .filter(edge -> called.contains(edge.caller()))
                            .map(ServicePermission::callee)
                            .collect(Collectors.toSet());
            assertThat(next)
                    .as("whom a coordinator reaches")
                    .doesNotContain(ServiceName.COORDINATOR);
            called.addAll(next);
        }
        assertThat(Arrays.stream(ServicePermission.values()).map(ServicePermission::caller))
                .as("manifest-service and gateway call nobody")
                .doesNotContain(ServiceName.MANIFEST, ServiceName.GATEWAY);
    }

    @Test
    void theRuleOfAnEndpointIsMadeOfItsEdges() {
        PeerRule rule = PeerRule.ofCallers(TRUST_DOMAIN, ServiceName.HEALTH);
        assertThat(rule.admits(TRUST_DOMAIN.service(ServiceName.COORDINATOR))).isTrue();
        assertThat(rule.admits(TRUST_DOMAIN.service(ServiceName.GATEWAY))).isFalse();
        assertThat(rule.admits(new TrustDomain("other").service(ServiceName.COORDINATOR)))
                .isFalse();
        assertThat(rule.nodes()).isFalse();
        assertThat(ServiceName.of("health")).contains(ServiceName.HEALTH);
        assertThat(ServiceName.of("HEALTH")).isEmpty();
    }
}
