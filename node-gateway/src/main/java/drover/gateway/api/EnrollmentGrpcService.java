package drover.gateway.api;

import drover.agent.v1.EnrolRequest;
import drover.agent.v1.EnrolResponse;
import drover.agent.v1.EnrolmentServiceGrpc;
import drover.gateway.engine.credential.EnrollmentService;
import drover.gateway.identity.IssuedCertificate;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.function.Supplier;

/** The door through which machines become nodes. */
public final class EnrollmentGrpcService extends EnrolmentServiceGrpc.EnrolmentServiceImplBase {
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
    public void enrol(EnrolRequest request, StreamObserver<EnrolResponse> responses) {
        String trust = trustPem.get(); // first: what refuses here must not use anything up
        IssuedCertificate given =
                service.enroll(
                        request.getJoinToken(),
                        request.getCertificateRequest().toByteArray(),
                        Optional.of(request.getPresentNodeId())
                                .filter(node -> !node.isEmpty())
                                .map(NodeIdParser::of));
        responses.onNext(
                EnrolResponse.newBuilder()
                        .setCertificate(CertificateProtos.render(given, trust))
                        .build());
        responses.onCompleted();
    }
}
