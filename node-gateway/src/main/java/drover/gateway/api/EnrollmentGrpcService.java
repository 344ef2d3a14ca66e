package drover.gateway.api;

import drover.agent.v1.EnrollRequest;
import drover.agent.v1.EnrollResponse;
import drover.agent.v1.EnrollmentServiceGrpc;
import drover.gateway.engine.credential.EnrollmentService;
import drover.gateway.identity.IssuedCertificate;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.function.Supplier;

/** The door through which machines become nodes. */
public final class EnrollmentGrpcService extends EnrollmentServiceGrpc.EnrollmentServiceImplBase {
    private final EnrollmentService service;
    private final Supplier<String> trustPem;

    /**
     * A door to this desk.
     *
     * @param trustPem whose gateways nodes believe, as PEM, as it is now; refuses while the gateway
     *     can make no certificates
     */
    public EnrollmentGrpcService(EnrollmentService service, Supplier<String> trustPem) {
        this.service = service;
        this.trustPem = trustPem;
    }

    @Override
    public void enroll(EnrollRequest request, StreamObserver<EnrollResponse> responses) {
        String trust = trustPem.get(); // first: what refuses here must not use anything up
        IssuedCertificate given =
                service.enroll(
                        request.getJoinToken(),
                        request.getCertificateRequest().toByteArray(),
                        Optional.of(request.getCurrentNodeId())
                                .filter(node -> !node.isEmpty())
                                .map(NodeIdParser::parse));
        responses.onNext(
                EnrollResponse.newBuilder()
                        .setCertificate(IssuedCertificateProtos.toNodeCertificate(given, trust))
                        .build());
        responses.onCompleted();
    }
}
