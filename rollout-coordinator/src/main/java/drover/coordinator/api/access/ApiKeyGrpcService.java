package drover.coordinator.api.access;

import com.google.protobuf.util.Durations;
import drover.access.v1.ApiKeyServiceGrpc;
import drover.access.v1.CreateApiKeyRequest;
import drover.access.v1.CreateApiKeyResponse;
import drover.access.v1.ListApiKeysRequest;
import drover.access.v1.ListApiKeysResponse;
import drover.access.v1.RevokeApiKeyRequest;
import drover.access.v1.RevokeApiKeyResponse;
import drover.coordinator.access.ApiKey;
import drover.coordinator.access.ApiKeyCreationRules;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.engine.access.ApiKeyService;
import drover.coordinator.peers.EventProtos;
import drover.kit.access.Scope;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;

/** Keys, for callers that may make them. */
public final class ApiKeyGrpcService extends ApiKeyServiceGrpc.ApiKeyServiceImplBase {
    private final ApiKeyService service;

    /** A door over this desk. */
    public ApiKeyGrpcService(ApiKeyService service) {
        this.service = service;
    }

    @Override
    public void createApiKey(
            CreateApiKeyRequest request, StreamObserver<CreateApiKeyResponse> out) {
        ApiKeyService.IssuedKey made =
                service.create(toKeyRequest(request), AuthorizationInterceptor.currentPrincipal());
        RolloutIdCallHelpers.respond(
                out,
                CreateApiKeyResponse.newBuilder()
                        .setKey(toProto(made.key()))
                        .setSecret(made.text().value())
                        .build());
    }

    @Override
    public void listApiKeys(ListApiKeysRequest request, StreamObserver<ListApiKeysResponse> out) {
        ListApiKeysResponse.Builder response = ListApiKeysResponse.newBuilder();
        service.list().forEach(key -> response.addKeys(toProto(key)));
        RolloutIdCallHelpers.respond(out, response.build());
    }

    @Override
    public void revokeApiKey(
            RevokeApiKeyRequest request, StreamObserver<RevokeApiKeyResponse> out) {
        ApiKey key =
                service.revoke(request.getKeyId(), AuthorizationInterceptor.currentPrincipal());
        RolloutIdCallHelpers.respond(
                out, RevokeApiKeyResponse.newBuilder().setKey(toProto(key)).build());
    }

    private static ApiKeyCreationRules.KeyRequest toKeyRequest(CreateApiKeyRequest request) {
        if (request.hasLifetime() && !Durations.isValid(request.getLifetime())) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "lifetime is no duration; write for example 720h.",
                    "lifetime");
        }
        Duration lifetime =
                request.hasLifetime()
                        ? Duration.ofSeconds(Durations.toSeconds(request.getLifetime()))
                        : ApiKeyCreationRules.DEFAULT_LIFETIME;
        return new ApiKeyCreationRules.KeyRequest(
                request.getKeyId(), request.getScopesList(), lifetime);
    }

    private static drover.access.v1.ApiKey toProto(ApiKey key) {
        drover.access.v1.ApiKey.Builder rendered =
                drover.access.v1.ApiKey.newBuilder()
                        .setId(key.id())
                        .addAllScopes(key.scopes().stream().map(Scope::wireName).sorted().toList())
                        .setCreatedBy(key.createdBy())
                        .setCreatedAt(EventProtos.toTimestamp(key.createdAt()))
                        .setRevokedBy(key.revokedBy());
        Instant expires = key.expiresAt();
        if (expires != null) {
            rendered.setExpiresAt(EventProtos.toTimestamp(expires));
        }
        Instant used = key.lastUsedAt();
        if (used != null) {
            rendered.setLastUsedAt(EventProtos.toTimestamp(used));
        }
        Instant revoked = key.revokedAt();
        if (revoked != null) {
            rendered.setRevokedAt(EventProtos.toTimestamp(revoked));
        }
        return rendered.build();
    }
}
