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
import org.junit.jupiter.api.Test;

class StatusSlotTest {
    private final StatusSlot slot = new StatusSlot(new AutoAdvancingTicker(), () -> {});
    private final List<AttemptStatus> observed = new ArrayList<>();

    private static Journal accepted() {
        return Journal.accepted(
                new Assignment(
                        4, "", "r0", new Work.ClearFailure("why"), Duration.ofSeconds(1), "s"),
                new PreUpgradeState.NotNeeded());
    }

    @Test
    void checkerSeesAcknowledgedDataOnly() {
        slot.setAcknowledgeObserver(observed::add);
        slot.publish(accepted());
        long early = sequence();
        slot.publish(
                accepted()
                        .withResult(
                                AttemptOutcome.SUCCEEDED,
                                ReasonCode.NONE,
                                "",
                                ObservedProgram.NOTHING));
        slot.acknowledge(4, early);
        slot.acknowledge(5, sequence());
        assertThat(observed).as("an earlier one, and another attempt").isEmpty();
        slot.acknowledge(4, sequence());
        assertThat(observed)
                .singleElement()
                .returns(true, AttemptStatus::isTerminal)
                .returns(sequence(), AttemptStatus::sequence);
    }

    private long sequence() {
        AttemptStatus status = slot.currentStatus();
        return status == null ? -1 : status.sequence();
    }
}
