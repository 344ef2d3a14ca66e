package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TargetArtifactTest {
    private static final TargetArtifact ARM = new TargetArtifact("file:///arm", Digest.of("a"), 9);
    private static final TargetArtifact PLAIN = new TargetArtifact("file:///v2", Given.NEW, 0);

    private static RolloutSpec spec(String plainUrl, Map<String, TargetArtifact> artifacts) {
        return new RolloutSpec(
                new ChainProfileId("demo"),
                "full",
                new BinaryName("web"),
                List.of(new Version("v1")),
                new Version("v2"),
                plainUrl,
                Given.NEW,
                "process",
                new Strategy.Rolling(1),
                new Threshold.Count(0),
                100,
                0,
                Duration.ofSeconds(10),
                3,
                MigrationType.NONE,
                "",
                "",
                "",
                artifacts);
    }

    @Test
    void onePlainArtifactIsForEveryPlatformKnownOrNot() {
        RolloutSpec spec = spec("file:///v2", Map.of());
        assertThat(spec.artifactForOrAny("linux/arm64")).contains(PLAIN);
        assertThat(spec.artifactForOrAny("")).contains(PLAIN);
    }

    @Test
    void aListedPlatformHasItsOwnAndAllOthersThePlainOne() {
        RolloutSpec spec = spec("file:///v2", Map.of("linux/arm64", ARM));
        assertThat(spec.artifactForOrAny("linux/arm64")).contains(ARM);
        assertThat(spec.artifactForOrAny("linux/amd64")).contains(PLAIN);
    }

    @Test
    void nothingIsGuessedForAPlatformThatIsNotKnown() {
        assertThat(spec("file:///v2", Map.of("linux/arm64", ARM)).artifactForOrAny("")).isEmpty();
    }

    @Test
    void withoutAPlainArtifactOnlyListedPlatformsHaveOne() {
        RolloutSpec spec = spec("", Map.of("linux/arm64", ARM));
        assertThat(spec.artifactForOrAny("linux/arm64")).contains(ARM);
        assertThat(spec.artifactForOrAny("linux/amd64")).isEmpty();
    }

    @Test
    void theDigestOfAListDoesNotDependOnItsOrder() {
        TargetArtifact other = new TargetArtifact("file:///amd", Digest.of("b"), 0);
        assertThat(RolloutSpec.combinedDigest(Map.of("linux/arm64", ARM, "linux/amd64", other)))
                .isEqualTo(
                        RolloutSpec.combinedDigest(
                                Map.of("linux/amd64", other, "linux/arm64", ARM)))
                .isNotEqualTo(RolloutSpec.combinedDigest(Map.of("linux/arm64", ARM)));
    }
}
