package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.ReportedProgram;
import drover.gateway.store.NodeStore.NodeRegistrationResult;
import drover.gateway.store.NodeStore.NodeUpdate;
import drover.gateway.store.NodeStore.Query;
import drover.gateway.store.NodeStore.RetirementResult;
import drover.gateway.store.NodeStore.StoredNode;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every store of nodes must do. */
abstract class NodeStoreContract {
    private NodeStore store;

    /** An empty store. */
    abstract NodeStore open();

    /** Lets time pass until a gateway that said nothing counts as dead. */
    abstract void outliveAGateway();

    @BeforeEach
    void openTheStore() {
        store = open();
    }

    @Test
    void aRegisteredNodeIsFoundByItsTokenAndById() {
        NodeIdentity node = node("n1", "chain-a", "full");

        NodeRegistrationResult registration = store.register(node, token("n1"));

        assertThat(registration).isInstanceOf(NodeRegistrationResult.Registered.class);
        assertThat(store.findTokenOwner(token("n1")))
                .contains(new NodeStore.NodeTokenOwner(node, token("n1")));
        assertThat(store.findTokenOwner(token("n2"))).isEmpty();
        StoredNode stored = only("n1");
        assertThat(stored.node()).isEqualTo(node);
        assertThat(stored.inventory()).isEqualTo(NodeInventory.NONE);
        assertThat(stored.lastSeen()).isEmpty();
        assertThat(stored.gatewayId()).isEmpty();
    }

    @Test
    void registeringAgainChangesLabelsAndTokenAndNothingElse() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), true)));
        NodeIdentity relabelled =
                new NodeIdentity(
                        id("n1"),
                        new ChainProfileId("chain-a"),
                        new NodeType("full"),
                        Map.of("zone", "b"));

        store.register(relabelled, token("n1-new"));
        NodeRegistrationResult again = store.register(relabelled, token("n1-new"));

        assertThat(again).isInstanceOf(NodeRegistrationResult.Registered.class);
        assertThat(only("n1").node().labels()).containsExactly(Map.entry("zone", "b"));
        assertThat(only("n1").inventory()).isEqualTo(inventory("v1"));
        assertThat(store.findTokenOwner(token("n1"))).isEmpty();
        assertThat(store.findTokenOwner(token("n1-new"))).isPresent();
    }

    @Test
    void refusesAnotherChainOrTypeForANode() {
        NodeIdentity node = node("n1", "chain-a", "full");
        store.register(node, token("n1"));

        assertThat(store.register(node("n1", "chain-b", "full"), token("n1")))
                .isEqualTo(new NodeRegistrationResult.ChainOrTypeConflict(node));
        assertThat(store.register(node("n1", "chain-a", "light"), token("x")))
                .isEqualTo(new NodeRegistrationResult.ChainOrTypeConflict(node));
        assertThat(store.findTokenOwner(token("x"))).isEmpty();
    }

    @Test
    void refusesATokenOfAnotherNode() {
        store.register(node("n1", "chain-a", "full"), token("shared"));
        store.register(node("n3", "chain-a", "full"), token("n3"));

        assertThat(store.register(node("n2", "chain-a", "full"), token("shared")))
                .isEqualTo(new NodeRegistrationResult.NodeTokenInUse());
        assertThat(store.register(node("n3", "chain-a", "full"), token("shared")))
                .isEqualTo(new NodeRegistrationResult.NodeTokenInUse());
        assertThat(store.findTokenOwner(token("n3"))).isPresent();
    }

    @Test
    void aRetiredNodeHasNoTokenAndIsFoundByItsIdAlone() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.register(node("n2", "chain-a", "full"), token("n2"));

        assertThat(store.retire(id("n1"))).isInstanceOf(RetirementResult.Retired.class);
        assertThat(store.retire(id("n1"))).isInstanceOf(RetirementResult.Retired.class);
        store.retire(id("n2"));

        assertThat(store.findTokenOwner(token("n1"))).isEmpty();
        assertThat(ids(new Query("chain-a", "", List.of(), "", 10))).isEmpty();
        assertThat(only("n1").retiredAt()).isPresent();
        assertThat(store.retire(id("none"))).isEqualTo(new RetirementResult.NoNode());
    }

    @Test
    void aRetiredNodeThatIsRegisteredAgainIsInService() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.retire(id("n1"));

        store.register(node("n1", "chain-a", "full"), token("n1"));

        assertThat(store.findTokenOwner(token("n1"))).isPresent();
        assertThat(ids(new Query("chain-a", "", List.of(), "", 10))).containsExactly("n1");
        assertThat(only("n1").retiredAt()).isEmpty();
    }

    @Test
    void aNodeIsNotRetiredWhileALivingGatewayHoldsIt() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.recordGatewayHeartbeat("g1", "127.0.0.1:1");
        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), true)));

        assertThat(store.retire(id("n1"))).isEqualTo(new RetirementResult.Online("g1"));
        assertThat(store.findTokenOwner(token("n1"))).isPresent();

        outliveAGateway();
        assertThat(store.retire(id("n1"))).isInstanceOf(RetirementResult.Retired.class);
    }

    @Test
    void listsByChainTypeAndIdInPages() {
        for (String id : List.of("n2", "n-1", "n10", "n1")) {
            store.register(node(id, "chain-a", id.equals("n2") ? "light" : "full"), token(id));
        }
        store.register(node("other", "chain-b", "full"), token("other"));

        assertThat(ids(new Query("chain-a", "", List.of(), "", 10)))
                .containsExactly("n-1", "n1", "n10", "n2");
        assertThat(ids(new Query("chain-a", "full", List.of(), "n-1", 1))).containsExactly("n1");
        assertThat(ids(new Query("", "", List.of(id("other"), id("n2"), id("none")), "", 10)))
                .containsExactly("n2", "other");
        assertThat(ids(new Query("chain-a", "", List.of(), "n2", 10))).isEmpty();
    }

    @Test
    void listsNodesWithAllRequestedLabelsInPages() {
        register("n1", Map.of("zone", "a", "rack", "1"));
        register("n2", Map.of("zone", "a", "rack", "2"));
        register("n3", Map.of("zone", "b", "rack", "1"));
        register("n4", Map.of("zone", "a", "rack", "1", "odd\"name", "{}"));

        assertThat(ids(labelled(Map.of("zone", "a"), "", 2))).containsExactly("n1", "n2");
        assertThat(ids(labelled(Map.of("zone", "a"), "n2", 2))).containsExactly("n4");
        assertThat(ids(labelled(Map.of("zone", "a", "rack", "1"), "", 9)))
                .containsExactly("n1", "n4");
        assertThat(ids(labelled(Map.of("odd\"name", "{}"), "", 9))).containsExactly("n4");
        assertThat(ids(labelled(Map.of("zone", ""), "", 9))).isEmpty();
        assertThat(ids(labelled(Map.of("place", "a"), "", 9))).isEmpty();
    }

    private static Query labelled(Map<String, String> labels, String after, int limit) {
        return new Query("", "", List.of(), labels, after, limit);
    }

    private void register(String id, Map<String, String> labels) {
        store.register(
                new NodeIdentity(
                        id(id), new ChainProfileId("chain-a"), new NodeType("full"), labels),
                token(id));
    }

    @Test
    void aSightingIsRememberedWithItsGateway() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.register(node("n2", "chain-a", "full"), token("n2"));
        store.recordGatewayHeartbeat("g1", "127.0.0.1:1");

        store.writeNodeUpdates(
                "g1",
                List.of(
                        new NodeUpdate(id("n1"), inventory("v1"), true),
                        new NodeUpdate(id("n2"), inventory("v2"), false),
                        new NodeUpdate(id("unregistered"), inventory("v3"), true)));

        assertThat(only("n1").inventory()).isEqualTo(inventory("v1"));
        assertThat(only("n1").gatewayId()).isEqualTo("g1");
        assertThat(only("n2").inventory()).isEqualTo(inventory("v2"));
        assertThat(only("n2").gatewayId()).isEmpty();
        assertThat(ids(Query.firstPage())).containsExactly("n1", "n2");
    }

    @Test
    void aNodeThatMovedIsNotTakenFromItsNewGateway() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.recordGatewayHeartbeat("g1", "127.0.0.1:1");
        store.recordGatewayHeartbeat("g2", "127.0.0.1:2");
        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), true)));
        store.writeNodeUpdates("g2", List.of(new NodeUpdate(id("n1"), inventory("v2"), true)));

        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), false)));

        assertThat(only("n1").gatewayId()).isEqualTo("g2");
        assertThat(only("n1").inventory()).isEqualTo(inventory("v2"));
    }

    @Test
    void nodeOfAFailedGatewayIsReleased() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.recordGatewayHeartbeat("g1", "127.0.0.1:1");
        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), true)));

        outliveAGateway();

        assertThat(store.listLiveGateways()).isEmpty();
        assertThat(only("n1").gatewayId()).isEmpty();
        assertThat(only("n1").lastGatewayId())
                .as("so that somebody can look at it")
                .isEqualTo("g1");
        store.recordGatewayHeartbeat("g1", "127.0.0.1:9");
        assertThat(store.listLiveGateways()).containsExactly(Map.entry("g1", "127.0.0.1:9"));
        store.removeGateway("g1");
        assertThat(store.listLiveGateways()).isEmpty();
    }

    @Test
    @DisplayName("D-172: what a gateway held when it was killed can be retired when it is back")
    void aGatewayThatStartsHoldsNothing() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.register(node("n2", "chain-a", "full"), token("n2"));
        store.recordGatewayHeartbeat("g1", "127.0.0.1:1");
        store.recordGatewayHeartbeat("g2", "127.0.0.1:2");
        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), true)));
        store.writeNodeUpdates("g2", List.of(new NodeUpdate(id("n2"), inventory("v1"), true)));

        store.releaseGatewayNodes("g1");
        store.recordGatewayHeartbeat("g1", "127.0.0.1:9");

        assertThat(only("n1").gatewayId()).isEmpty();
        assertThat(only("n1").lastGatewayId()).isEmpty();
        assertThat(only("n1").inventory()).isEqualTo(inventory("v1"));
        assertThat(store.retire(id("n1"))).isInstanceOf(RetirementResult.Retired.class);
        assertThat(store.retire(id("n2"))).isEqualTo(new RetirementResult.Online("g2"));
    }

    @Test
    void disconnectedNodeIsReleased() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.recordGatewayHeartbeat("g1", "127.0.0.1:1");
        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), true)));
        assertThat(only("n1").lastGatewayId()).isEqualTo("g1");

        store.writeNodeUpdates("g1", List.of(new NodeUpdate(id("n1"), inventory("v1"), false)));

        assertThat(only("n1").lastGatewayId()).isEmpty();
    }

    @Test
    void lastSeenNeverGoesBack() {
        store.register(node("n1", "chain-a", "full"), token("n1"));
        store.recordLastSeen(Map.of(id("n1"), Duration.ofSeconds(5), id("none"), Duration.ZERO));
        Instant first = only("n1").lastSeen().orElseThrow();

        store.recordLastSeen(Map.of(id("n1"), Duration.ofHours(1)));
        store.recordLastSeen(Map.of());

        assertThat(only("n1").lastSeen()).contains(first);
        store.recordLastSeen(Map.of(id("n1"), Duration.ZERO));
        assertThat(only("n1").lastSeen().orElseThrow()).isAfter(first);
    }

    private StoredNode only(String id) {
        return store.list(new Query("", "", List.of(id(id)), "", 10)).getFirst();
    }

    private List<String> ids(Query query) {
        return store.list(query).stream().map(stored -> stored.node().id().value()).toList();
    }

    private static NodeInventory inventory(String version) {
        return new NodeInventory(
                        "0.1.0",
                        "process",
                        "linux/amd64",
                        List.of("restore"),
                        3,
                        List.of(
                                new ReportedProgram(
                                        "chain",
                                        version,
                                        "sha256:1",
                                        "sha256:c",
                                        new TreeMap<>(Map.of("/etc/chain.toml", "sha256:f")),
                                        "sha256:l",
                                        true,
                                        "run-1",
                                        "http://artifacts/" + version)))
                .withFloorAtLeast(4);
    }

    private static NodeIdentity node(String id, String chain, String type) {
        return new NodeIdentity(
                id(id), new ChainProfileId(chain), new NodeType(type), Map.of("zone", "a"));
    }

    private static NodeId id(String id) {
        return new NodeId(id);
    }

    private static Digest token(String node) {
        return Digest.of("token-of-" + node);
    }
}
