package drover.coordinator.engine.rollout;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.store.gateway.BlockedNodeReader;
import drover.coordinator.store.leader.LeaderStore;
import java.time.Instant;
import java.util.function.Supplier;

/** What the loops of a term share. */
public record LoopDependencies(
        LeaderStore store,
        BlockedNodeReader blockedNodes,
        FleetCache fleet,
        NodeReservationCache reservations,
        RolloutTimeouts timings,
        Supplier<Instant> clock,
        EffectRunner.PeerClient peers,
        LoopMeter meter) {
    /** Of a term that nobody measures, and where no node is ever barred. */
    public LoopDependencies(
            LeaderStore store,
            FleetCache mirror,
            NodeReservationCache guards,
            RolloutTimeouts timings,
            Supplier<Instant> clock,
            EffectRunner.PeerClient peers) {
        this(
                store,
                BlockedNodeReader.none(),
                mirror,
                guards,
                timings,
                clock,
                peers,
                LoopMeter.NONE);
    }
}
