package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeGatewayMainTest {
    private static NodeGatewayConfig config(String... arguments) {
        return NodeGatewayMain.config(
                Settings.read("gateway", NodeGatewayMain.SETTINGS, arguments, Map.of()));
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
        assertThat(config.agentAddress()).isEqualTo(new Address.Tcp("127.0.0.1", 1));
        assertThat(config.internalAddress()).isEqualTo(new Address.Tcp("127.0.0.1", 2));
        assertThat(config.advertisedInternalAddress()).isEqualTo("gateway-1:2");
    }

    @Test
    void needsAnId() {
        assertThatThrownBy(() -> config()).hasMessage("--id is missing.");
    }

    @Test
    void isNotReadyOnceItsDatabaseMissedThreeBeats() {
        assertThat(NodeGateway.databaseOutageProblems(Duration.ofSeconds(15))).isEmpty();
        assertThat(NodeGateway.databaseOutageProblems(Duration.ofSeconds(16)))
                .containsExactly(
                        "The database has not answered for 16 s: see whether it is up and can be"
                                + " reached.");
    }
}
