package drover.coordinator.api.rollout;

import drover.coordinator.api.RolloutIdCallHelpers;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.manifest.v1.GetContentHashRequest;
import drover.manifest.v1.GetContentHashResponse;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.GetManifestResponse;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ListManifestsResponse;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.ManifestServiceGrpc.ManifestServiceBlockingStub;
import drover.manifest.v1.UpgradeManifest;
import drover.manifest.v1.ValidateManifestRequest;
import drover.manifest.v1.ValidateManifestResponse;
import drover.model.RefusalCode;
import drover.model.program.DownloadAddress;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Manifests for operators: forwarded to the first manifest-service that answers. */
public final class ManifestGrpcService extends ManifestServiceGrpc.ManifestServiceImplBase {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestGrpcService.class);
    private static final int ALL_SECONDS = 8; // operators' tools give up after ten
    private static final int LEAST_SECONDS = 2;

    private final List<ManagedChannel> services;

    /** A door over channels that their owner closes, in the order in which they are asked. */
    public ManifestGrpcService(List<ManagedChannel> services) {
        this.services = List.copyOf(services);
    }

    @Override
    public void getManifest(GetManifestRequest request, StreamObserver<GetManifestResponse> out) {
        GetManifestResponse.Builder response =
                forward(stub -> stub.getManifest(request)).toBuilder();
        redact(response.getManifestBuilder());
        RolloutIdCallHelpers.respond(out, response.build());
    }

    @Override
    public void listManifests(
            ListManifestsRequest request, StreamObserver<ListManifestsResponse> out) {
        RolloutIdCallHelpers.respond(out, forward(stub -> stub.listManifests(request)));
    }

    @Override
    public void getContentHash(
            GetContentHashRequest request, StreamObserver<GetContentHashResponse> out) {
        RolloutIdCallHelpers.respond(out, forward(stub -> stub.getContentHash(request)));
    }

    @Override
    public void validateManifest(
            ValidateManifestRequest request, StreamObserver<ValidateManifestResponse> out) {
        ValidateManifestResponse.Builder response =
                forward(stub -> stub.validateManifest(request)).toBuilder();
        if (response.hasManifest()) {
            redact(response.getManifestBuilder());
        }
        RolloutIdCallHelpers.respond(out, response.build());
    }

    /** Removes the queries of addresses, which may hold secrets (H14). */
    static void redact(UpgradeManifest.Builder manifest) {
        manifest.setTargetUrl(DownloadAddress.redact(manifest.getTargetUrl()));
        Map.copyOf(manifest.getArtifactsMap())
                .forEach(
                        (platform, artifact) ->
                                manifest.putArtifacts(
                                        platform,
                                        artifact.toBuilder()
                                                .setUrl(DownloadAddress.redact(artifact.getUrl()))
                                                .build()));
    }

    /** One that hangs leaves time for the next. */
    private int callTimeoutSeconds() {
        return Math.max(LEAST_SECONDS, ALL_SECONDS / services.size());
    }

    private <T> T forward(Function<ManifestServiceBlockingStub, T> call) {
        for (ManagedChannel service : services) {
            try {
                return call.apply(
                        ManifestServiceGrpc.newBlockingStub(service)
                                .withDeadlineAfter(callTimeoutSeconds(), TimeUnit.SECONDS));
            } catch (StatusRuntimeException e) {
                Optional<Refused> refused = RefusalParser.from(e);
                if (refused.isPresent()) {
                    throw refused.get();
                }
                LOG.debug("A manifest-service did not answer reason={}", e.getMessage());
            }
        }
        throw new Refused(
                RefusalCode.MANIFEST_UNAVAILABLE,
                "The manifest-service cannot be reached; try again in a moment.");
    }
}
