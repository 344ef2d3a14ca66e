package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PendingMessagesToAgentTest {
    @Test
    void sendsWelcomeAckWithdrawalStopAndWorkInThisOrder() {
        PendingMessagesToAgent outbox =
                PendingMessagesToAgent.EMPTY
                        .with(work("w"))
                        .with(stop("s"))
                        .with(withdrawal("t"))
                        .with(ack(1, 1))
                        .with(new MessageToAgent.Welcome("s"));

        assertThat(emptied(outbox))
                .containsExactly(
                        new MessageToAgent.Welcome("s"),
                        ack(1, 1),
                        withdrawal("t"),
                        stop("s"),
                        work("w"));
    }

    @Test
    @DisplayName("I3: whatever is offered, at most one of each kind waits, the latest")
    void neverGrowsBeyondOneOfEachKind() {
        Random random = new Random(44);
        PendingMessagesToAgent outbox = PendingMessagesToAgent.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            outbox =
                    switch (random.nextInt(3)) {
                        case 0 -> outbox.with(work("w" + i));
                        case 1 -> outbox.with(withdrawal("t" + i));
                        default -> outbox.with(ack(1 + random.nextInt(5), random.nextInt(9)));
                    };
            assertThat(outbox.waiting())
                    .hasSizeLessThanOrEqualTo(PendingMessagesToAgent.Kind.values().length);
        }
        outbox = outbox.with(work("last"));

        assertThat(emptied(outbox)).endsWith(work("last")).hasSize(3);
    }

    @Test
    void aLateAcknowledgementDoesNotReplaceALaterOne() {
        assertThat(emptied(PendingMessagesToAgent.EMPTY.with(ack(2, 3)).with(ack(2, 2))))
                .containsExactly(ack(2, 3));
        assertThat(emptied(PendingMessagesToAgent.EMPTY.with(ack(2, 3)).with(ack(3, 1))))
                .containsExactly(ack(3, 1));
    }

    @Test
    void whatCameMeanwhileStays() {
        PendingMessagesToAgent outbox =
                PendingMessagesToAgent.EMPTY.with(work("first")).with(work("second"));

        assertThat(outbox.without(work("first")).peek()).contains(work("second"));
    }

    @Test
    @DisplayName("I3: of work and a preflight, which both carry contents, one waits: the work")
    void aPreflightGivesWayToWork() {
        assertThat(emptied(PendingMessagesToAgent.EMPTY.with(preflight("p"))))
                .containsExactly(preflight("p"));
        assertThat(emptied(PendingMessagesToAgent.EMPTY.with(preflight("p")).with(work("w"))))
                .containsExactly(work("w"));
        assertThat(emptied(PendingMessagesToAgent.EMPTY.with(work("w")).with(preflight("p"))))
                .containsExactly(work("w"));
    }

    private static List<MessageToAgent> emptied(PendingMessagesToAgent outbox) {
        List<MessageToAgent> received = new ArrayList<>();
        PendingMessagesToAgent rest = outbox;
        while (rest.peek().isPresent()) {
            received.add(rest.peek().get());
            rest = rest.without(rest.peek().get());
        }
        return received;
    }

    private static MessageToAgent ack(long attempt, long sequence) {
        return new MessageToAgent.Acknowledgement(attempt, sequence);
    }

    private static MessageToAgent work(String name) {
        return new MessageToAgent.Command(new TestMessage(name));
    }

    private static MessageToAgent preflight(String name) {
        return new MessageToAgent.PreflightCommand(new TestMessage(name));
    }

    private static MessageToAgent stop(String name) {
        return new MessageToAgent.ExitForSuccessor(new TestMessage(name));
    }

    private static MessageToAgent withdrawal(String name) {
        return new MessageToAgent.Withdrawal(new TestMessage(name));
    }
}
