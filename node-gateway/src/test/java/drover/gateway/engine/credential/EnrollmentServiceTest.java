package drover.gateway.engine.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import drover.gateway.identity.JoinTokenRules;
import drover.gateway.store.InMemoryCredentialStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.kit.ca.CertificateAuthority;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.JoinToken;
import drover.trust.identity.SpkiPin;
import drover.trust.identity.TrustDomain;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EnrollmentServiceTest {
    private static final NodeId PRESENT = new NodeId("berth-01");

    private final Logger log = (Logger) LoggerFactory.getLogger(EnrollmentService.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final CertificateAuthority authority = founded();
    private final InMemoryCredentialStore store =
            new InMemoryCredentialStore(
                    new InMemoryNodeStore(InstantSource.system()), InstantSource.system());
    private final EnrollmentService service =
            new EnrollmentService(
                    store,
                    new NodeCertificateSigner(
                            authority,
                            new TrustDomain("mesh.test"),
                            Duration.ofHours(24),
                            InstantSource.system()));

    private static CertificateAuthority founded() {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create("mesh", Instant.now(), Duration.ofDays(1));
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        log.detachAppender(lines);
    }

    private JoinToken token(Optional<NodeId> node) {
        JoinToken token = JoinToken.create(new SecureRandom(), SpkiPin.of(authority.certificate()));
        store.addJoinToken(
                new JoinTokenRules.Request(
                                node,
                                new ChainProfileId("harbour"),
                                new NodeType("edge"),
                                Map.of(),
                                1,
                                Duration.ofMinutes(30),
                                "key:ops")
                        .toIssuedJoinToken(token.id(), Instant.now()),
                token.secretDigest());
        return token;
    }

    private void refused(JoinToken token) {
        assertThatThrownBy(
                        () ->
                                service.enroll(
                                        token.text(),
                                        CertificateRequestKeyPair.create().signingRequest(),
                                        Optional.of(PRESENT)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(RefusalCode.TOKEN_OF_ANOTHER_NODE));
    }

    @Test
    @DisplayName("D-160: operators are warned of a machine that shows another node's token")
    void warnsOfATokenOfAnotherNode() {
        JoinToken another = token(Optional.of(new NodeId("berth-02")));
        JoinToken any = token(Optional.empty());
        refused(another);
        refused(any);

        assertThat(lines.list).allMatch(line -> line.getLevel().equals(Level.WARN));
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "A join token is refused to a machine that is another node nodeId=berth-02"
                                + " presentNodeId=berth-01 tokenId="
                                + another.id(),
                        "A join token is refused to a machine that is another node nodeId=(new)"
                                + " presentNodeId=berth-01 tokenId="
                                + any.id());
    }
}
