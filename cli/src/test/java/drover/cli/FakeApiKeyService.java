package drover.cli;

import com.google.protobuf.Message;
import com.google.protobuf.util.Timestamps;
import drover.access.v1.ApiKey;
import drover.access.v1.ApiKeyServiceGrpc;
import drover.access.v1.CreateApiKeyRequest;
import drover.access.v1.CreateApiKeyResponse;
import drover.access.v1.ListApiKeysRequest;
import drover.access.v1.ListApiKeysResponse;
import drover.access.v1.RevokeApiKeyRequest;
import drover.access.v1.RevokeApiKeyResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Three keys: a good one, an expired one, a revoked one. */
final class FakeApiKeyService extends ApiKeyServiceGrpc.ApiKeyServiceImplBase {
    private final List<Message> requested;

    FakeApiKeyService(List<Message> requested) {
        this.requested = requested;
    }

    @Override
    public void createApiKey(
            CreateApiKeyRequest request, StreamObserver<CreateApiKeyResponse> observer) {
        requested.add(request);
        observer.onNext(CreateApiKeyResponse.newBuilder().setSecret("ak1.ci.secret").build());
        observer.onCompleted();
    }

    @Override
    public void listApiKeys(
            ListApiKeysRequest request, StreamObserver<ListApiKeysResponse> observer) {
        requested.add(request);
        long now = CommandResult.NOW.toEpochMilli();
        observer.onNext(
                ListApiKeysResponse.newBuilder()
                        .addKeys(
                                ApiKey.newBuilder()
                                        .setId("admin")
                                        .setCreatedBy("drover")
                                        .setLastUsedAt(Timestamps.fromMillis(now - 120_000)))
                        .addKeys(
                                ApiKey.newBuilder()
                                        .setId("ci")
                                        .setCreatedBy("key:admin")
                                        .setExpiresAt(Timestamps.fromMillis(now - 3_600_000)))
                        .addKeys(
                                ApiKey.newBuilder()
                                        .setId("old")
                                        .addScopes("rollouts:read")
                                        .setRevokedAt(Timestamps.fromMillis(now)))
                        .build());
        observer.onCompleted();
    }

    @Override
    public void revokeApiKey(
            RevokeApiKeyRequest request, StreamObserver<RevokeApiKeyResponse> observer) {
        requested.add(request);
        observer.onNext(RevokeApiKeyResponse.getDefaultInstance());
        observer.onCompleted();
    }
}
