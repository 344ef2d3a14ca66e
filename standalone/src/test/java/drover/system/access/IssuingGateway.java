package drover.system.access;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.EnrollRequest;
import drover.agent.v1.EnrollResponse;
import drover.agent.v1.EnrollmentServiceGrpc;
import drover.agent.v1.NodeCertificate;
import drover.agent.v1.RenewRequest;
import drover.agent.v1.RenewResponse;
import drover.agent.v1.RenewalServiceGrpc;
import drover.agent.v1.Welcome;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateRequestKeyVerifier;
import drover.kit.ca.CertificateTemplate;
import drover.model.NodeId;
import drover.opsagent.peers.GatewayAddress;
import drover.system.fixture.Waits;
import drover.trust.identity.JoinToken;
import drover.trust.identity.SpkiPin;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A gateway whose doors, within this process and without TLS, give nodes certificates as the test
 * says: late, of the wrong generation, or not at all.
 */
final class IssuingGateway implements AutoCloseable {
    static final String NODE = "berth-01";
    private static final CertificateAuthority CA =
            MtlsTestGateway.authority("nodes"); // of one mesh

    final List<PublicKey> enrolling = new CopyOnWriteArrayList<>(); // keys that were asked for
    final List<PublicKey> renewing = new CopyOnWriteArrayList<>();
    final AtomicInteger heartbeats = new AtomicInteger();
    final List<String> findings = new CopyOnWriteArrayList<>(); // codes in heartbeats
    final AtomicInteger refusals = new AtomicInteger(); // of streams
    volatile String named = NODE;
    final AtomicLong generation = new AtomicLong(); // of the last one
    volatile CountDownLatch renewals = new CountDownLatch(0); // answered when it is at zero
    volatile @Nullable RuntimeException enrolmentsEnd;
    volatile @Nullable RuntimeException renewalsEnd;
    volatile boolean welcomes = true;
    volatile List<CertificateAuthority> trusted; // sent with each certificate
    private final String name = UUID.randomUUID().toString();
    private final Duration life;
    private final InstantSource clock;
    private final Server server;

    /**
     * @param life of certificates
     * @param clock that they are made by
     */
    IssuingGateway(Duration life, InstantSource clock) throws IOException {
        this.trusted = List.of(CA);
        this.life = life;
        this.clock = clock;
        this.server =
                InProcessServerBuilder.forName(name)
                        .addService(new Enrolments())
                        .addService(new Renewals())
                        .addService(new Streams())
                        .build()
                        .start();
    }

    GatewayAddress address() {
        return new GatewayAddress("in-process:" + name);
    }

    /** One that nobody listens at. */
    static GatewayAddress unreachableAddress() {
        return new GatewayAddress("in-process:" + UUID.randomUUID());
    }

    JoinToken token() {
        return JoinToken.create(new SecureRandom(), SpkiPin.of(CA.certificate()));
    }

    static CertificateAuthority ca() {
        return CA;
    }

    private NodeCertificate certificate(PublicKey key) {
        Instant now = clock.instant();
        CertificateTemplate plan =
                CertificateTemplate.ofNode(
                        MtlsTestGateway.DOMAIN.node(new NodeId(named)),
                        MtlsTestGateway.serial(),
                        now,
                        life);
        return NodeCertificate.newBuilder()
                .setNodeId(named)
                .setGeneration(generation.get())
                .setChainPem(CertificateAuthority.toPem(List.of(CA.issue(plan, key))))
                .setTrustPem(
                        CertificateAuthority.toPem(
                                trusted.stream().map(CertificateAuthority::certificate).toList()))
                .build();
    }

    private final class Enrolments extends EnrollmentServiceGrpc.EnrollmentServiceImplBase {
        @Override
        public void enroll(EnrollRequest request, StreamObserver<EnrollResponse> answer) {
            PublicKey key =
                    CertificateRequestKeyVerifier.verifiedKey(
                            request.getCertificateRequest().toByteArray());
            enrolling.add(key);
            @Nullable RuntimeException end = enrolmentsEnd;
            if (end != null) {
                answer.onError(end);
                return;
            }
            generation.incrementAndGet();
            answer.onNext(EnrollResponse.newBuilder().setCertificate(certificate(key)).build());
            answer.onCompleted();
        }
    }

    private final class Renewals extends RenewalServiceGrpc.RenewalServiceImplBase {
        @Override
        public void renew(RenewRequest request, StreamObserver<RenewResponse> answer) {
            PublicKey key =
                    CertificateRequestKeyVerifier.verifiedKey(
                            request.getCertificateRequest().toByteArray());
            renewing.add(key);
            @Nullable RuntimeException end = renewalsEnd;
            if (end != null) {
                answer.onError(end);
                return;
            }
            await(renewals);
            generation.incrementAndGet();
            answer.onNext(RenewResponse.newBuilder().setCertificate(certificate(key)).build());
            answer.onCompleted();
        }
    }

    private final class Streams extends AgentServiceGrpc.AgentServiceImplBase {
        @Override
        public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> agent) {
            return new StreamObserver<>() {
                @Override
                public void onNext(ConnectRequest message) {
                    switch (message.getMessageCase()) {
                        case HELLO -> answer();
                        case HEARTBEAT -> {
                            heartbeats.incrementAndGet();
                            message.getHeartbeat()
                                    .getFindingsList()
                                    .forEach(finding -> findings.add(finding.getCode()));
                        }
                        default -> {} // nobody looks at what else is said
                    }
                }

                private void answer() {
                    if (welcomes) {
                        agent.onNext(
                                ConnectResponse.newBuilder()
                                        .setWelcome(Welcome.newBuilder().setNodeId(named))
                                        .build());
                    } else {
                        refusals.incrementAndGet();
                        agent.onError(Status.UNAVAILABLE.asRuntimeException());
                    }
                }

                @Override
                public void onError(Throwable failure) {} // the agent hung up

                @Override
                public void onCompleted() {
                    agent.onCompleted();
                }
            };
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The test holds an answer for too long");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
