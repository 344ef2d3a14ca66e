package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {
    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux/amd64",
        "Linux, x86_64, linux/amd64",
        "Linux, aarch64, linux/arm64",
        "Linux, arm64, linux/arm64",
        "Linux, s390x, linux/s390x"
    })
    void isNamedAsManifestsAndImagesNameIt(String system, String machine, String platform) {
        assertThat(ReportProtos.platformName(system, machine)).isEqualTo(platform);
    }

    @Test
    void hasTheSameTextOnThisMachine() {
        assertThat(ReportProtos.platformName())
                .matches("[a-z]+/.+")
                .doesNotContain("aarch64", "x86_64");
    }
}
