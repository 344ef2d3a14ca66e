package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.HealthLink;
import drover.coordinator.plan.Timings;
import drover.coordinator.store.GatewayRegistry;
import drover.coordinator.store.LeaderStore;
import drover.coordinator.store.NodeBars;
import java.util.List;

/**
 * What a term is made of.
 *
 * @param health a way to each health-evaluator; at least one
 */
public record Neighbours(
        LeaderStore store,
        GatewayRegistry registry,
        NodeBars bars,
        GatewayLink.Dialer gateways,
        List<HealthLink.Dialer> health,
        Timings timings,
        SpanLoop.Ends spans,
        LoopMeter meter,
        EventLoop.Ends events,
        RetentionLoop.Ends retention) {
    /** Of a term that keeps everything, and where no node is ever barred. */
    public Neighbours(
            LeaderStore store,
            GatewayRegistry registry,
            GatewayLink.Dialer gateways,
            HealthLink.Dialer health,
            Timings timings,
            SpanLoop.Ends spans,
            LoopMeter meter,
            EventLoop.Ends events) {
        this(
                store,
                registry,
                NodeBars.none(),
                gateways,
                List.of(health),
                timings,
                spans,
                meter,
                events,
                RetentionLoop.Ends.keepingAll());
    }

    /** The same, where nodes may be barred. */
    public Neighbours barring(NodeBars barring) {
        return new Neighbours(
                store, registry, barring, gateways, health, timings, spans, meter, events,
                retention);
    }

    /** Of a term that nobody measures, and nobody outside who is told of events. */
    public Neighbours(
            LeaderStore store,
            GatewayRegistry registry,
            GatewayLink.Dialer gateways,
            HealthLink.Dialer health,
            Timings timings,
            SpanLoop.Ends spans) {
        this(
                store,
                registry,
                gateways,
                health,
                timings,
                spans,
                LoopMeter.NONE,
                EventLoop.Ends.none());
    }
}
