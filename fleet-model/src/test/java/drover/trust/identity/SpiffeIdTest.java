package drover.trust.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpiffeIdTest {
    private static final TrustDomain DOMAIN = new TrustDomain("mesh.test");

    @Test
    void aNodesNameIsReadAsItIsWritten() {
        SpiffeId id = SpiffeId.parse("spiffe://mesh.test/node/berth-01");
        assertThat(id).isEqualTo(DOMAIN.node(new NodeId("berth-01")));
        assertThat(id.node()).contains(new NodeId("berth-01"));
        assertThat(id.service()).isEmpty();
        assertThat(id).hasToString("spiffe://mesh.test/node/berth-01");
    }

    @Test
    void aServicesNameIsNoNodes() {
        SpiffeId id = DOMAIN.service("gateway");
        assertThat(id.service()).contains("gateway");
        assertThat(id.node()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "spiffe://",
                "spiffe:///node/a",
                "spiffe://mesh.test",
                "spiffe://mesh.test/",
                "spiffe://mesh.test/node/a/",
                "spiffe://mesh.test//node/a",
                "spiffe://mesh.test/node/../svc/gateway",
                "spiffe://mesh.test/./node/a",
                "spiffe://mesh.test/node/a?x=1",
                "spiffe://mesh.test/node/a#x",
                "spiffe://mesh.test/node/%61",
                "spiffe://MESH.test/node/a",
                "spiffe://user@mesh.test/node/a",
                "spiffe://mesh.test:443/node/a",
                "SPIFFE://mesh.test/node/a",
                "https://mesh.test/node/a",
                " spiffe://mesh.test/node/a"
            })
    void aSecondSpellingIsRefused(String text) {
        assertThatThrownBy(() -> SpiffeId.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> SpiffeId.parse("spiffe://mesh.test/node/" + "a".repeat(2048)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/node/Berth", "/node/a/b", "/node/-a", "/nodes/a", "/node"})
    void whatNodesAreNotCalledNamesNoNode(String path) {
        assertThat(new SpiffeId(DOMAIN, path).node()).isEmpty();
    }

    @Test
    void aRuleAdmitsItsOwnDomainAndKindAlone() {
        PeerRule nodes = PeerRule.ofNodes(DOMAIN);
        PeerRule leaders = PeerRule.ofServices(DOMAIN, "coordinator", "health");
        SpiffeId node = DOMAIN.node(new NodeId("a"));

        assertThat(nodes.admits(node)).isTrue();
        assertThat(nodes.admits(DOMAIN.service("coordinator"))).isFalse();
        assertThat(nodes.admits(new TrustDomain("other.test").node(new NodeId("a")))).isFalse();
        assertThat(leaders.admits(DOMAIN.service("coordinator"))).isTrue();
        assertThat(leaders.admits(DOMAIN.service("gateway"))).isFalse();
        assertThat(leaders.admits(node)).isFalse();
        assertThat(leaders.admits(new TrustDomain("other.test").service("health"))).isFalse();
    }
}
