package drover.coordinator.engine.node;

import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.peers.CommandBodySerializer;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.request.NodeClearingRules;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.PendingNodeRequest;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.RetireResult;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.WriteResult;
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
final class OperatorNodeRequestLoop {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorNodeRequestLoop.class);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    /** As for rollouts: whoever asked has looked away. What was allotted is not dropped. */
    private static final Duration EXPIRY = Duration.ofSeconds(60);

    private final long epoch;
    private final LoopDependencies parts;
    private final Consumer<Collection<NodeId>> interest;
    private final Map<UUID, SentRequest> sent = new HashMap<>();
    private final Set<NodeId> guarded = new HashSet<>(); // guards read by this term

    /**
     * @param interest makes nodes visible
     */
    OperatorNodeRequestLoop(
            long epoch, LoopDependencies parts, Consumer<Collection<NodeId>> interest) {
        this.epoch = epoch;
        this.parts = parts;
        this.interest = interest;
    }

    private record SentRequest(String session, Instant at) {}

    /** One round; false when another leader has taken over. */
    boolean tickUnlessStale() {
        LeaderOperatorNodeRequestStore ledger = parts.store().nodeRequests();
        List<PendingNodeRequest> pending = ledger.findPending();
        sent.keySet().retainAll(pending.stream().map(PendingNodeRequest::id).toList());
        guarded.retainAll(pending.stream().map(PendingNodeRequest::node).toList());
        interest.accept(pending.stream().map(PendingNodeRequest::node).distinct().toList());
        for (PendingNodeRequest request : pending) {
            boolean leads =
                    switch (request.kind()) {
                        case CLEAR -> decideClear(ledger, request);
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

    private boolean decideClear(LeaderOperatorNodeRequestStore ledger, PendingNodeRequest request) {
        if (request.attempt() != 0) {
            resendIfDue(request);
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
        NodeView view = parts.fleet().snapshot().node(request.node());
        return switch (NodeClearingRules.decide(
                request.node(), loadReservation(request.node()), view)) {
            case NodeClearingRules.Outcome.Wait wait -> true;
            case NodeClearingRules.Outcome.Refuse(RefusalCode code, String sentence) ->
                    refuse(ledger, request, code, sentence);
            case NodeClearingRules.Outcome.AssignClearAttempt(long attempt) ->
                    assignAttempt(ledger, request, attempt);
        };
    }

    private NodeAttemptsAndReservation loadReservation(NodeId node) {
        if (guarded.add(node)) {
            parts.reservations().load(List.of(node));
        }
        return parts.reservations().of(node);
    }

    private boolean assignAttempt(
            LeaderOperatorNodeRequestStore ledger, PendingNodeRequest request, long attempt) {
        byte[] body = CommandBodySerializer.clearBody(request.node(), attempt, request.reason());
        WriteResult written = ledger.assignClear(epoch, request, attempt, body);
        if (written == WriteResult.DONE) {
            parts.reservations()
                    .recordAttempt(request.node(), attempt, NodeAttemptsAndReservation.CLEARING);
            LOG.info(
                    "A node's clear is allotted nodeId={} attempt={} actor={}",
                    request.node(),
                    attempt,
                    request.actor());
            deliverIfDue(request, body);
        } else {
            guarded.remove(request.node()); // somebody allotted meanwhile: read it again
        }
        return written != WriteResult.STALE_EPOCH;
    }

    private void resendIfDue(PendingNodeRequest request) {
        byte[] body = request.body();
        if (body != null) {
            deliverIfDue(request, body);
        }
    }

    /** Sends what is new, unanswered, or whose session changed; it may arrive twice (C1, C2). */
    private void deliverIfDue(PendingNodeRequest request, byte[] body) {
        NodeView.Present session = parts.fleet().session(request.node()).orElse(null);
        String gateway = parts.fleet().gatewayOf(request.node()).orElse(null);
        if (session == null || gateway == null) {
            return; // sent when the agent is back
        }
        Instant now = parts.clock().get();
        SentRequest last = sent.get(request.id());
        boolean due =
                last == null
                        || !last.session().equals(session.session())
                        || !now.isBefore(last.at().plus(ANSWER_WITHIN));
        if (due) {
            sent.put(request.id(), new SentRequest(session.session(), now));
            MessageToNode command =
                    new MessageToNode.Command(
                            request.node(), session.session(), false, epoch, "", body, Map.of());
            parts.peers().deliver(gateway, List.of(command));
        }
    }

    private boolean retire(LeaderOperatorNodeRequestStore ledger, PendingNodeRequest request) {
        return switch (ledger.retireNode(epoch, request, parts.clock().get())) {
            case RetireResult.Done(long attempt) -> {
                parts.reservations().retire(request.node(), attempt);
                parts.fleet().markRetired(request.node());
                LOG.info(
                        "A node is retired nodeId={} attempt={} actor={}",
                        request.node(),
                        attempt,
                        request.actor());
                yield true;
            }
            case RetireResult.InFlight inFlight -> true; // its rollout gives it up by its deadlines
            case RetireResult.StaleEpoch stale -> false;
        };
    }

    private boolean refuse(
            LeaderOperatorNodeRequestStore ledger,
            PendingNodeRequest request,
            RefusalCode code,
            String sentence) {
        LOG.info("A request about a node is refused nodeId={} reason={}", request.node(), code);
        return ledger.refuse(epoch, request.id(), code, sentence) != WriteResult.STALE_EPOCH;
    }
}
