package drover.coordinator.plan.create;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.create.CreationFieldRules.Refusal;
import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.model.MigrationType;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreationFieldRulesTest {
    private static final String HEX = "0123456789abcdef".repeat(4);
    private static final String CHECKSUM = "sha256:" + HEX;

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 999})
    @DisplayName("A16: hardly any wait is skip_validation without its flag")
    void refusesAHealthWaitBelowASecond(long millis) {
        assertThat(waiting(StrategyName.ROLLING, Duration.ofMillis(millis), false))
                .hasValueSatisfying(
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(RefusalCode.INVALID_FIELD);
                            assertThat(refusal.field()).isEqualTo("health_wait_duration");
                            assertThat(refusal.sentence())
                                    .contains("1s")
                                    .contains("skip_validation");
                        });
    }

    @Test
    @DisplayName("A16: all at once waits as well unless the flag says otherwise")
    void noWaitNeedsTheFlag() {
        assertThat(waiting(StrategyName.ALL_AT_ONCE, Duration.ZERO, false)).isPresent();
        assertThat(waiting(StrategyName.ALL_AT_ONCE, Duration.ZERO, true)).isEmpty();
    }

    @Test
    void aSecondOrTheProfilesWaitWillDo() {
        assertThat(waiting(StrategyName.ROLLING, Duration.ofSeconds(1), false)).isEmpty();
        assertThat(waiting(StrategyName.ROLLING, null, false)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "registry.test/web:v2",
                "registry.test/web@sha256:",
                "registry.test/web@sha256:0123",
                "registry.test/web@sha256:" + "not hexadecimal",
                "@sha256:" + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "registry.test/web@sha256:"
                        + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef:v2",
                "registry.test/web@sha256:"
                        + "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef"
            })
    @DisplayName("Seed 000, rule 3: an image is pinned by a whole digest at its end")
    void refusesAnImageThatIsNotPinnedStrictly(String url) {
        assertThat(image(url, "docker").map(Refusal::code)).contains(RefusalCode.IMAGE_NOT_PINNED);
    }

    @Test
    @DisplayName("Seed 000, rule 3: the pin and the checksum are one digest")
    void refusesAPinThatIsNotTheChecksum() {
        String other = "f".repeat(64);

        assertThat(image("registry.test/web@sha256:" + other, "docker"))
                .hasValueSatisfying(
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(RefusalCode.IMAGE_NOT_PINNED);
                            assertThat(refusal.sentence()).contains("target_binary_checksum");
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://releases.test/with space/web",
                "https://user:canary@releases.test/web",
                "ftp://releases.test/web",
                "https:///web"
            })
    @DisplayName("An address that manifests and agents refuse is refused at creation")
    void refusesAnAddressThatCannotBeDownloaded(String url) {
        assertThat(image(url, "process"))
                .hasValueSatisfying(
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(RefusalCode.INVALID_FIELD);
                            assertThat(refusal.field()).isEqualTo("target_binary_url");
                            assertThat(refusal.sentence()).doesNotContain("canary");
                        });
        assertThat(image("HTTPS://releases.test/web?sig=%2B", "process")).isEmpty();
    }

    @Test
    void aPinnedImageWillDoAndFilesNeedNoPin() {
        assertThat(image("registry.test:5000/team/web@" + CHECKSUM, "docker")).isEmpty();
        assertThat(image("https://releases.test/web", "process")).isEmpty();
    }

    private static Optional<Refusal> waiting(
            StrategyName strategy, @Nullable Duration wait, boolean skipValidation) {
        return CreationFieldRules.checkBeforeManifest(
                request("https://releases.test/web", strategy, wait, skipValidation));
    }

    private static Optional<Refusal> image(String url, String runtime) {
        return CreationFieldRules.checkAfterManifest(
                request(url, StrategyName.ROLLING, null, false), runtime);
    }

    private static UnvalidatedCreationRequest request(
            String url, StrategyName strategy, @Nullable Duration wait, boolean skipValidation) {
        return new UnvalidatedCreationRequest(
                "demo",
                "edge",
                "",
                "web",
                List.of("v1"),
                "v2",
                url,
                CHECKSUM,
                strategy,
                1,
                0,
                0,
                0,
                0,
                wait,
                List.of(),
                MigrationType.NONE,
                "",
                false,
                "",
                0,
                false,
                skipValidation,
                Set.of(),
                Set.of(),
                Map.of());
    }
}
