package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import drover.agent.v1.Artifact;
import drover.agent.v1.ClusterProbe;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.PreflightWork;
import drover.agent.v1.Probe;
import drover.agent.v1.ProgramSpec;
import drover.agent.v1.StopSettings;
import drover.agent.v1.StopSignal;
import drover.agent.v1.UpgradeWork;
import drover.model.NodePath;
import drover.opsagent.admission.ParsedCommand.WorkParseResult;
import drover.opsagent.journal.Work;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
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
                .isInstanceOf(WorkParseResult.Unreadable.class);
        assertThat(readingOf(CommandBody.newBuilder().setUpgrade(upgrade)))
                .isInstanceOf(WorkParseResult.Unreadable.class);
    }

    @Test
    void readsStopSettings() throws Exception {
        StopSettings stop =
                StopSettings.newBuilder()
                        .setSignal(StopSignal.STOP_SIGNAL_INT)
                        .setTimeout(Duration.newBuilder().setSeconds(1_800))
                        .build();

        assertThat(stopIn(ProgramSpec.newBuilder().setStop(stop)))
                .isEqualTo(
                        new drover.model.program.StopSettings(
                                Optional.of(drover.model.program.StopSignal.INT),
                                Optional.of(java.time.Duration.ofMinutes(30))));
        assertThat(stopIn(ProgramSpec.newBuilder()))
                .isEqualTo(drover.model.program.StopSettings.RUNTIME_DEFAULT);
    }

    private static drover.model.program.StopSettings stopIn(ProgramSpec.Builder program)
            throws CommandProtos.UnreadableCommand {
        WorkParseResult.Valid read = (WorkParseResult.Valid) readingOf(upgradeOf(program));
        return ((Work.Upgrade) read.work()).spec().launch().stop();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 3_601, 9223372036854775807L})
    @DisplayName("H9: a stop timeout out of range is rejected, and so is an unknown signal")
    void rejectsStopSettingsOutOfRange(long seconds) throws Exception {
        StopSettings.Builder stop =
                StopSettings.newBuilder().setTimeout(Duration.newBuilder().setSeconds(seconds));
        assertThat(readingOf(upgradeOf(ProgramSpec.newBuilder().setStop(stop))))
                .isInstanceOf(WorkParseResult.Unreadable.class);
        StopSettings.Builder unknown = StopSettings.newBuilder().setSignalValue(99);
        assertThat(readingOf(upgradeOf(ProgramSpec.newBuilder().setStop(unknown))))
                .isInstanceOf(WorkParseResult.Unreadable.class);
    }

    private static ClusterProbe.Builder etcd() {
        return ClusterProbe.newBuilder()
                .setDriver("etcd")
                .setEndpoint("https://127.0.0.1:2379")
                .setInterval(Duration.newBuilder().setSeconds(5));
    }

    @Test
    void readsAClusterProbe() throws Exception {
        ClusterProbe probe = etcd().setCaFile("/ca.pem").setUserFile("/user").build();

        WorkParseResult.Valid read =
                (WorkParseResult.Valid)
                        readingOf(upgradeOf(ProgramSpec.newBuilder().setCluster(probe)));

        assertThat(((Work.Upgrade) read.work()).spec().cluster())
                .contains(
                        new drover.model.program.ClusterProbe(
                                "etcd",
                                "https://127.0.0.1:2379",
                                java.time.Duration.ofSeconds(5),
                                Optional.of(new NodePath("/ca.pem")),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(new NodePath("/user"))));
    }

    @Test
    @DisplayName("H9: a cluster probe out of range is rejected")
    void rejectsAnInvalidClusterProbe() throws Exception {
        for (ClusterProbe.Builder invalid :
                List.of(
                        ClusterProbe.newBuilder(),
                        etcd().setDriver("driver"),
                        etcd().setEndpoint(""),
                        etcd().setEndpoint("http://root:x@127.0.0.1"),
                        etcd().setInterval(Duration.getDefaultInstance()),
                        etcd().setInterval(Duration.newBuilder().setSeconds(61)),
                        etcd().setInterval(Duration.newBuilder().setSeconds(Long.MIN_VALUE)),
                        etcd().setUserFile("../user"),
                        etcd().setKeyFile("/key.pem"),
                        etcd().setDriver("/driver").setUserFile("/user"),
                        etcd().setDriver("/driver").setEndpoint("a\nb"))) {
            assertThat(readingOf(upgradeOf(ProgramSpec.newBuilder().setCluster(invalid))))
                    .as("%s", invalid)
                    .isInstanceOf(WorkParseResult.Unreadable.class);
        }
    }

    private static CommandBody.Builder upgradeOf(ProgramSpec.Builder program) {
        String digest = "sha256:" + "0".repeat(64);
        program.setName("app").setPath("/app").setRuntime("process");
        return CommandBody.newBuilder()
                .setRolloutId("rollout-1")
                .setUpgrade(
                        UpgradeWork.newBuilder()
                                .setProgram(program)
                                .setArtifact(Artifact.newBuilder().setDigest(digest))
                                .setSourceDigest(digest)
                                .setTargetConfigDigest(digest));
    }

    private static WorkParseResult readingOf(CommandBody.Builder body)
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
