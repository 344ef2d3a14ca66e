package drover.opsagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import drover.opsagent.peers.GatewayAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AgentFlagsTest {
    @Test
    void aValueIsTheNextWordOrStandsBehindAnEqualsSign() {
        assertThat(AgentFlags.of("--gateway", "h1:1", "--gateway=h2:2").gateways())
                .isEqualTo(GatewayAddress.list(List.of("h1:1", "h2:2")));
    }

    @Test
    void whatIsWrongWithAFlagIsOneSentence() {
        assertRefused("--gateway needs a value.", "--gateway");
        assertRefused("--again takes no value.", "--again=yes");
        assertRefused("'--sate' is no flag of the agent.", "--sate=/var/lib/drover");
    }

    private static void assertRefused(String sentence, String... arguments) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AgentFlags.of(arguments))
                .withMessage(sentence);
    }
}
