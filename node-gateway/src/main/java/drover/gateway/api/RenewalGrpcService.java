package drover.gateway.api;

import drover.agent.v1.RenewRequest;
import drover.agent.v1.RenewResponse;
import drover.agent.v1.RenewalServiceGrpc;
import drover.gateway.engine.credential.RenewalService;
import drover.gateway.identity.IssuedCertificate;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;

/** The door through which nodes get their next certificates; it shows the present one. */
public final class RenewalGrpcService extends RenewalServiceGrpc.RenewalServiceImplBase {
    private final RenewalService service;
    private final Supplier<String> trustPem;

    /**
     * A door to this desk.
     *
     * @param trustPem whose gateways nodes believe, as PEM, as it is now; refuses while the gateway
     *     can make no certificates
     */
    public RenewalGrpcService(RenewalService service, Supplier<String> trustPem) {
        this.service = service;
        this.trustPem = trustPem;
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<RenewResponse> responses) {
        String trust = trustPem.get(); // first: what refuses here must not use anything up
        IssuedCertificate given =
                service.renew(
                        NodeCertificateInterceptor.hexSerial(
                                NodeCertificateInterceptor.currentPeer()),
                        request.getCertificateRequest().toByteArray());
        responses.onNext(
                RenewResponse.newBuilder()
                        .setCertificate(IssuedCertificateProtos.toNodeCertificate(given, trust))
                        .build());
        responses.onCompleted();
    }
}
