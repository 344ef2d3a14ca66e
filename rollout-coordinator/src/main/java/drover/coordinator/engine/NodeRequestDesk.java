package drover.coordinator.engine;

import drover.coordinator.engine.RequestDesk.Receipt;
import drover.coordinator.plan.Cause;
import drover.coordinator.plan.NodeRequest;
import drover.coordinator.store.NodeRequestStore;
import drover.coordinator.store.NodeRequestStore.Asked;
import drover.coordinator.store.RequestStore.Placed;
import drover.coordinator.store.RequestStore.Standing;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Writes operators' requests about nodes down and waits a little for the leader (rule R4). */
public final class NodeRequestDesk {
    private final NodeRequestStore store;

    /** A desk over the table of requests about nodes. */
    public NodeRequestDesk(NodeRequestStore store) {
        this.store = store;
    }

    /**
     * Asks, and waits for up to two seconds.
     *
     * @param key idempotency key; empty for none
     * @param reason why; refused when it is blank
     * @throws Refused when the rules say no
     */
    public Receipt ask(NodeId node, NodeRequest request, String actor, String key, String reason) {
        requireReason(reason);
        String unique = key.isEmpty() ? UUID.randomUUID().toString() : key;
        return switch (store.place(node, request, actor, unique, reason)) {
            case Placed.Written(UUID id) -> RequestDesk.await(id, store::standing);
            case Placed.KeyReused reused -> throw RequestDesk.keyReused();
            case Placed.NoRollout none -> throw new IllegalStateException("Nodes have no rollout");
        };
    }

    /**
     * Writes down what a gateway has done because somebody asked for it.
     *
     * @param key idempotency key; empty for none
     * @throws Refused when the key was used for something else
     */
    public Receipt record(NodeId node, NodeRequest done, String actor, String key, String reason) {
        requireReason(reason);
        String unique = key.isEmpty() ? UUID.randomUUID().toString() : key;
        return switch (store.placeDone(node, done, actor, unique, reason)) {
            case Placed.Written(UUID id) -> new Receipt(id, false);
            case Placed.KeyReused reused -> throw RequestDesk.keyReused();
            case Placed.NoRollout none -> throw new IllegalStateException("Nodes have no rollout");
        };
    }

    /** Refuses what is asked without saying why (invariant A16). */
    public static void requireReason(String reason) {
        requireReason("reason", reason);
    }

    /** The same where the reason has another name. */
    public static void requireReason(String field, String text) {
        if (text.isBlank()) {
            throw new Refused(
                    RefusalCode.MISSING_FIELD,
                    "Say why, as the " + field + " of the request.",
                    field);
        }
    }

    /** What became of something that was asked of a node. */
    public record Told(Instant at, Cause cause) {}

    /** What was asked of a node, newest first. */
    public List<Told> told(NodeId node, int limit) {
        return store.ofNode(node, limit).stream().map(NodeRequestDesk::told).toList();
    }

    private static Told told(Asked asked) {
        Spoken spoken = spoken(asked.request());
        String who = asked.actor() + " asked to " + spoken.verb() + " it. ";
        String why = " Reason: " + asked.reason();
        Standing standing = asked.standing();
        Cause cause =
                switch (standing.state()) {
                    case "applied" -> new Cause(spoken.done(), who + "It is done." + why);
                    case "refused" ->
                            new Cause(
                                    standing.refusalCode(), who + standing.refusalSentence() + why);
                    default -> new Cause(spoken.doing(), who + "It is not done yet." + why);
                };
        return new Told(asked.at(), cause);
    }

    /** How a request is told of, with its codes when it is done and before. */
    private record Spoken(String verb, String done, String doing) {}

    private static Spoken spoken(NodeRequest request) {
        return switch (request) {
            case CLEAR -> new Spoken("clear", "CLEARED", "CLEARING");
            case RETIRE -> new Spoken("retire", "RETIRED", "RETIRING");
            case REVOKE -> new Spoken("revoke", "REVOKED", "REVOKING");
            case UNKNOWN -> new Spoken("do what a later version knows to", "DONE", "ASKED");
        };
    }
}
