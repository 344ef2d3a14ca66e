package drover.coordinator.engine;

import drover.coordinator.peers.CommandBodies;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.plan.FleetView.NodeGuard;
import drover.coordinator.plan.NodeClearing;
import drover.coordinator.plan.NodeView;
import drover.coordinator.store.NodeRequestLedger;
import drover.coordinator.store.NodeRequestLedger.Pending;
import drover.coordinator.store.NodeRequestLedger.Retired;
import drover.coordinator.store.NodeRequestLedger.Written;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what operators ask of nodes and carries it out, as a part of the fleet loop (rule R4). A
 * clear is allotted and written down first, then sent until its agent answers; the answer is taken
 * in like any late status.
 */
final class NodeRequestLoop {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRequestLoop.class);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    /** As for rollouts: whoever asked has looked away. What was allotted is not dropped. */
    private static final Duration EXPIRY = Duration.ofSeconds(60);

    private final long epoch;
    private final TermParts parts;
    private final Consumer<Collection<NodeId>> interest;
    private final Map<UUID, Sent> sent = new HashMap<>();
    private final Set<NodeId> guarded = new HashSet<>(); // guards read by this term

    /**
     * @param interest makes nodes visible
     */
    NodeRequestLoop(long epoch, TermParts parts, Consumer<Collection<NodeId>> interest) {
        this.epoch = epoch;
        this.parts = parts;
        this.interest = interest;
    }

    private record Sent(String session, Instant at) {}

    /** One round; false when another leader has taken over. */
    boolean tick() {
        NodeRequestLedger ledger = parts.store().nodeRequests();
        List<Pending> pending = ledger.pending();
        sent.keySet().retainAll(pending.stream().map(Pending::id).toList());
        guarded.retainAll(pending.stream().map(Pending::node).toList());
        interest.accept(pending.stream().map(Pending::node).distinct().toList());
        for (Pending request : pending) {
            boolean leads =
                    switch (request.kind()) {
                        case CLEAR -> clear(ledger, request);
                        case RETIRE -> retire(ledger, request);
                        case UNKNOWN ->
                                refuse(
                                        ledger,
                                        request,
                                        RefusalCode.WRITTEN_BY_LATER_VERSION,
                                        "A later version took this request, which the leader does not"
                                                + " know; upgrade the coordinators, then ask again.");
                        case REVOKE -> true; // done before it was written down
                    };
            if (!leads) {
                return false;
            }
        }
        return true;
    }

    private boolean clear(NodeRequestLedger ledger, Pending request) {
        if (request.attempt() != 0) {
            send(request);
            return true;
        }
        if (parts.clock().get().isAfter(request.createdAt().plus(EXPIRY))) {
            return refuse(
                    ledger,
                    request,
                    RefusalCode.REQUEST_EXPIRED,
                    "The request waited longer than 60 s and was dropped; send it again if it is"
                            + " still wanted.");
        }
        NodeView view = parts.mirror().view().node(request.node());
        return switch (NodeClearing.decide(request.node(), guard(request.node()), view)) {
            case NodeClearing.Outcome.Wait wait -> true;
            case NodeClearing.Outcome.Refuse(RefusalCode code, String sentence) ->
                    refuse(ledger, request, code, sentence);
            case NodeClearing.Outcome.Allot(long attempt) -> allot(ledger, request, attempt);
        };
    }

    private NodeGuard guard(NodeId node) {
        if (guarded.add(node)) {
            parts.guards().load(List.of(node));
        }
        return parts.guards().of(node);
    }

    private boolean allot(NodeRequestLedger ledger, Pending request, long attempt) {
        byte[] body = CommandBodies.clear(request.node(), attempt, request.reason());
        Written written = ledger.clear(epoch, request, attempt, body);
        if (written == Written.DONE) {
            parts.guards().allotted(request.node(), attempt, NodeGuard.CLEARING);
            LOG.info(
                    "A node's clear is allotted nodeId={} attempt={} actor={}",
                    request.node(),
                    attempt,
                    request.actor());
            deliver(request, body);
        } else {
            guarded.remove(request.node()); // somebody allotted meanwhile: read it again
        }
        return written != Written.STALE_EPOCH;
    }

    private void send(Pending request) {
        byte[] body = request.body();
        if (body != null) {
            deliver(request, body);
        }
    }

    /** Sends what is new, unanswered, or whose session changed; it may arrive twice (C1, C2). */
    private void deliver(Pending request, byte[] body) {
        NodeView.Present session = parts.mirror().session(request.node()).orElse(null);
        String gateway = parts.mirror().gatewayOf(request.node()).orElse(null);
        if (session == null || gateway == null) {
            return; // sent when the agent is back
        }
        Instant now = parts.clock().get();
        Sent last = sent.get(request.id());
        boolean due =
                last == null
                        || !last.session().equals(session.session())
                        || !now.isBefore(last.at().plus(ANSWER_WITHIN));
        if (due) {
            sent.put(request.id(), new Sent(session.session(), now));
            Delivery command =
                    new Delivery.Command(
                            request.node(), session.session(), false, epoch, "", body, Map.of());
            parts.peers().deliver(gateway, List.of(command));
        }
    }

    private boolean retire(NodeRequestLedger ledger, Pending request) {
        return switch (ledger.retire(epoch, request, parts.clock().get())) {
            case Retired.Done(long attempt) -> {
                parts.guards().closed(request.node(), attempt, false);
                parts.mirror().retired(request.node());
                LOG.info(
                        "A node is retired nodeId={} attempt={} actor={}",
                        request.node(),
                        attempt,
                        request.actor());
                yield true;
            }
            case Retired.InFlight inFlight -> true; // its rollout gives it up by its deadlines
            case Retired.StaleEpoch stale -> false;
        };
    }

    private boolean refuse(
            NodeRequestLedger ledger, Pending request, RefusalCode code, String sentence) {
        LOG.info("A request about a node is refused nodeId={} reason={}", request.node(), code);
        return ledger.refuse(epoch, request.id(), code, sentence) != Written.STALE_EPOCH;
    }
}
