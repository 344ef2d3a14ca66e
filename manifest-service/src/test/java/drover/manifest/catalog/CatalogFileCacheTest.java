package drover.manifest.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import drover.manifest.Waits;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.parse.ManifestSamples;
import drover.manifest.source.ConfigDirectory;
import drover.manifest.source.ConfigDirectoryMissing;
import drover.model.ChainProfileId;
import drover.model.UpgradeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogFileCacheTest {
    private static final ChainProfileId CHAIN = new ChainProfileId("celestia");
    private static final UpgradeId ID = new UpgradeId("v1.10");

    @TempDir Path root;
    private Path file = Path.of("unset");
    private CatalogFileCache catalogue =
            new CatalogFileCache(ConfigDirectory.open(Path.of(".")), Instant::now);

    @BeforeEach
    void open() throws IOException {
        file = root.resolve("upgrades/celestia/v1.10.yaml");
        Files.createDirectories(file.getParent());
        Files.createDirectories(root.resolve("templates/celestia"));
        catalogue = new CatalogFileCache(ConfigDirectory.open(root), InstantSource.system());
    }

    private FileWithLastValidContent<?> state() {
        return catalogue.readManifest(CHAIN, ID).orElseThrow();
    }

    @Test
    void seesAFileTheMomentItIsSaved() throws IOException {
        assertThat(catalogue.readManifest(CHAIN, ID)).isEmpty();

        Files.writeString(file, ManifestSamples.GOOD);

        assertThat(state().lastGood()).isPresent();
    }

    @Test
    void seesAChangeThatLeavesSizeAndTimeAlone() throws IOException {
        Files.writeString(file, ManifestSamples.GOOD);
        FileTime time = Files.getLastModifiedTime(file);
        var before = state().hash();

        Files.writeString(file, ManifestSamples.GOOD.replace("1234", "4321"));
        Files.setLastModifiedTime(file, time);

        assertThat(state().hash()).isNotEqualTo(before);
    }

    @Test
    void doesNotReadAFileAgainThatIsAsOldAsItWas() throws IOException {
        Files.writeString(file, ManifestSamples.GOOD);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));

        FileWithLastValidContent<?> first = state();

        assertThat(state()).isSameAs(first);
    }

    @Test
    @DisplayName("A19 a file that breaks keeps its last good content and is reported")
    void keepsTheLastGoodContent() throws IOException {
        Files.writeString(file, ManifestSamples.GOOD);
        var good = state().lastGood().orElseThrow();

        Files.writeString(file, ManifestSamples.GOOD.substring(0, 200) + "\n  broken");

        assertThat(state().problems()).isNotEmpty();
        assertThat(state().lastGood().orElseThrow().hash()).isEqualTo(good.hash());

        Files.writeString(file, ManifestSamples.GOOD.replace("1234", "4321"));
        assertThat(state().problems()).isEmpty();
        assertThat(state().lastGood().orElseThrow().hash()).isNotEqualTo(good.hash());
    }

    @Test
    void forgetsADeletedFile() throws IOException {
        Files.writeString(file, ManifestSamples.GOOD);
        catalogue.refreshUntilStable();
        assertThat(catalogue.manifests()).hasSize(1);

        Files.delete(file);
        catalogue.refresh();

        assertThat(catalogue.manifests()).isEmpty();
        assertThat(catalogue.readManifest(CHAIN, ID)).isEmpty();
    }

    @Test
    void keepsEverythingWhenTheWholeDirectoryIsUnavailable() throws IOException {
        Files.writeString(file, ManifestSamples.GOOD);
        catalogue.refreshUntilStable();

        Path aside = root.resolveSibling(root.getFileName() + "-aside");
        Files.move(root, aside);
        catalogue.refresh();
        int known = catalogue.manifests().size();
        Files.move(aside, root);

        assertThat(known).isEqualTo(1);
    }

    @Test
    @DisplayName("H11 nothing outside the directory is read")
    void followsNoLinkOutOfTheDirectory(@TempDir Path outside) throws IOException {
        Path secret = Files.writeString(outside.resolve("secret"), ManifestSamples.GOOD);
        Files.createSymbolicLink(file, secret);
        Files.createSymbolicLink(root.resolve("templates/leak.tmpl"), secret);

        assertThat(catalogue.readManifest(CHAIN, ID)).isEmpty();
        assertThat(catalogue.readTemplates(CHAIN, Set.of("leak.tmpl")).texts()).isEmpty();
    }

    @Test
    void followsALinkThatStaysInside() throws IOException {
        Path real = Files.writeString(root.resolve("real.yaml"), ManifestSamples.GOOD);
        Files.createSymbolicLink(file, real);

        assertThat(state().lastGood()).isPresent();
    }

    @Test
    void prefersTheTemplateOfTheChain() throws IOException {
        Files.writeString(root.resolve("templates/a.tmpl"), "common");
        Files.writeString(root.resolve("templates/b.tmpl"), "common");
        Files.writeString(root.resolve("templates/celestia/a.tmpl"), "own");
        Files.write(root.resolve("templates/bad.tmpl"), new byte[] {(byte) 0xC3, 0x28});

        var templates =
                catalogue.readTemplates(CHAIN, Set.of("a.tmpl", "b.tmpl", "bad.tmpl", "none.tmpl"));

        assertThat(templates.texts())
                .containsOnlyKeys("a.tmpl", "b.tmpl")
                .containsEntry("a.tmpl", "own");
        assertThat(templates.unusable()).containsOnlyKeys("bad.tmpl");
    }

    @Test
    void reportsAFileThatCannotBeRead() throws IOException {
        Files.writeString(file, ManifestSamples.GOOD);
        assertThat(file.toFile().setReadable(false)).isTrue();
        assumeThat(Files.isReadable(file)).as("skipped: this user may read every file").isFalse();

        assertThat(state().problems())
                .extracting(ValidationProblem::code)
                .containsExactly(ProblemCode.UNREADABLE);
    }

    @Test
    void describesTheRemedyOfAMissingDirectory() {
        assertThatThrownBy(() -> ConfigDirectory.open(root.resolve("gone")))
                .isInstanceOf(ConfigDirectoryMissing.class)
                .hasMessageContaining("create it")
                .hasMessageContaining("gone");
    }

    @Test
    void loopPollsAutomatically() throws Exception {
        Files.writeString(file, ManifestSamples.GOOD);
        CountDownLatch requested = new CountDownLatch(2);
        InstantSource counting =
                () -> {
                    requested.countDown();
                    return Instant.now();
                };
        CatalogFileCache watched = new CatalogFileCache(ConfigDirectory.open(root), counting);

        try (RescanLoop loop =
                RescanLoop.start(
                        watched,
                        Duration.ofMillis(20),
                        new CatalogMetrics(drover.kit.telemetry.Metrics.open()))) {
            assertThat(loop).isNotNull();
            assertThat(requested.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }
}
