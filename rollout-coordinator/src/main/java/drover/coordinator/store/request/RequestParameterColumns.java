package drover.coordinator.store.request;

import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.sql.StateJson;
import drover.model.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The words that requests have in their table. */
public final class RequestParameterColumns {
    private RequestParameterColumns() {}

    public static String kind(OperatorRequest request) {
        return StateJson.typeName(request.getClass());
    }

    static String node(OperatorRequest request) {
        return switch (request) {
            case OperatorRequest.RetryNode(NodeId node) -> node.value();
            case OperatorRequest.SkipNode(NodeId node) -> node.value();
            case OperatorRequest.HoldNode(NodeId node, Instant until) -> node.value();
            case OperatorRequest.ReleaseNode(NodeId node) -> node.value();
            default -> "";
        };
    }

    /** The nodes that a request about several names; empty for every other request. */
    static List<String> nodes(OperatorRequest request) {
        return request instanceof OperatorRequest.SkipNodes(List<NodeId> nodes)
                ? nodes.stream().map(NodeId::value).toList()
                : List.of();
    }

    public static int acknowledgedFailures(OperatorRequest request) {
        return request instanceof OperatorRequest.Resume(int acknowledged) ? acknowledged : 0;
    }

    /** When a hold ends; null for every other request. */
    static @Nullable Instant holdUntil(OperatorRequest request) {
        return request instanceof OperatorRequest.HoldNode hold ? hold.until() : null;
    }

    /** What an approval is given on; empty for every other request. */
    static String evidence(OperatorRequest request) {
        return request instanceof OperatorRequest.Approve(String evidence) ? evidence : "";
    }

    /** The health gate that a rollback is requested with; empty for every other request. */
    static String rollbackHealth(OperatorRequest request) {
        return request instanceof OperatorRequest.Rollback(Optional<RollbackHealthPolicy> health)
                ? health.map(gate -> gate.name().toLowerCase(Locale.ROOT)).orElse("")
                : "";
    }

    private static Optional<RollbackHealthPolicy> parseRollbackHealth(String word) {
        return Stream.of(RollbackHealthPolicy.values())
                .filter(gate -> gate.name().toLowerCase(Locale.ROOT).equals(word))
                .findFirst();
    }

    public static OperatorRequest toRequest(
            String kind,
            String node,
            List<String> nodes,
            int acknowledged,
            @Nullable Instant holdUntil,
            String evidence,
            String rollbackHealth) {
        return switch (kind) {
            case "start" -> new OperatorRequest.Start();
            case "pause" -> new OperatorRequest.Pause();
            case "resume" -> new OperatorRequest.Resume(acknowledged);
            case "cancel" -> new OperatorRequest.Cancel();
            case "force" -> new OperatorRequest.Force();
            case "approve" -> new OperatorRequest.Approve(evidence);
            case "rollback" -> new OperatorRequest.Rollback(parseRollbackHealth(rollbackHealth));
            case "retry_node" -> new OperatorRequest.RetryNode(new NodeId(node));
            case "skip_node" -> new OperatorRequest.SkipNode(new NodeId(node));
            case "skip_nodes" ->
                    new OperatorRequest.SkipNodes(nodes.stream().map(NodeId::new).toList());
            case "hold_node" ->
                    new OperatorRequest.HoldNode(
                            new NodeId(node), Objects.requireNonNull(holdUntil, "hold_until"));
            case "release_node" -> new OperatorRequest.ReleaseNode(new NodeId(node));
            default -> new OperatorRequest.Unknown(kind); // a later version's: refused by the rules
        };
    }
}
