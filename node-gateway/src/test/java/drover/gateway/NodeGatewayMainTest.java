package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.grpc.Address;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeGatewayMainTest {
    @Test
    void readsItsOptions() {
        NodeGatewayConfig config =
                NodeGatewayMain.config(
                        NodeGatewayMain.read(
                                new String[] {
                                    "--postgres", "jdbc:postgresql://db/drover",
                                    "--id", "gateway-1",
                                    "--agent-listen", "127.0.0.1:1",
                                    "--internal-listen", "127.0.0.1:2",
                                    "--advertise", "gateway-1:2"
                                }));

        assertThat(config.gatewayId()).isEqualTo("gateway-1");
        assertThat(config.agentDoor()).isEqualTo(new Address.Tcp("127.0.0.1", 1));
        assertThat(config.internalDoor()).isEqualTo(new Address.Tcp("127.0.0.1", 2));
        assertThat(config.advertisedInternalAddress()).isEqualTo("gateway-1:2");
    }

    @Test
    void saysWhichOptionIsMissingOrNotUnderstood() {
        assertThatThrownBy(() -> NodeGatewayMain.config(Map.of("id", "g")))
                .hasMessage("--postgres is missing.");
        assertThatThrownBy(() -> NodeGatewayMain.config(Map.of("postgres", "jdbc:x")))
                .hasMessage("--id is missing.");
        assertThatThrownBy(() -> NodeGatewayMain.read(new String[] {"--id"}))
                .hasMessageContaining("'--id' is not understood");
        assertThatThrownBy(() -> NodeGatewayMain.read(new String[] {"id", "x"}))
                .hasMessageContaining("'id' is not understood");
    }
}
