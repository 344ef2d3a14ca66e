package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RestoreSourceTest {
    private static final Set<String> AGAIN = Set.of("upgrade/1", "restore-by-address/1");

    @Test
    void anAgentThatRestoresHasItsBackup() {
        assertThat(RestoreSource.of(Set.of("restore/1"), "", true)).isEqualTo(RestoreSource.BACKUP);
    }

    @Test
    void withoutBackupsTheAddressDoesWhileConfigurationStays() {
        assertThat(RestoreSource.of(AGAIN, "https://x/v1", false)).isEqualTo(RestoreSource.ADDRESS);
    }

    @Test
    @DisplayName("D3: old bytes are never put under new configuration")
    void anAddressIsNoWayBackFromChangedConfiguration() {
        assertThat(RestoreSource.of(AGAIN, "https://x/v1", true)).isEqualTo(RestoreSource.NONE);
        assertThat(
                        new NodeTarget(
                                        Given.node(1),
                                        new drover.model.Version("v1"),
                                        Given.OLD,
                                        Given.OLD_CONFIG,
                                        "https://x/v1",
                                        Given.NEW_CONFIG,
                                        true)
                                .reinstallableArtifact())
                .isEmpty();
    }

    @Test
    void withoutBackupAndAddressThereIsNone() {
        assertThat(RestoreSource.of(AGAIN, "", false)).isEqualTo(RestoreSource.NONE);
        assertThat(RestoreSource.of(Set.of(), "https://x/v1", false)).isEqualTo(RestoreSource.NONE);
    }
}
