package drover.gateway.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.stream.BlockingServiceStream;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LockedNodesTest {
    private static final NodeId ONE = new NodeId("n1");
    private static final NodeId TWO = new NodeId("n2");

    private final SessionTable table = new SessionTable(() -> 0);
    private final List<MessageToLeader> reported = new ArrayList<>();

    private LeaderStreamWriter attached() throws InterruptedException {
        LeaderStreamWriter line =
                new LeaderStreamWriter(
                        table,
                        new BlockingServiceStream<>() {
                            @Override
                            public boolean send(MessageToLeader message) {
                                reported.add(message);
                                return true;
                            }

                            @Override
                            public void end(Refused reason) {}
                        },
                        _ -> {});
        line.start(1);
        line.writePending();
        return line;
    }

    private List<Set<NodeId>> locked() {
        return reported.stream()
                .filter(MessageToLeader.NodesWithDuplicateIdentity.class::isInstance)
                .map(message -> ((MessageToLeader.NodesWithDuplicateIdentity) message).nodes())
                .toList();
    }

    @Test
    @DisplayName("A leader is told of all locked nodes, and again whenever they are others")
    void leaderReceivesAllLockedNodes() throws InterruptedException {
        LeaderStreamWriter line = attached();
        assertThat(locked()).as("nobody has looked yet, so nobody is said to be free").isEmpty();

        table.setLockedNodes(List.of());
        line.writePending();
        table.setLockedNodes(List.of(ONE, TWO));
        line.writePending();
        table.setLockedNodes(List.of(TWO, ONE));
        line.writePending();
        table.setLockedNodes(List.of(TWO));
        line.writePending();

        assertThat(locked()).containsExactly(Set.of(), Set.of(ONE, TWO), Set.of(TWO));
    }

    @Test
    void laterLeaderReceivesTheStateAtOnce() throws InterruptedException {
        table.setLockedNodes(List.of(ONE));
        var _ = attached();
        assertThat(locked()).containsExactly(Set.of(ONE));
    }
}
