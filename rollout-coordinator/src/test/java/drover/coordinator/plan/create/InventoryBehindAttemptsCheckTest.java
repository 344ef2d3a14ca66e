package drover.coordinator.plan.create;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.InventoryEntry;
import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("D-159: what is frozen is not what nodes ran before their last upgrade")
class InventoryBehindAttemptsCheckTest {
    private static final Instant VERIFIED = Instant.parse("2026-01-01T10:00:00Z");
    private static final NodeId NODE = new NodeId("demo-00007");
    private static final NodeId NEXT = new NodeId("demo-00008");
    private static final List<String> MESSAGES = List.of("new", "old", "");

    /** Every digest, configuration and time, with the rule said once more in other words. */
    record Case(String digest, String config, @Nullable Instant receivedAt) {
        boolean isStale() {
            boolean differs = !(digest + "/" + config).equals("new/new");
            boolean since =
                    Optional.ofNullable(receivedAt)
                            .filter(at -> !at.isBefore(VERIFIED))
                            .isPresent();
            return differs && !since;
        }
    }

    static Stream<Case> cases() {
        List<Instant> times = new ArrayList<>();
        times.add(null);
        times.add(VERIFIED.minusSeconds(120));
        times.add(VERIFIED.minusNanos(1));
        times.add(VERIFIED);
        times.add(VERIFIED.plusNanos(1));
        return MESSAGES.stream()
                .flatMap(
                        digest ->
                                MESSAGES.stream()
                                        .flatMap(
                                                config ->
                                                        times.stream()
                                                                .map(
                                                                        at ->
                                                                                new Case(
                                                                                        digest,
                                                                                        config,
                                                                                        at))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void onlyDifferentAndOlderInventoryIsStale(Case reported) {
        assertThat(refusal(entry(NODE, reported), Map.of(NODE, verified())))
                .isEqualTo(reported.isStale());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aNodeOfWhichNothingIsVerifiedNeverIs(Case reported) {
        assertThat(refusal(entry(NODE, reported), Map.of())).isFalse();
        assertThat(refusal(entry(NODE, reported), Map.of(new NodeId("demo-00008"), verified())))
                .isFalse();
    }

    @Test
    void sentenceHasCountExampleGatewayAndRemedy() {
        Case before = new Case("old", "new", VERIFIED.minusSeconds(5));
        NodeId healthy = new NodeId("demo-00009");

        assertThat(
                        sentence(
                                entry(healthy, new Case("new", "new", VERIFIED.minusSeconds(5))),
                                entry(NODE, before),
                                entry(NEXT, before)))
                .isEqualTo(
                        "What 2 nodes run is not known, for example demo-00007: gateway gw-2 has not"
                                + " written that down since the node's last upgrade ended at"
                                + " 2026-01-01T10:00:00Z; look at the way to PostgreSQL of gw-2,"
                                + " then try again, or leave out (--exclude) or retire what is gone"
                                + " for good.");
    }

    @Test
    @DisplayName("D-170: every gateway that has to be looked at is named, up to three")
    void namesTheGatewaysOfAllOfThem() {
        Case before = new Case("old", "new", VERIFIED.minusSeconds(5));

        assertThat(sentence(at("", before), at("gw-3", before), at("gw-1", before)))
                .contains("for example demo-00007: gateway gw-3 has not")
                .contains("look at the way to PostgreSQL of gw-1 and of gw-3, then");
        assertThat(
                        sentence(
                                at("gw-5", before),
                                at("gw-4", before),
                                at("gw-3", before),
                                at("gw-2", before),
                                at("gw-2", before)))
                .contains("What 5 nodes run")
                .contains("of gw-2 and of gw-3 and of gw-4 and of 1 more, then");
    }

    @Test
    @DisplayName("D-170: where no gateway is known the sentence says to look at the agents")
    void namesThePlacesToCheckWithoutAGateway() {
        assertThat(sentence(at("", new Case("", "", null))))
                .startsWith("What 1 node runs is not known, for example demo-00007: no gateway has")
                .contains("; see that agents run there and reach a gateway, then try again, or");
    }

    private static InventoryEntry at(String gateway, Case of) {
        return new InventoryEntry(NODE, of.digest(), of.config(), of.receivedAt(), gateway);
    }

    private static String sentence(InventoryEntry... reported) {
        return InventoryBehindAttemptsCheck.findRefusal(
                        List.of(reported), Map.of(NODE, verified(), NEXT, verified()))
                .filter(refusal -> refusal.code() == RefusalCode.INVENTORY_STALE)
                .orElseThrow()
                .sentence();
    }

    private static boolean refusal(InventoryEntry reported, Map<NodeId, VerifiedProgram> verified) {
        return InventoryBehindAttemptsCheck.findRefusal(List.of(reported), verified).isPresent();
    }

    private static InventoryEntry entry(NodeId node, Case of) {
        return new InventoryEntry(node, of.digest(), of.config(), of.receivedAt(), "gw-2");
    }

    private static VerifiedProgram verified() {
        return new VerifiedProgram("new", "new", VERIFIED);
    }
}
