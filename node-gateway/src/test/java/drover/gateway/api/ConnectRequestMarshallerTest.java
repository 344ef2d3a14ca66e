package drover.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import drover.agent.v1.AgentFinding;
import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConfigFile;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.ProgramReport;
import drover.agent.v1.RejectedCommand;
import io.grpc.MethodDescriptor;
import java.util.Collections;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sizes of agent messages, checked before they are parsed. */
class ConnectRequestMarshallerTest {
    @SuppressWarnings("unchecked") // the one method of the service
    private static final MethodDescriptor<ConnectRequest, ?> CONNECT =
            (MethodDescriptor<ConnectRequest, ?>)
                    ConnectRequestMarshaller.wrapService(
                                    new AgentServiceGrpc.AgentServiceImplBase() {})
                            .bindService()
                            .getMethods()
                            .iterator()
                            .next()
                            .getMethodDescriptor();

    private static ConnectRequest parsed(ByteString bytes) {
        return CONNECT.parseRequest(bytes.newInput());
    }

    private static ConnectRequest parsed(ConnectRequest request) {
        return parsed(request.toByteString());
    }

    private static boolean isTooLarge(ConnectRequest request) {
        return ConnectRequestMarshaller.findSizeViolation(request).isPresent();
    }

    private static ConnectRequest hello(int programs, int files) {
        Hello.Builder hello = Hello.newBuilder();
        for (int i = 0; i < programs; i++) {
            ProgramReport.Builder program = hello.addProgramsBuilder().setName("p" + i);
            for (int j = 0; j < files; j++) {
                program.addConfigFiles(
                        ConfigFile.newBuilder()
                                .setPath("/" + "x".repeat(79))
                                .setDigest("sha256:" + "a".repeat(64)));
            }
        }
        return ConnectRequest.newBuilder().setHello(hello).build();
    }

    private static Heartbeat.Builder oldHeartbeat(int programs, int details) {
        Heartbeat.Builder heartbeat = Heartbeat.newBuilder().setAttempt(7).setSequence(3);
        for (int i = 0; i < programs; i++) {
            heartbeat.addPrograms(
                    ProgramHealth.newBuilder()
                            .setName("p" + i)
                            .setRunId("run")
                            .addAllProbeDetails(Collections.nCopies(details, "x".repeat(900))));
            heartbeat.addFindings(
                    AgentFinding.newBuilder().setCode("DRIFT").setDetail("x".repeat(900)));
        }
        return heartbeat.setRejectedCommand(
                RejectedCommand.newBuilder().setAttempt(8).setDetail("later"));
    }

    private static ConnectRequest of(Heartbeat.Builder heartbeat) {
        return ConnectRequest.newBuilder().setHeartbeat(heartbeat).build();
    }

    @Test
    void parsesAHelloOfTwentyProgramsWith64FilesEach() {
        ConnectRequest hello = hello(20, 64);

        assertThat(hello.getSerializedSize()).isGreaterThan(180_000);
        assertThat(parsed(hello)).isEqualTo(hello);
    }

    @Test
    @DisplayName("I3: the occurrences of one message are limited together, as they are merged")
    void addsTheSizesOfRepeatedMessages() {
        ByteString hello = hello(12, 64).toByteString();
        assertThat(isTooLarge(parsed(hello))).isFalse();
        assertThat(isTooLarge(parsed(hello.concat(hello).concat(hello)))).isTrue();

        ByteString heartbeat =
                of(Heartbeat.newBuilder()
                                .addPrograms(
                                        ProgramHealth.newBuilder().setRole("x".repeat(12_000))))
                        .toByteString();
        assertThat(isTooLarge(parsed(heartbeat))).isFalse();
        assertThat(isTooLarge(parsed(heartbeat.concat(heartbeat)))).isTrue();
    }

    @Test
    @DisplayName("C15: a heartbeat of an earlier agent that is too large loses only its texts")
    void removesTheTextsOfALargeHeartbeat() {
        ConnectRequest request = of(oldHeartbeat(20, 3));

        Heartbeat parsed = parsed(request).getHeartbeat();

        assertThat(request.getSerializedSize()).isGreaterThan(64 * 1024);
        Heartbeat.Builder expected = oldHeartbeat(20, 0);
        expected.getFindingsBuilderList().forEach(AgentFinding.Builder::clearDetail);
        expected.getRejectedCommandBuilder().clearDetail();
        assertThat(parsed).isEqualTo(expected.build());
    }

    @Test
    void keepsTheTextsOfASmallHeartbeat() {
        ConnectRequest request = of(oldHeartbeat(3, 3));

        assertThat(parsed(request)).isEqualTo(request);
    }

    @Test
    void rejectsAHeartbeatThatIsTooLargeWithoutItsTexts() {
        Heartbeat.Builder bomb = Heartbeat.newBuilder();
        for (int i = 0; i < 100_000; i++) {
            bomb.addPrograms(ProgramHealth.getDefaultInstance());
        }
        Heartbeat.Builder names = oldHeartbeat(20, 3);
        names.addProgramsBuilder().setName("x".repeat(20_000));

        assertThat(isTooLarge(parsed(of(bomb)))).isTrue();
        assertThat(isTooLarge(parsed(of(names)))).isTrue();
    }

    @Test
    void rejectsALargeHeartbeatThatIsMalformed() {
        ByteString field2 = ByteString.copyFrom(new byte[] {0x12, (byte) 0xa0, (byte) 0x9c, 0x01});

        assertThat(isTooLarge(parsed(field2.concat(ByteString.copyFromUtf8("x".repeat(20_000))))))
                .isTrue();
    }
}
