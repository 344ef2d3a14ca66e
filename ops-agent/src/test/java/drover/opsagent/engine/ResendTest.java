package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.time.AutoAdvancingTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** C11: a status is sent until it is acknowledged. Attempts have their own acknowledgements. */
class ResendTest {
    private final StatusSlot slot = new StatusSlot(new AutoAdvancingTicker(), () -> {});
    private final List<AttemptStatus> sent = new ArrayList<>();

    private static Journal started(long attempt) {
        return Journal.accepted(
                new Assignment(
                        attempt,
                        "",
                        "rollout",
                        new Work.ClearFailure("why"),
                        Duration.ofSeconds(1),
                        "session"),
                new PreUpgradeState.NotNeeded());
    }

    private static Journal ended(long attempt) {
        return started(attempt)
                .withResult(AttemptOutcome.SUCCEEDED, ReasonCode.NONE, "", ObservedProgram.NOTHING);
    }

    /** Sends the status if it is due, as the connection to the gateway does. */
    private void send() {
        AttemptStatus due = slot.findUnacknowledgedOrRequested();
        if (due != null) {
            sent.add(due);
        }
    }

    /** The last status that was sent is committed. */
    private void acknowledge() {
        AttemptStatus last = sent.getLast();
        slot.acknowledge(last.journal().attempt(), last.sequence());
    }

    @Test
    @DisplayName(
            "C11: the status of a later attempt is sent although the earlier one has a higher"
                    + " acknowledged sequence")
    void anAcknowledgementOfAnEarlierAttemptDoesNotCount() {
        slot.publish(started(4));
        for (int beat = 0; beat < 1_000; beat++) {
            slot.requestAcknowledgement();
        }
        send();
        acknowledge();
        slot.publish(ended(4));
        send();
        acknowledge();
        sent.clear();

        for (long attempt = 5; attempt < 8; attempt++) {
            slot.publish(started(attempt));
            assertThat(slot.isAcknowledged()).as("attempt %d", attempt).isFalse();
            send();
            slot.publish(ended(attempt));
            send();
            assertThat(slot.isAcknowledged()).as("attempt %d", attempt).isFalse();
            acknowledge();
            assertThat(slot.findUnacknowledgedOrRequested()).as("attempt %d", attempt).isNull();
        }

        assertThat(sent)
                .as("each status of each attempt is sent once")
                .extracting(status -> status.journal().attempt() + " " + status.isTerminal())
                .containsExactly("5 false", "5 true", "6 false", "6 true", "7 false", "7 true");
    }

    @Test
    @DisplayName("C11: a status is due until its own sequence is acknowledged")
    void aStatusIsDueUntilItsOwnSequenceIsAcknowledged() {
        slot.publish(started(4));
        send();
        slot.publish(ended(4));
        acknowledge(); // of the first status
        send();
        send();
        acknowledge();
        send();
        assertThat(sent).extracting(AttemptStatus::isTerminal).containsExactly(false, true, true);
    }
}
