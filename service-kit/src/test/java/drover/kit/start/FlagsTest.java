package drover.kit.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlagsTest {
    private static final List<String> KNOWN = List.of("listen", "agent-listen");

    private static Flags read(Map<String, String> environment, String... arguments) {
        return Flags.read("gateway", KNOWN, arguments, environment);
    }

    @Test
    void aFlagWinsOverTheEnvironment() {
        Map<String, String> environment =
                Map.of("DROVER_GATEWAY_LISTEN", "a:1", "DROVER_GATEWAY_AGENT_LISTEN", "b:2");
        Flags flags = read(environment, "--listen", "c:3");
        assertThat(flags.required("listen")).isEqualTo("c:3");
        assertThat(flags.required("agent-listen")).isEqualTo("b:2");
    }

    @Test
    void refusesAFlagThatIsNotKnownAndNamesThoseThatAre() {
        assertThatThrownBy(() -> read(Map.of(), "--lisen", "x"))
                .hasMessage("'--lisen' is not understood. Known are: --listen, --agent-listen.");
        assertThatThrownBy(() -> read(Map.of(), "listen", "x"))
                .hasMessageContaining("'listen' is not understood");
    }

    @Test
    void saysWhichFlagLacksItsValueOrIsMissing() {
        assertThatThrownBy(() -> read(Map.of(), "--listen")).hasMessage("--listen needs a value.");
        assertThatThrownBy(() -> read(Map.of()).required("listen"))
                .hasMessage("--listen is missing.");
        assertThat(read(Map.of()).or("listen", "d:4")).isEqualTo("d:4");
    }

    @Test
    void aFailureIsToldWithItsInnermostReason() {
        Exception inner = new IllegalStateException("connection refused");
        assertThat(Launch.sentence(new IllegalStateException("The database is away", inner)))
                .isEqualTo("The database is away: connection refused");
    }
}
