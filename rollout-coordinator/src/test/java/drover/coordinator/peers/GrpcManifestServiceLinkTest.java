package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.peers.ManifestServiceLink.Warning;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.manifest.v1.ListChainProfilesRequest;
import drover.manifest.v1.ListChainProfilesResponse;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.ManifestProblem;
import drover.model.ChainProfileId;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class GrpcManifestServiceLinkTest {
    private final Address endpoint = new Address.InProcess("manifests-" + UUID.randomUUID());

    @Test
    void warnsOfABrokenChainProfileOfARolloutWithoutAManifest() {
        ManagedChannel channel = Channels.open(endpoint);
        try (GrpcServer _ =
                GrpcServer.builder().addService(new OneBrokenProfile()).listen(endpoint)) {
            GrpcManifestServiceLink link = new GrpcManifestServiceLink(channel);

            assertThat(link.fetchWarnings(new ChainProfileId("demo"), ""))
                    .containsExactly(
                            new Warning(
                                    "CHAIN_PROFILE_STALE",
                                    "The chain profile is broken, and its last good content is used: Correct line 3."));
            assertThat(link.fetchWarnings(new ChainProfileId("other"), "")).isEmpty();
        } finally {
            channel.shutdownNow();
        }
    }

    private static final class OneBrokenProfile
            extends ManifestCatalogServiceGrpc.ManifestCatalogServiceImplBase {
        @Override
        public void listChainProfiles(
                ListChainProfilesRequest request,
                StreamObserver<ListChainProfilesResponse> observer) {
            observer.onNext(
                    ListChainProfilesResponse.newBuilder()
                            .addProblems(
                                    ManifestProblem.newBuilder()
                                            .setFile("chains/demo.yaml")
                                            .setMessage("Correct line 3."))
                            .build());
            observer.onCompleted();
        }
    }
}
