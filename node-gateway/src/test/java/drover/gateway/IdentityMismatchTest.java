package drover.gateway;

import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.RefusalCode;
import drover.node.v1.Node;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Agents that show one node's credential and take themselves for another. */
class IdentityMismatchTest {
    private static final List<String> NODES =
            IntStream.range(0, 100).mapToObj("n%02d"::formatted).toList();

    @AutoClose
    private final GatewayFixture fixture =
            GatewayFixture.inProcess("misplaced", TestLimits.unlimitedRate());

    @Test
    @DisplayName("H1: of 100 credentials and 100 names no pair that does not match is let in")
    void noPairThatDoesNotMatchIsLetIn() {
        NODES.forEach(fixture::register);

        for (String node : NODES) {
            List<TestAgent> impostors =
                    NODES.stream().filter(name -> !name.equals(node)).map(as(node)).toList();
            assertThat(impostors)
                    .allSatisfy(
                            it ->
                                    assertThat(it.received.refusal())
                                            .isEqualTo(RefusalCode.NODE_ID_MISMATCH));
        }

        assertThat(fixture.nodes()).hasSize(100).noneMatch(Node::getOnline);
        assertThat(as("n07").apply("n07").session()).as("the one that matches").isNotEmpty();
    }

    @Test
    @DisplayName("H1: a leader is told whose credential it was, and whoever leads next is told too")
    void leaderReceivesTheOwnerOfTheCredential() {
        List.of("n01", "n02", "n03").forEach(fixture::register);
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of());

        assertThat(as("n01").apply("n03").received.refusal())
                .isEqualTo(RefusalCode.NODE_ID_MISMATCH);
        awaitMismatches(leader, Set.of("n01"));
        assertThat(as("n02").apply("n03").received.refusal())
                .isEqualTo(RefusalCode.NODE_ID_MISMATCH);
        awaitMismatches(leader, Set.of("n01", "n02"));

        awaitMismatches(TestLeader.attach(fixture.internal, 2), Set.of("n01", "n02"));
    }

    private static void awaitMismatches(TestLeader leader, Set<String> nodes) {
        leader.received.awaitMessage(
                response ->
                        Set.copyOf(response.getIdentityMismatches().getNodeIdsList())
                                .equals(nodes));
    }

    private Function<String, TestAgent> as(String credential) {
        return name ->
                TestAgent.connect(fixture.agents, token(credential))
                        .send(hello(1, 1).setNodeId(name));
    }
}
