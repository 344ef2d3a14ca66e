package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.access.v1.JoinToken;
import drover.gateway.engine.credential.JoinTokenService;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.identity.JoinTokenRules;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import drover.node.v1.CreateDirectoryJoinTokenRequest;
import drover.node.v1.CreateDirectoryJoinTokenResponse;
import drover.node.v1.JoinTokenDirectoryServiceGrpc;
import drover.node.v1.ListDirectoryJoinTokensRequest;
import drover.node.v1.ListDirectoryJoinTokensResponse;
import drover.node.v1.RevokeDirectoryJoinTokenRequest;
import drover.node.v1.RevokeDirectoryJoinTokenResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;

/** The door to the gateways' join tokens. */
public final class JoinTokenGrpcService
        extends JoinTokenDirectoryServiceGrpc.JoinTokenDirectoryServiceImplBase {
    private final JoinTokenService service;

    /** A door to this desk. */
    public JoinTokenGrpcService(JoinTokenService service) {
        this.service = service;
    }

    @Override
    public void createDirectoryJoinToken(
            CreateDirectoryJoinTokenRequest request,
            StreamObserver<CreateDirectoryJoinTokenResponse> responses) {
        JoinTokenService.CreatedToken made = service.create(parseTokenRequest(request));
        responses.onNext(
                CreateDirectoryJoinTokenResponse.newBuilder()
                        .setToken(toJoinToken(made.grant()))
                        .setSecret(made.token().text())
                        .build());
        responses.onCompleted();
    }

    @Override
    public void listDirectoryJoinTokens(
            ListDirectoryJoinTokensRequest request,
            StreamObserver<ListDirectoryJoinTokensResponse> responses) {
        ListDirectoryJoinTokensResponse.Builder response =
                ListDirectoryJoinTokensResponse.newBuilder();
        service.listJoinTokens().forEach(grant -> response.addTokens(toJoinToken(grant)));
        responses.onNext(response.build());
        responses.onCompleted();
    }

    @Override
    public void revokeDirectoryJoinToken(
            RevokeDirectoryJoinTokenRequest request,
            StreamObserver<RevokeDirectoryJoinTokenResponse> responses) {
        JoinTokenMetadata ended = service.revoke(request.getTokenId(), request.getRevokedBy());
        responses.onNext(
                RevokeDirectoryJoinTokenResponse.newBuilder().setToken(toJoinToken(ended)).build());
        responses.onCompleted();
    }

    private static JoinTokenRules.Request parseTokenRequest(
            CreateDirectoryJoinTokenRequest request) {
        return new JoinTokenRules.Request(
                request.getNodeId().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                NodeDirectoryProtos.parseField(
                                        "node_id", request.getNodeId(), NodeId::new)),
                NodeDirectoryProtos.parseField(
                        "chain_profile_id", request.getChainProfileId(), ChainProfileId::new),
                NodeDirectoryProtos.parseField("node_type", request.getNodeType(), NodeType::new),
                NodeDirectoryProtos.requireValidLabels(request.getLabelsMap()),
                request.getMaxUses(),
                parseLifetime(request),
                request.getCreatedBy());
    }

    private static Duration parseLifetime(CreateDirectoryJoinTokenRequest request) {
        if (!request.hasLifetime()) {
            return JoinTokenRules.DEFAULT_LIFETIME;
        }
        if (!Durations.isValid(request.getLifetime())) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "lifetime is no duration; write for example 30m.",
                    "lifetime");
        }
        return Duration.ofSeconds(Durations.toSeconds(request.getLifetime()));
    }

    private static JoinToken toJoinToken(JoinTokenMetadata grant) {
        JoinToken.Builder token =
                JoinToken.newBuilder()
                        .setId(grant.id())
                        .setChainProfileId(grant.chain().value())
                        .setNodeType(grant.type().value())
                        .putAllLabels(grant.labels())
                        .setMaxUses(grant.maxUses())
                        .setUses(grant.uses())
                        .setCreatedBy(grant.createdBy())
                        .setCreatedAt(NodeDirectoryProtos.toTimestamp(grant.createdAt()))
                        .setExpiresAt(NodeDirectoryProtos.toTimestamp(grant.expiresAt()))
                        .setRevokedBy(grant.revokedBy());
        grant.node().ifPresent(node -> token.setNodeId(node.value()));
        grant.revokedAt().ifPresent(at -> token.setRevokedAt(NodeDirectoryProtos.toTimestamp(at)));
        return token.build();
    }
}
