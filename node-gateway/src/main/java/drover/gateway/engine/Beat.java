package drover.gateway.engine;

import drover.gateway.session.ProgramCondition;
import drover.gateway.session.ProgramSignal;
import drover.gateway.session.Relayed;
import drover.gateway.session.StatusMark;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A heartbeat that came.
 *
 * @param signals what it says of the inventory
 * @param conditions how the programs are
 * @param sentAt by the node's clock; empty when it does not say
 * @param after the latest status that there was when it was made; empty when it does not say
 */
public record Beat(
        Relayed body,
        List<ProgramSignal> signals,
        List<ProgramCondition> conditions,
        Optional<Instant> sentAt,
        Optional<StatusMark> after) {
    public Beat {
        signals = List.copyOf(signals);
        conditions = List.copyOf(conditions);
    }
}
