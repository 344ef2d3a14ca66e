package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.grpc.Address;
import drover.kit.start.Flags;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeGatewayMainTest {
    private static NodeGatewayConfig config(String... arguments) {
        return NodeGatewayMain.config(
                Flags.read("gateway", NodeGatewayMain.FLAGS, arguments, Map.of()));
    }

    @Test
    void readsItsFlags() {
        NodeGatewayConfig config =
                config(
                        "--postgres", "jdbc:postgresql://db/drover",
                        "--id", "gateway-1",
                        "--agent-listen", "127.0.0.1:1",
                        "--internal-listen", "127.0.0.1:2",
                        "--advertise", "gateway-1:2");

        assertThat(config.gatewayId()).isEqualTo("gateway-1");
        assertThat(config.agentDoor()).isEqualTo(new Address.Tcp("127.0.0.1", 1));
        assertThat(config.internalDoor()).isEqualTo(new Address.Tcp("127.0.0.1", 2));
        assertThat(config.advertisedInternalAddress()).isEqualTo("gateway-1:2");
    }

    @Test
    void needsAnId() {
        assertThatThrownBy(() -> config()).hasMessage("--id is missing.");
    }
}
