package drover.manifest.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.parse.Manifest;
import drover.manifest.parse.ManifestSamples;
import drover.manifest.source.ConfigDirectory;
import drover.model.ChainProfileId;
import drover.model.MigrationType;
import drover.model.UpgradeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a synchronizing program writes piece by piece. */
class HalfWrittenFileTest {
    private static final ChainProfileId CHAIN = new ChainProfileId("celestia");
    private static final UpgradeId ID = new UpgradeId("v1.10");
    private static final String BREAKING = ManifestSamples.GOOD;

    @TempDir Path root;
    private final Deque<String> writes = new ArrayDeque<>();
    private Path file = Path.of("unset");
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private CatalogFileCache catalog =
            new CatalogFileCache(ConfigDirectory.open(Path.of(".")), () -> now);

    @BeforeEach
    void open() throws IOException {
        file = root.resolve("upgrades/celestia/v1.10.yaml");
        Files.createDirectories(file.getParent());
        catalog = new CatalogFileCache(ConfigDirectory.open(root), () -> now, this::pause);
    }

    /** Time passes, and the writer writes its next piece. */
    private void pause(Duration time) {
        now = now.plus(time);
        if (!writes.isEmpty()) {
            write(writes.pop());
        }
    }

    private void write(String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Valid YAML and a valid manifest, without what follows the checksum. */
    private static String truncated() {
        int checksum = BREAKING.indexOf("target_checksum:");
        return BREAKING.substring(0, BREAKING.indexOf('\n', checksum) + 1);
    }

    private static MigrationType migration(FileWithLastValidContent<Manifest> state) {
        return state.lastGood().orElseThrow().value().migration();
    }

    @Test
    @DisplayName("H10 a manifest truncated after its checksum would be a valid manifest")
    void theTruncatedFileAloneIsValid() {
        write(truncated());

        FileWithLastValidContent<Manifest> state = catalog.readManifest(CHAIN, ID).orElseThrow();

        assertThat(migration(state)).isEqualTo(MigrationType.NONE);
    }

    @Test
    void aRequestWaitsUntilTheFileIsComplete() {
        write(truncated());
        writes.add(BREAKING);

        FileWithLastValidContent<Manifest> state = catalog.readManifest(CHAIN, ID).orElseThrow();

        assertThat(state.stable()).isTrue();
        assertThat(migration(state)).isEqualTo(MigrationType.BREAKING);
    }

    @Test
    void aFileThatKeepsChangingIsRefusedAndKeepsItsLastGoodContent() {
        write(BREAKING);
        FileWithLastValidContent<Manifest> first = catalog.readManifest(CHAIN, ID).orElseThrow();
        write(truncated());
        writes.addAll(List.of("a: 1\n", truncated(), "a: 2\n"));

        FileWithLastValidContent<Manifest> state = catalog.readManifest(CHAIN, ID).orElseThrow();

        assertThat(state.stable()).isFalse();
        assertThat(state.problems())
                .extracting(ValidationProblem::code)
                .containsExactly(ProblemCode.FILE_CHANGING);
        assertThat(state.lastGood()).isEqualTo(first.lastGood());
    }

    @Test
    void oneScanAcceptsNothingNew() {
        write(truncated());
        catalog.refresh();
        assertThat(catalog.manifests().values()).allMatch(state -> state.lastGood().isEmpty());

        now = now.plusSeconds(2);
        catalog.refresh();
        assertThat(catalog.manifests().values()).allMatch(state -> state.lastGood().isPresent());
    }

    @Test
    @DisplayName("At start-up a half-written file is not accepted either")
    void startWaitsForACompleteFile() {
        write(truncated());
        writes.add(BREAKING);

        catalog.refreshUntilStable();

        FileWithLastValidContent<Manifest> state = catalog.manifests().values().iterator().next();
        assertThat(migration(state)).isEqualTo(MigrationType.BREAKING);
    }
}
