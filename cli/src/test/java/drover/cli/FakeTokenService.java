package drover.cli;

import com.google.protobuf.Message;
import com.google.protobuf.util.Timestamps;
import drover.access.v1.CreateJoinTokenRequest;
import drover.access.v1.CreateJoinTokenResponse;
import drover.access.v1.JoinToken;
import drover.access.v1.ListJoinTokensRequest;
import drover.access.v1.ListJoinTokensResponse;
import drover.access.v1.RevokeJoinTokenRequest;
import drover.access.v1.RevokeJoinTokenResponse;
import drover.access.v1.TokenServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Four join tokens: a good one, one that is used up, an expired one, a revoked one. */
final class FakeTokenService extends TokenServiceGrpc.TokenServiceImplBase {
    private final List<Message> requested;

    FakeTokenService(List<Message> requested) {
        this.requested = requested;
    }

    @Override
    public void createJoinToken(
            CreateJoinTokenRequest request, StreamObserver<CreateJoinTokenResponse> observer) {
        requested.add(request);
        observer.onNext(
                CreateJoinTokenResponse.newBuilder().setSecret("jt1.id.secret.pin").build());
        observer.onCompleted();
    }

    @Override
    public void listJoinTokens(
            ListJoinTokensRequest request, StreamObserver<ListJoinTokensResponse> observer) {
        requested.add(request);
        observer.onNext(
                ListJoinTokensResponse.newBuilder()
                        .addTokens(token("a", 0, 60_000).setNodeId("berth-01"))
                        .addTokens(token("b", 1, 60_000))
                        .addTokens(token("c", 0, -60_000))
                        .addTokens(token("d", 0, 60_000).setRevokedAt(Timestamps.fromMillis(1)))
                        .build());
        observer.onCompleted();
    }

    private static JoinToken.Builder token(String id, int uses, long left) {
        return JoinToken.newBuilder()
                .setId(id)
                .setChainProfileId("harbour")
                .setNodeType("edge")
                .setUses(uses)
                .setMaxUses(1)
                .setCreatedBy("key:admin")
                .setExpiresAt(Timestamps.fromMillis(CommandResult.NOW.toEpochMilli() + left));
    }

    @Override
    public void revokeJoinToken(
            RevokeJoinTokenRequest request, StreamObserver<RevokeJoinTokenResponse> observer) {
        requested.add(request);
        observer.onNext(RevokeJoinTokenResponse.getDefaultInstance());
        observer.onCompleted();
    }
}
