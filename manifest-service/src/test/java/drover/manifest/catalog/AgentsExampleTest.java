package drover.manifest.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.source.ConfigDirectory;
import drover.model.ChainProfileId;
import drover.model.UpgradeId;
import drover.model.program.BinaryName;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

/** What deploy/agents shows is taken as it is. */
class AgentsExampleTest {
    private static final ChainProfileId AGENTS = new ChainProfileId("drover-agent");

    private final CatalogFileCache catalogue =
            new CatalogFileCache(
                    ConfigDirectory.open(Path.of("../deploy/agents")), InstantSource.system());

    @Test
    void theProfileAndTheManifestAreGood() {
        assertThat(catalogue.readProfile(AGENTS).orElseThrow().lastGood())
                .hasValueSatisfying(
                        profile ->
                                assertThat(profile.value().findProgram(BinaryName.AGENT))
                                        .isPresent());
        assertThat(
                        catalogue
                                .readManifest(AGENTS, new UpgradeId("agent-1.1.0"))
                                .orElseThrow()
                                .lastGood())
                .isPresent();
    }
}
