package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout;
import drover.model.Digest;
import drover.model.NodeId;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** B4: agents reject an older leader by its epoch, so each message to an agent carries it. */
class CommandEpochTest {
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final long EPOCH = 7;

    private static drover.node.v1.Delivery sent(MessageToNode delivery) {
        return GatewayProtoDispatcher.toDelivery(delivery, ByteString.EMPTY);
    }

    @Test
    @DisplayName("B4: a command carries the epoch of its leader")
    void aCommandCarriesTheEpoch() {
        byte[] body = CommandBodySerializer.clearBody(NODE, 5, "It was repaired.");
        var delivery = new MessageToNode.Command(NODE, "session", false, EPOCH, "", body, Map.of());
        assertThat(sent(delivery).getCommand().getEpoch()).isEqualTo(EPOCH);
    }

    @Test
    @DisplayName("B4: a withdrawal carries the epoch of its leader")
    void aWithdrawalCarriesTheEpoch() {
        var delivery = new MessageToNode.Withdraw(NODE, "session", 5, EPOCH);
        assertThat(sent(delivery).getWithdraw().getEpoch()).isEqualTo(EPOCH);
        assertThat(sent(delivery).getWithdraw().getThroughAttempt()).isEqualTo(5);
    }

    @Test
    @DisplayName("B4: a stop order carries the epoch of its leader")
    void aStopOrderCarriesTheEpoch() {
        var delivery =
                new MessageToNode.StopOldAgent(
                        NODE, "session", EPOCH, 6, "2.0.0", Digest.of("successor"));
        assertThat(sent(delivery).getStop().getEpoch()).isEqualTo(EPOCH);
        assertThat(sent(delivery).getStop().getStopAgent().getAttempt()).isEqualTo(6);
    }
}
