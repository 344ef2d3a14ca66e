package drover.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.RefusalParser;
import drover.model.RefusalCode;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.GetRolloutResponse;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What operators hear of the world, whatever words the failure itself came with. */
class DependencyErrorInterceptorTest {
    @Test
    void aManifestServiceBehindABadGatewayIsNoGatewayOfNodes() {
        assertThat(received(new PeerUnavailable(Peer.MANIFESTS, "A proxy said bad gateway", cut())))
                .isEqualTo(RefusalCode.MANIFEST_UNAVAILABLE);
    }

    @Test
    void addressesOfOneGatewayAreOneGateway() {
        assertThat(received(new PeerUnavailable(Peer.GATEWAY, "The door did not answer", cut())))
                .isEqualTo(RefusalCode.GATEWAY_UNAVAILABLE);
    }

    @Test
    void aDatabaseThatIsUnavailableIsTheDatabase() {
        assertThat(received(new StoreUnavailable("reading", cut())))
                .isEqualTo(RefusalCode.STORE_UNAVAILABLE);
    }

    private static IllegalStateException cut() {
        return new IllegalStateException("cut");
    }

    private static RefusalCode received(RuntimeException failure) {
        Address address = new Address.InProcess("world-" + UUID.randomUUID());
        GrpcServer host =
                GrpcServer.builder()
                        .addInterceptor(new DependencyErrorInterceptor())
                        .addService(new Failing(failure))
                        .listen(address);
        ManagedChannel channel = Channels.open(address);
        try {
            return RefusalParser.from(
                            catchThrowableOfType(
                                    StatusRuntimeException.class,
                                    () ->
                                            RolloutServiceGrpc.newBlockingStub(channel)
                                                    .getRollout(
                                                            GetRolloutRequest
                                                                    .getDefaultInstance())))
                    .orElseThrow()
                    .code();
        } finally {
            channel.shutdownNow();
            host.close();
        }
    }

    /** A door behind which every call fails in one way. */
    private static final class Failing extends RolloutServiceGrpc.RolloutServiceImplBase {
        private final RuntimeException failure;

        Failing(RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public void getRollout(
                GetRolloutRequest request, StreamObserver<GetRolloutResponse> answer) {
            throw failure;
        }
    }
}
