package drover.coordinator.engine;

import drover.coordinator.plan.Timings;
import drover.coordinator.store.LeaderStore;
import drover.coordinator.store.NodeBars;
import java.time.Instant;
import java.util.function.Supplier;

/** What the loops of a term share. */
record TermParts(
        LeaderStore store,
        NodeBars bars,
        FleetMirror mirror,
        Guards guards,
        Timings timings,
        Supplier<Instant> clock,
        EffectRunner.Peers peers,
        LoopMeter meter) {
    /** Of a term that nobody measures, and where no node is ever barred. */
    TermParts(
            LeaderStore store,
            FleetMirror mirror,
            Guards guards,
            Timings timings,
            Supplier<Instant> clock,
            EffectRunner.Peers peers) {
        this(store, NodeBars.none(), mirror, guards, timings, clock, peers, LoopMeter.NONE);
    }
}
