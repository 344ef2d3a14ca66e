package drover.coordinator.engine.leader;

import drover.coordinator.engine.export.EventSinkLoop;
import drover.coordinator.engine.export.RetentionLoop;
import drover.coordinator.engine.export.SpanExportLoop;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.HealthLink;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.store.gateway.BlockedNodeStore;
import drover.coordinator.store.gateway.GatewayRegistry;
import drover.coordinator.store.leader.LeaderStore;
import java.util.List;

/**
 * What a term is made of.
 *
 * @param health a way to each health-evaluator; at least one
 */
public record LeaderDependencies(
        LeaderStore store,
        GatewayRegistry registry,
        BlockedNodeStore blockedNodes,
        GatewayLink.Connector gateways,
        List<HealthLink.Connector> health,
        RolloutTimeouts timings,
        SpanExportLoop.Config spans,
        LoopMeter meter,
        EventSinkLoop.Config events,
        RetentionLoop.Config retention) {
    /** Of a term that keeps everything, and where no node is ever barred. */
    public LeaderDependencies(
            LeaderStore store,
            GatewayRegistry registry,
            GatewayLink.Connector gateways,
            HealthLink.Connector health,
            RolloutTimeouts timings,
            SpanExportLoop.Config spans,
            LoopMeter meter,
            EventSinkLoop.Config events) {
        this(
                store,
                registry,
                BlockedNodeStore.none(),
                gateways,
                List.of(health),
                timings,
                spans,
                meter,
                events,
                RetentionLoop.Config.retainAll());
    }

    /** The same, where nodes may be barred. */
    public LeaderDependencies withBlockedNodes(BlockedNodeStore barring) {
        return new LeaderDependencies(
                store, registry, barring, gateways, health, timings, spans, meter, events,
                retention);
    }

    /** Of a term that nobody measures, and nobody outside who is told of events. */
    public LeaderDependencies(
            LeaderStore store,
            GatewayRegistry registry,
            GatewayLink.Connector gateways,
            HealthLink.Connector health,
            RolloutTimeouts timings,
            SpanExportLoop.Config spans) {
        this(
                store,
                registry,
                gateways,
                health,
                timings,
                spans,
                LoopMeter.NONE,
                EventSinkLoop.Config.disabled());
    }
}
