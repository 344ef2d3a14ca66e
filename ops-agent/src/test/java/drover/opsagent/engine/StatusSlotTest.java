package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.script.Assignment;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.script.Before;
import drover.opsagent.script.Journal;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Seen;
import drover.opsagent.script.Work;
import drover.opsagent.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusSlotTest {
    private final StatusSlot slot = new StatusSlot(new ManualTicker(), () -> {});
    private final List<AttemptStatus> witnessed = new ArrayList<>();

    private static Journal accepted() {
        return Journal.accepted(
                new Assignment(4, "", "r0", new Work.Clear("why"), Duration.ofSeconds(1), "s"),
                new Before.NotTaken());
    }

    @Test
    void whoeverWitnessesSeesWhatIsAcknowledgedAndNothingElse() {
        slot.witness(witnessed::add);
        slot.publish(accepted());
        long early = sequence();
        slot.publish(accepted().ended(AttemptOutcome.SUCCEEDED, ReasonCode.NONE, "", Seen.NOTHING));
        slot.acknowledge(4, early);
        slot.acknowledge(5, sequence());
        assertThat(witnessed).as("an earlier one, and another attempt").isEmpty();
        slot.acknowledge(4, sequence());
        assertThat(witnessed)
                .singleElement()
                .returns(true, AttemptStatus::isTerminal)
                .returns(sequence(), AttemptStatus::sequence);
    }

    private long sequence() {
        AttemptStatus status = slot.current();
        return status == null ? -1 : status.sequence();
    }
}
