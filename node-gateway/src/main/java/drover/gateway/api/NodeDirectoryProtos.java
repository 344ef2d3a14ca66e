package drover.gateway.api;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import drover.gateway.engine.directory.StoredNodeDirectory;
import drover.gateway.identity.BlockReason;
import drover.gateway.session.NodeHealth.Level;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeHealth;
import drover.node.v1.ProgramCondition;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RetireDirectoryNodeRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads requests about nodes and renders nodes. */
final class NodeDirectoryProtos {
    private static final int MOST_LABELS = 64; // a label page that a person can read
    private static final int LONGEST_LABEL_NAME = 100;
    private static final int LONGEST_LABEL_VALUE = 1_000;

    private NodeDirectoryProtos() {}

    static List<StoredNodeDirectory.NodeWithLiveHealth> listNodes(
            StoredNodeDirectory directory, ListDirectoryRequest request) {
        int size = request.getPageSize();
        if (size < 0 || size > StoredNodeDirectory.LARGEST_PAGE) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "page_size is at most "
                            + StoredNodeDirectory.LARGEST_PAGE
                            + "; 0 is the default.",
                    "page_size");
        }
        return directory.list(
                request.getChainProfileId(),
                request.getNodeType(),
                NodeIdParser.parse(request.getNodeIdsList()),
                request.getLabelsMap(),
                request.getPageToken(),
                size == 0 ? StoredNodeDirectory.LARGEST_PAGE : size);
    }

    static NodeIdentity parseIdentity(RegisterNodeRequest request) {
        return new NodeIdentity(
                parseField("node_id", request.getNodeId(), NodeId::new),
                parseField("chain_profile_id", request.getChainProfileId(), ChainProfileId::new),
                parseField("node_type", request.getNodeType(), NodeType::new),
                requireValidLabels(request.getLabelsMap()));
    }

    static NodeId parseNodeId(RetireDirectoryNodeRequest request) {
        return parseField("node_id", request.getNodeId(), NodeId::new);
    }

    static Optional<Digest> parseTokenDigest(RegisterNodeRequest request) {
        return request.getTokenSha256().isEmpty()
                ? Optional.empty()
                : Optional.of(parseField("token_sha256", request.getTokenSha256(), Digest::new));
    }

    static Map<String, String> requireValidLabels(Map<String, String> labels) {
        boolean fits =
                labels.size() <= MOST_LABELS
                        && labels.entrySet().stream()
                                .allMatch(label -> isValidLabel(label.getKey(), label.getValue()));
        if (!fits) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "A node may have 64 labels with names of 1 to 100 and values of at most 1000"
                            + " characters, none of them control characters.",
                    "labels");
        }
        return labels;
    }

    private static boolean isValidLabel(String name, String value) {
        return !name.isBlank()
                && name.length() <= LONGEST_LABEL_NAME
                && value.length() <= LONGEST_LABEL_VALUE
                && (name + value).chars().noneMatch(Character::isISOControl);
    }

    static <T> T parseField(String field, String text, Function<String, T> type) {
        try {
            return type.apply(text);
        } catch (MalformedValue e) {
            throw new Refused(RefusalCode.INVALID_FIELD, e.getMessage() + ".", field);
        }
    }

    /** A node with all that is known of its programs. */
    static Node toNodeWithProbeDetails(StoredNodeDirectory.NodeWithLiveHealth entry) {
        Node.Builder node = toNode(entry).toBuilder().clearConditions();
        entry.conditions()
                .forEach(
                        (program, one) ->
                                node.addConditions(toConditionWithDetails(entry, program, one)));
        return node.build();
    }

    private static ProgramCondition toConditionWithDetails(
            StoredNodeDirectory.NodeWithLiveHealth entry,
            String program,
            drover.gateway.session.NodeHealth health) {
        ProgramCondition.Builder condition =
                toProgramCondition(program, health).toBuilder()
                        .addAllProbeDetails(health.details());
        entry.heartbeat()
                .flatMap(beat -> ClusterStateProtos.find(beat, program))
                .ifPresent(condition::setCluster);
        return condition.build();
    }

    static Node toNode(StoredNodeDirectory.NodeWithLiveHealth entry) {
        NodeIdentity node = entry.node();
        NodeInventory inventory = entry.inventory();
        Node.Builder rendered =
                Node.newBuilder()
                        .setId(node.id().value())
                        .setChainProfileId(node.chain().value())
                        .setNodeType(node.type().value())
                        .putAllLabels(node.labels())
                        .setAgentVersion(inventory.agentVersion())
                        .setRuntime(inventory.runtime())
                        .setPlatform(inventory.platform())
                        .addAllFeatures(inventory.features())
                        .setHighestAttempt(inventory.attemptFloor())
                        .setOnline(entry.isOnline())
                        .setLastGatewayId(entry.lastGatewayId())
                        .setHealth(toNodeHealth(entry.health().level()))
                        .setHealthDetail(entry.health().reason());
        inventory.programs().forEach(p -> rendered.addPrograms(AgentProtos.toReport(p)));
        entry.conditions()
                .forEach(
                        (program, one) -> rendered.addConditions(toProgramCondition(program, one)));
        entry.gatewayId().ifPresent(rendered::setGatewayId);
        entry.lastSeen().ifPresent(at -> rendered.setLastSeenAt(toTimestamp(at)));
        entry.clockAhead().ifPresent(ahead -> rendered.setClockOffset(toDuration(ahead)));
        entry.retiredAt().ifPresent(at -> rendered.setRetiredAt(toTimestamp(at)));
        entry.blockReason().ifPresent(why -> rendered.setBlockReason(toBlockReason(why)));
        return rendered.build();
    }

    private static drover.node.v1.BlockReason toBlockReason(BlockReason why) {
        return switch (why) {
            // A reason of a later version blocks too.
            case REVOKED, UNKNOWN -> drover.node.v1.BlockReason.BLOCK_REASON_REVOKED;
            case COPIED -> drover.node.v1.BlockReason.BLOCK_REASON_CLONED;
        };
    }

    static ProgramCondition toProgramCondition(
            String program, drover.gateway.session.NodeHealth health) {
        return ProgramCondition.newBuilder()
                .setProgram(program)
                .setHealth(toNodeHealth(health.level()))
                .setDetail(health.reason())
                .build();
    }

    static NodeHealth toNodeHealth(Level level) {
        return switch (level) {
            case OK -> NodeHealth.NODE_HEALTH_OK;
            case UNKNOWN -> NodeHealth.NODE_HEALTH_UNKNOWN;
            case DEGRADED -> NodeHealth.NODE_HEALTH_DEGRADED;
            case CRITICAL -> NodeHealth.NODE_HEALTH_CRITICAL;
            case DOWN -> NodeHealth.NODE_HEALTH_DOWN;
            case CRASH_LOOP -> NodeHealth.NODE_HEALTH_CRASH_LOOP;
            case OFFLINE -> NodeHealth.NODE_HEALTH_OFFLINE;
        };
    }

    /** Seconds and nanos bear the same sign, as the contract's type wants it. */
    private static Duration toDuration(java.time.Duration exact) {
        return Durations.fromMillis(exact.toMillis());
    }

    static Timestamp toTimestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }
}
