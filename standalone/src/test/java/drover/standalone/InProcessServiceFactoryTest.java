package drover.standalone;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.model.NodeId;
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
}
