package drover.coordinator.engine.leader;

import drover.coordinator.engine.export.EventSinkLoop;
import drover.coordinator.engine.export.RetentionLoop;
import drover.coordinator.engine.export.SpanExportLoop;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.store.gateway.BlockedNodeReader;
import drover.coordinator.store.gateway.GatewayRegistryReader;
import drover.coordinator.store.leader.LeaderStore;
import java.util.List;

/**
 * What a term is made of.
 *
 * @param health a way to each health-evaluator; at least one
 */
public record LeaderDependencies(
        LeaderStore store,
        GatewayRegistryReader registry,
        BlockedNodeReader blockedNodes,
        GatewayLink.Connector gateways,
        List<HealthEvaluatorLink.Connector> health,
        RolloutTimeouts timings,
        SpanExportLoop.Dependencies spans,
        LoopMeter meter,
        EventSinkLoop.Dependencies events,
        RetentionLoop.StoreAndRetention retention) {
    /** Of a term that keeps everything, and where no node is ever barred. */
    public LeaderDependencies(
            LeaderStore store,
            GatewayRegistryReader registry,
            GatewayLink.Connector gateways,
            HealthEvaluatorLink.Connector health,
            RolloutTimeouts timings,
            SpanExportLoop.Dependencies spans,
            LoopMeter meter,
            EventSinkLoop.Dependencies events) {
        this(
                store,
                registry,
                BlockedNodeReader.none(),
                gateways,
                List.of(health),
                timings,
                spans,
                meter,
                events,
                RetentionLoop.StoreAndRetention.retainAll());
    }

    /** The same, where nodes may be barred. */
    public LeaderDependencies withBlockedNodeStore(BlockedNodeReader barring) {
        return new LeaderDependencies(
                store, registry, barring, gateways, health, timings, spans, meter, events,
                retention);
    }

    /** Of a term that nobody measures, and nobody outside who is told of events. */
    public LeaderDependencies(
            LeaderStore store,
            GatewayRegistryReader registry,
            GatewayLink.Connector gateways,
            HealthEvaluatorLink.Connector health,
            RolloutTimeouts timings,
            SpanExportLoop.Dependencies spans) {
        this(
                store,
                registry,
                gateways,
                health,
                timings,
                spans,
                LoopMeter.NONE,
                EventSinkLoop.Dependencies.disabled());
    }
}
