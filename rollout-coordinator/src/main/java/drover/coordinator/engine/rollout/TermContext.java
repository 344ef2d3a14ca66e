package drover.coordinator.engine.rollout;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservations;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.store.gateway.BlockedNodeStore;
import drover.coordinator.store.leader.LeaderStore;
import java.time.Instant;
import java.util.function.Supplier;

/** What the loops of a term share. */
public record TermContext(
        LeaderStore store,
        BlockedNodeStore blockedNodes,
        FleetCache fleet,
        NodeReservations reservations,
        RolloutTimeouts timings,
        Supplier<Instant> clock,
        EffectRunner.Peers peers,
        LoopMeter meter) {
    /** Of a term that nobody measures, and where no node is ever barred. */
    public TermContext(
            LeaderStore store,
            FleetCache mirror,
            NodeReservations guards,
            RolloutTimeouts timings,
            Supplier<Instant> clock,
            EffectRunner.Peers peers) {
        this(store, BlockedNodeStore.none(), mirror, guards, timings, clock, peers, LoopMeter.NONE);
    }
}
