package drover.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ManifestServiceMainTest {
    private static ManifestServiceConfig config(Map<String, String> environment, String... flags) {
        return ManifestServiceMain.readConfig(
                Settings.read("manifest", ManifestServiceMain.SETTINGS, flags, environment));
    }

    @Test
    void flagsWinOverTheEnvironment() {
        ManifestServiceConfig config =
                config(
                        Map.of(
                                "DROVER_MANIFEST_CONFIG", "folder",
                                "DROVER_MANIFEST_LISTEN", "127.0.0.1:1"),
                        "--listen",
                        "127.0.0.1:2");

        assertThat(config.configDirectory()).isEqualTo(Path.of("folder"));
        assertThat(config.address()).isEqualTo(new Address.Tcp("127.0.0.1", 2));
    }

    @Test
    void reportsWhatIsMissing() {
        assertThatThrownBy(() -> config(Map.of())).hasMessageContaining("--config is missing");
    }
}
