package drover.gateway.api;

import drover.agent.v1.EnrolRequest;
import drover.agent.v1.EnrolResponse;
import drover.agent.v1.EnrolmentServiceGrpc;
import drover.gateway.engine.EnrolmentDesk;
import drover.gateway.identity.GivenCertificate;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.function.Supplier;

/** The door through which machines become nodes. */
public final class EnrolmentDoor extends EnrolmentServiceGrpc.EnrolmentServiceImplBase {
    private final EnrolmentDesk desk;
    private final Supplier<String> trustPem;

    /**
     * A door to this desk.
     *
     * @param trustPem whose gateways nodes believe, as PEM, as it is now; refuses while the gateway
     *     can make no certificates
     */
    public EnrolmentDoor(EnrolmentDesk desk, Supplier<String> trustPem) {
        this.desk = desk;
        this.trustPem = trustPem;
    }

    @Override
    public void enrol(EnrolRequest request, StreamObserver<EnrolResponse> responses) {
        String trust = trustPem.get(); // first: what refuses here must not use anything up
        GivenCertificate given =
                desk.enrol(
                        request.getJoinToken(),
                        request.getCertificateRequest().toByteArray(),
                        Optional.of(request.getPresentNodeId())
                                .filter(node -> !node.isEmpty())
                                .map(NodeNames::of));
        responses.onNext(
                EnrolResponse.newBuilder()
                        .setCertificate(CertificateProtos.render(given, trust))
                        .build());
        responses.onCompleted();
    }
}
