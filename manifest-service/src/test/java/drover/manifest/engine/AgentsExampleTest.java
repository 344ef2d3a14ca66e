package drover.manifest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.source.ConfigDirectory;
import drover.model.BinaryName;
import drover.model.ChainProfileId;
import drover.model.UpgradeId;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

/** What deploy/agents shows is taken as it is. */
class AgentsExampleTest {
    private static final ChainProfileId AGENTS = new ChainProfileId("drover-agent");

    private final Catalogue catalogue =
            new Catalogue(
                    ConfigDirectory.open(Path.of("../deploy/agents")), InstantSource.system());

    @Test
    void theProfileAndTheManifestAreGood() {
        assertThat(catalogue.profile(AGENTS).orElseThrow().good())
                .hasValueSatisfying(
                        profile ->
                                assertThat(profile.value().program(BinaryName.AGENT)).isPresent());
        assertThat(catalogue.manifest(AGENTS, new UpgradeId("agent-1.1.0")).orElseThrow().good())
                .isPresent();
    }
}
