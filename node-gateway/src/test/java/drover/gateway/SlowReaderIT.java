package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Content;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I3: what the largest commands cost that an agent does not read, or reads byte by byte. */
@Faults(
        rule = "I3 (an agent that never reads costs a bounded amount of memory)",
        sample = "LoopbackSlowConsumerIT.anAgentThatNeverReadsCostsOneCommand")
class SlowReaderIT {
    private static final int CONTENTS = 512 * 1024; // the most that a command carries
    private static final int AROUND = 1024; // bytes, of what says which command, and the Welcome
    private static final int MOST_PENDING = 2 * CONTENTS + AROUND; // 1 MiB (SECURITY)
    private static final int COMMANDS = 40; // 20 MiB, and as much of preflights

    @AutoClose private GatewayFixture fixture;

    @BeforeEach
    void openServers() {
        fixture = GatewayFixture.onLoopback();
    }

    @ParameterizedTest(name = "one that reads {0} of them costs 1 MiB, and others are told")
    @ValueSource(ints = {0, 400})
    void anAgentThatReadsByteByByteCostsTwoCommands(int bytes) throws IOException {
        TestAgent other = fixture.connected("other");
        fixture.register("slow");
        try (RawAgent slow = new RawAgent(fixture.agentPort(), "slow", 0)) {
            await().atMost(Waits.LIMIT).until(() -> fixture.node("slow").getOnline());
            TestLeader leader =
                    TestLeader.attach(fixture.internal, 1).watches(1, List.of("slow", "other"));
            String session = leader.sessionOf("slow");

            for (int number = 0; number < COMMANDS; number++) {
                leader.sends("slow", session, large(leader, number));
                leader.sends("slow", session, preflight(leader)); // no third one
                read(slow, bytes / COMMANDS);
            }
            leader.sends("other", other.session(), leader.command("small"));

            other.received.awaitMessage(
                    ConnectResponse::hasCommand); // said last: the rest is decided
            slow.lets(COMMANDS * CONTENTS);
            readOn(slow, "" + (COMMANDS - 1)); // the latest
            leader.sends("slow", session, leader.command("last"));
            readOn(slow, "last");
            assertThat(slow.receivedCount()).isBetween(CONTENTS, MOST_PENDING);
        }
    }

    private static void read(RawAgent slow, int bytes) throws IOException {
        for (int i = 0; i < bytes; i++) {
            int before = slow.receivedCount();
            slow.lets(1);
            while (slow.receivedCount() == before) {
                slow.receive();
            }
        }
    }

    private static Command large(TestLeader leader, int number) {
        ByteString data = ByteString.copyFrom(new byte[CONTENTS]);
        return leader.command("" + number).toBuilder()
                .addContents(Content.newBuilder().setData(data))
                .build();
    }

    private static Command preflight(TestLeader leader) {
        return large(leader, -1).toBuilder().setType(CommandType.COMMAND_TYPE_PREFLIGHT).build();
    }

    /** Until it has heard this command, or more than may wait for it. */
    private static void readOn(RawAgent slow, String last) throws IOException {
        while (slow.receivedCount() <= MOST_PENDING && !hasReceived(last, slow)) {
            slow.receive();
        }
    }

    private static boolean hasReceived(String command, RawAgent slow) throws IOException {
        return slow.messages().stream()
                .anyMatch(
                        response -> response.getCommand().getBody().toStringUtf8().equals(command));
    }
}
