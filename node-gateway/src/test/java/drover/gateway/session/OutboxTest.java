package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OutboxTest {
    @Test
    void sendsWelcomeAckWithdrawalStopAndWorkInThisOrder() {
        Outbox outbox =
                Outbox.EMPTY
                        .with(work("w"))
                        .with(stop("s"))
                        .with(withdrawal("t"))
                        .with(ack(1, 1))
                        .with(new AgentMessage.Welcome("s"));

        assertThat(emptied(outbox))
                .containsExactly(
                        new AgentMessage.Welcome("s"),
                        ack(1, 1),
                        withdrawal("t"),
                        stop("s"),
                        work("w"));
    }

    @Test
    @DisplayName("I3: whatever is offered, at most one of each kind waits, the latest")
    void neverGrowsBeyondOneOfEachKind() {
        Random random = new Random(44);
        Outbox outbox = Outbox.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            outbox =
                    switch (random.nextInt(3)) {
                        case 0 -> outbox.with(work("w" + i));
                        case 1 -> outbox.with(withdrawal("t" + i));
                        default -> outbox.with(ack(1 + random.nextInt(5), random.nextInt(9)));
                    };
            assertThat(outbox.waiting()).hasSizeLessThanOrEqualTo(Outbox.Kind.values().length);
        }
        outbox = outbox.with(work("last"));

        assertThat(emptied(outbox)).endsWith(work("last")).hasSize(3);
    }

    @Test
    void aLateAcknowledgementDoesNotReplaceALaterOne() {
        assertThat(emptied(Outbox.EMPTY.with(ack(2, 3)).with(ack(2, 2))))
                .containsExactly(ack(2, 3));
        assertThat(emptied(Outbox.EMPTY.with(ack(2, 3)).with(ack(3, 1))))
                .containsExactly(ack(3, 1));
    }

    @Test
    void whatCameMeanwhileStays() {
        Outbox outbox = Outbox.EMPTY.with(work("first")).with(work("second"));

        assertThat(outbox.without(work("first")).next()).contains(work("second"));
    }

    @Test
    @DisplayName("I3: of work and a preflight, which both carry contents, one waits: the work")
    void aPreflightGivesWayToWork() {
        assertThat(emptied(Outbox.EMPTY.with(preflight("p")))).containsExactly(preflight("p"));
        assertThat(emptied(Outbox.EMPTY.with(preflight("p")).with(work("w"))))
                .containsExactly(work("w"));
        assertThat(emptied(Outbox.EMPTY.with(work("w")).with(preflight("p"))))
                .containsExactly(work("w"));
    }

    private static List<AgentMessage> emptied(Outbox outbox) {
        List<AgentMessage> received = new ArrayList<>();
        Outbox rest = outbox;
        while (rest.next().isPresent()) {
            received.add(rest.next().get());
            rest = rest.without(rest.next().get());
        }
        return received;
    }

    private static AgentMessage ack(long attempt, long sequence) {
        return new AgentMessage.Acknowledgement(attempt, sequence);
    }

    private static AgentMessage work(String name) {
        return new AgentMessage.Command(new TestMessage(name));
    }

    private static AgentMessage preflight(String name) {
        return new AgentMessage.Preflight(new TestMessage(name));
    }

    private static AgentMessage stop(String name) {
        return new AgentMessage.Stop(new TestMessage(name));
    }

    private static AgentMessage withdrawal(String name) {
        return new AgentMessage.Withdrawal(new TestMessage(name));
    }
}
