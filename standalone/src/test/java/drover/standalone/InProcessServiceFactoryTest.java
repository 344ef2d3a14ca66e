package drover.standalone;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.grpc.Address;
import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.model.NodeId;
import drover.standalone.StandaloneConfig.AgentTimings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InProcessServiceFactoryTest {
    @TempDir Path folder;

    @Test
    void namesTheFileOfADamagedProfile() throws IOException {
        NodeDirectory node = new DataDirectory(folder).node(new NodeId("berth-01"));
        Path profile = node.state().resolve("profile.json");
        Files.createDirectories(node.state());
        Files.writeString(profile, "{ \"programs\": [");

        assertThatThrownBy(() -> new InProcessServiceFactory(Map.of()).findInstalledPrograms(node))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining(profile.toString())
                .hasMessageNotContaining("\n");
    }

    @Test
    void namesTheFileOfADamagedAgentRecord() throws IOException {
        NodeDirectory node = new DataDirectory(folder).node(new NodeId("berth-01"));
        Path agent = node.state().resolve("agent.json");
        Files.createDirectories(node.state());
        Files.writeString(agent, "{ \"node_id\":");

        assertThatThrownBy(
                        () ->
                                new InProcessServiceFactory(Map.of())
                                        .startAgent(
                                                node,
                                                new Address.Tcp("127.0.0.1", 1),
                                                AgentTimings.USUAL))
                .isInstanceOf(UserFacingError.class)
                .hasMessageStartingWith("Its agent cannot start: ")
                .hasMessageContaining(agent.toString());
    }
}
