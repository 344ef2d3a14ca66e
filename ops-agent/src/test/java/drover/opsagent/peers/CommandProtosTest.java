package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.PreflightWork;
import drover.agent.v1.Probe;
import drover.agent.v1.ProgramSpec;
import drover.agent.v1.UpgradeWork;
import drover.opsagent.admission.ParsedCommand.ParsedWork;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @Test
    @DisplayName("A release comes with whatever would install it, a preflight's upgrade included")
    void readsTheReleaseOfAPreflight() throws Exception {
        UpgradeWork upgrade =
                UpgradeWork.newBuilder().setRelease(ByteString.copyFromUtf8("signed")).build();
        PreflightWork preflight = PreflightWork.newBuilder().setUpgrade(upgrade).build();
        assertThat(releaseIn(CommandBody.newBuilder().setPreflight(preflight))).isEqualTo("signed");
        assertThat(releaseIn(CommandBody.newBuilder().setUpgrade(upgrade))).isEqualTo("signed");
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775807, 1999999999", "-1, 0", "40000000, 0", "1, -1"})
    @DisplayName("H9: a command with an invalid duration is rejected, and its stream goes on")
    void rejectsADurationOutOfRange(long seconds, int nanos) throws Exception {
        Duration invalid = Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
        Probe probe = Probe.newBuilder().setName("p").setInterval(invalid).build();
        UpgradeWork upgrade =
                UpgradeWork.newBuilder()
                        .setProgram(ProgramSpec.newBuilder().addProbes(probe))
                        .build();

        assertThat(readingOf(CommandBody.newBuilder().setWorkTimeout(invalid)))
                .isInstanceOf(ParsedWork.Unreadable.class);
        assertThat(readingOf(CommandBody.newBuilder().setUpgrade(upgrade)))
                .isInstanceOf(ParsedWork.Unreadable.class);
    }

    private static ParsedWork readingOf(CommandBody.Builder body)
            throws CommandProtos.UnreadableCommand {
        Command command =
                Command.newBuilder()
                        .setType(CommandType.COMMAND_TYPE_UPGRADE)
                        .setBody(body.build().toByteString())
                        .build();
        return CommandProtos.toReceivedCommand(command).command().work();
    }

    private static String releaseIn(CommandBody.Builder body)
            throws CommandProtos.UnreadableCommand {
        Command command = Command.newBuilder().setBody(body.build().toByteString()).build();
        return new String(
                CommandProtos.toReceivedCommand(command).release(), StandardCharsets.UTF_8);
    }

    private static String traceOf(String traceparent) throws CommandProtos.UnreadableCommand {
        return CommandProtos.toReceivedCommand(
                        Command.newBuilder().setTraceparent(traceparent).build())
                .traceId();
    }
}
