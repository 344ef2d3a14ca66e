package drover.opsagent.trust;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeType;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.store.EarlierState;
import drover.trust.release.ReleaseWatermark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of releases that an agent of an earlier version left. */
class EarlierTrustRecordTest {
    @Test
    @DisplayName("C15 E6: an agent's upgrade forgets neither the root nor a release")
    void remembersRootAndReleases(@TempDir Path directory) throws IOException {
        Path place = directory.toRealPath();
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
        EarlierState.copy("loft-1", place);
        Path root = EarlierState.copyRoot(place);
        RootOfTrustStore store =
                new RootOfTrustStore(
                        EarlierState.open(place.resolve("state")),
                        new SignaturePolicy.VerifyReleases(
                                root,
                                Files.getOwner(root).getName(),
                                true,
                                new ChainProfileId("loft"),
                                new NodeType("bunk")));

        TrustRecord record = store.loadAndUpdateRoot();

        assertThat(store.pinOrUpdateRoot()).isEqualTo(1);
        assertThat(record.watermark("loft", "loft")).isEqualTo(new ReleaseWatermark(14, "v4", 13));
        Digest earlier =
                Digest.of(
                        "#!/bin/sh\n# loft v2\nexec sleep 86400\n"
                                .getBytes(StandardCharsets.UTF_8));
        assertThat(record.findTrustedArtifact("loft", "loft", earlier))
                .contains(new TrustRecord.TrustedArtifact(earlier, 12, false));
    }
}
