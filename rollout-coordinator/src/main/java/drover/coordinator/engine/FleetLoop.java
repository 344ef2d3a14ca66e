package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cares for attempts that outlive their rollouts: a status that no rollout's loop takes in is
 * written down, so that the attempt is closed by its agent's word, and acknowledged (rule R1). Runs
 * on the leader's one supervising thread.
 */
final class FleetLoop {
    private static final Logger LOG = LoggerFactory.getLogger(FleetLoop.class);

    private final long epoch;
    private final LeaderTerm.Parts parts;
    private final Predicate<ReportedNode> isOwned;
    private final Map<String, Acknowledgement> done = new HashMap<>();

    FleetLoop(long epoch, LeaderTerm.Parts parts, Predicate<ReportedNode> isOwned) {
        this.epoch = epoch;
        this.parts = parts;
        this.isOwned = isOwned;
    }

    void tick() {
        List<Acknowledgement> acknowledgements = new ArrayList<>();
        for (ReportedNode report : parts.mirror().reports()) {
            Acknowledgement ack =
                    new Acknowledgement(
                            report.node(), report.report().attempt(), report.report().sequence());
            if (isOwned.test(report) || ack.equals(done.get(report.node().value()))) {
                continue;
            }
            close(report);
            done.put(report.node().value(), ack);
            acknowledgements.add(ack);
        }
        if (!acknowledgements.isEmpty()) {
            parts.peers().acknowledge(acknowledgements);
        }
    }

    private void close(ReportedNode report) {
        boolean known =
                parts.store().closeLate(epoch, RolloutLoop.report(report), parts.clock().get());
        if (known && report.report().outcome().isTerminal()) {
            parts.guards()
                    .closed(
                            report.node(),
                            report.report().attempt(),
                            RolloutLoop.report(report).failedRollback());
            LOG.info(
                    "An attempt of an ended rollout is closed nodeId={} attempt={} outcome={}",
                    report.node(),
                    report.report().attempt(),
                    report.report().outcome());
        }
    }
}
