package drover.coordinator.api.access;

import drover.access.v1.CreateJoinTokenRequest;
import drover.access.v1.CreateJoinTokenResponse;
import drover.access.v1.JoinToken;
import drover.access.v1.ListJoinTokensRequest;
import drover.access.v1.ListJoinTokensResponse;
import drover.access.v1.RevokeJoinTokenRequest;
import drover.access.v1.RevokeJoinTokenResponse;
import drover.access.v1.TokenServiceGrpc;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.engine.access.JoinTokenAuditRecorder;
import drover.coordinator.peers.GrpcNodeDirectoryLink;
import drover.coordinator.peers.JoinTokenProtos;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.node.v1.CreateDirectoryJoinTokenRequest;
import drover.node.v1.CreateDirectoryJoinTokenResponse;
import io.grpc.stub.StreamObserver;

/** Join tokens, for callers that may make them: the gateways', who keep them. */
public final class JoinTokenGrpcService extends TokenServiceGrpc.TokenServiceImplBase {
    private final GrpcNodeDirectoryLink gateways;
    private final JoinTokenAuditRecorder audit;

    /** Over any gateway. */
    public JoinTokenGrpcService(GrpcNodeDirectoryLink gateways, JoinTokenAuditRecorder audit) {
        this.gateways = gateways;
        this.audit = audit;
    }

    @Override
    public void createJoinToken(
            CreateJoinTokenRequest request, StreamObserver<CreateJoinTokenResponse> out) {
        CreateDirectoryJoinTokenResponse made =
                gateways.createJoinToken(toDirectoryRequest(request));
        audit.record(
                JoinTokenProtos.toReportedJoinToken(
                        made.getToken())); // without an entry nobody gets the secret
        RolloutIdCallHelpers.respond(
                out,
                CreateJoinTokenResponse.newBuilder()
                        .setToken(made.getToken())
                        .setSecret(made.getSecret())
                        .build());
    }

    private static CreateDirectoryJoinTokenRequest toDirectoryRequest(
            CreateJoinTokenRequest request) {
        CreateDirectoryJoinTokenRequest.Builder wish =
                CreateDirectoryJoinTokenRequest.newBuilder()
                        .setChainProfileId(request.getChainProfileId())
                        .setNodeType(request.getNodeType())
                        .setNodeId(request.getNodeId())
                        .putAllLabels(request.getLabelsMap())
                        .setMaxUses(request.getMaxUses())
                        .setCreatedBy(AuthorizationInterceptor.currentActor());
        if (request.hasLifetime()) {
            wish.setLifetime(request.getLifetime());
        }
        return wish.build();
    }

    @Override
    public void listJoinTokens(
            ListJoinTokensRequest request, StreamObserver<ListJoinTokensResponse> out) {
        RolloutIdCallHelpers.respond(
                out,
                ListJoinTokensResponse.newBuilder()
                        .addAllTokens(gateways.listRecentJoinTokens())
                        .build());
    }

    @Override
    public void revokeJoinToken(
            RevokeJoinTokenRequest request, StreamObserver<RevokeJoinTokenResponse> out) {
        JoinToken ended =
                gateways.revokeJoinToken(
                        request.getTokenId(), AuthorizationInterceptor.currentActor());
        audit.record(JoinTokenProtos.toReportedJoinToken(ended));
        RolloutIdCallHelpers.respond(
                out, RevokeJoinTokenResponse.newBuilder().setToken(ended).build());
    }
}
