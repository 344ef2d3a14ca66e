package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class WayBackTest {
    private static final Set<String> ANEW = Set.of("upgrade/1", "restore-by-address/1");

    @Test
    void anAgentThatRestoresHasItsBackup() {
        assertThat(WayBack.of(Set.of("restore/1"), "", true)).isEqualTo(WayBack.BACKUP);
    }

    @Test
    void withoutBackupsTheAddressDoesWhileConfigurationStays() {
        assertThat(WayBack.of(ANEW, "https://x/v1", false)).isEqualTo(WayBack.ADDRESS);
    }

    @Test
    @DisplayName("D3: old bytes are never put under new configuration")
    void anAddressIsNoWayBackFromChangedConfiguration() {
        assertThat(WayBack.of(ANEW, "https://x/v1", true)).isEqualTo(WayBack.NONE);
        assertThat(
                        new NodeTarget(
                                        Given.node(1),
                                        new drover.model.Version("v1"),
                                        Given.OLD,
                                        Given.OLD_CONFIG,
                                        "https://x/v1",
                                        Given.NEW_CONFIG,
                                        true)
                                .previousArtifact())
                .isEmpty();
    }

    @Test
    void withoutBackupAndAddressThereIsNone() {
        assertThat(WayBack.of(ANEW, "", false)).isEqualTo(WayBack.NONE);
        assertThat(WayBack.of(Set.of(), "https://x/v1", false)).isEqualTo(WayBack.NONE);
    }
}
