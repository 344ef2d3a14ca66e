package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.Command;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandProtosTest {
    private static final String TRACE = "0123456789abcdef0123456789abcdef";

    @Test
    void readsTheTraceOfACommandForTheLog() throws Exception {
        assertThat(traceOf("00-" + TRACE + "-00000000000000ab-01")).isEqualTo(TRACE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00-trace", "00-" + TRACE + "-00000000000000ab-01\nforged=line"})
    void aTraceThatIsNoneIsLeftOutOfTheLog(String traceparent) throws Exception {
        assertThat(traceOf(traceparent)).isEmpty();
    }

    private static String traceOf(String traceparent) throws CommandProtos.Unreadable {
        return CommandProtos.delivery(Command.newBuilder().setTraceparent(traceparent).build())
                .traceId();
    }
}
