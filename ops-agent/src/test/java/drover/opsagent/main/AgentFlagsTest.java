package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import drover.opsagent.identity.EnrollmentConfig;
import drover.opsagent.peers.GatewayAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class AgentFlagsTest {
    @Test
    void valueIsTheNextWordOrFollowsAnEqualsSign() {
        assertThat(AgentFlags.of("--gateway", "h1:1", "--gateway=h2:2").gateways())
                .isEqualTo(GatewayAddress.parseAll(List.of("h1:1", "h2:2")));
    }

    @Test
    void whatIsWrongWithAFlagIsOneSentence() {
        assertRefused("--gateway needs a value.", "--gateway");
        assertRefused("--again takes no value.", "--again=yes");
        assertRefused("'--sate' is no flag of the agent.", "--sate=/var/lib/drover");
    }

    @Test
    void selfEnrollmentReceivesItsEndpointAndToken() {
        assertUnusable(
                "--join-token-file and --enrol-at need each other.", "--enrol-at=gateway:7447");
        assertUnusable(
                "A node shows a token or a certificate: leave --token-file or --join-token-file"
                        + " out.",
                "--enrol-at=gateway:7447",
                "--join-token-file=/join-token",
                "--token-file=/token");
        assertUnusable(
                "This machine is no node yet: run 'agent enroll' with a join token, or name a"
                        + " --join-token-file or a --token-file.");

        OpsAgentConfig config =
                withRoot("--enrol-at=g1:7447,g2:7447", "--join-token-file=/join-token").toConfig();
        assertThat(config.enrollment())
                .contains(
                        new EnrollmentConfig(
                                GatewayAddress.parseAll(List.of("g1:7447", "g2:7447")),
                                Path.of("/join-token")));
        assertThat(config.token()).isEmpty();
    }

    private static AgentFlags withRoot(String... more) {
        return AgentFlags.of(
                Stream.concat(
                                Stream.of("--gateway=g1:7443", "--state=/nowhere", "--root=/none"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    private static void assertUnusable(String sentence, String... more) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> withRoot(more).toConfig())
                .withMessage(sentence);
    }

    private static void assertRefused(String sentence, String... arguments) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AgentFlags.of(arguments))
                .withMessage(sentence);
    }
}
