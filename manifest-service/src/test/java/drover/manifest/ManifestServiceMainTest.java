package drover.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.grpc.Address;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ManifestServiceMainTest {
    @Test
    void flagsWinOverTheEnvironment() {
        ManifestServiceConfig config =
                ManifestServiceMain.config(
                        new String[] {"--listen", "127.0.0.1:2"},
                        Map.of(
                                "DROVER_MANIFEST_CONFIG", "folder",
                                "DROVER_MANIFEST_LISTEN", "127.0.0.1:1"));

        assertThat(config.configDirectory()).isEqualTo(Path.of("folder"));
        assertThat(config.door()).isEqualTo(new Address.Tcp("127.0.0.1", 2));
    }

    @Test
    void saysWhatIsMissingOrUnknown() {
        assertThatThrownBy(() -> ManifestServiceMain.config(new String[0], Map.of()))
                .hasMessageContaining("--config");
        assertThatThrownBy(() -> ManifestServiceMain.config(new String[] {"--port", "1"}, Map.of()))
                .hasMessageContaining("'--port'")
                .hasMessageContaining("Usage");
    }
}
