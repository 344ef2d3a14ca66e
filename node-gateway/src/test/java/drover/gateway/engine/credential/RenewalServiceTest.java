package drover.gateway.engine.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenRules;
import drover.gateway.store.InMemoryCredentialStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.gateway.store.NodeCertificateStore;
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
import org.junit.jupiter.api.Test;

class RenewalServiceTest {
    private final CertificateAuthority authority = founded();
    private final NodeCertificateSigner signer =
            new NodeCertificateSigner(
                    authority,
                    new TrustDomain("mesh.test"),
                    Duration.ofHours(24),
                    InstantSource.system());
    private final InMemoryCredentialStore store =
            new InMemoryCredentialStore(
                    new InMemoryNodeStore(InstantSource.system()), InstantSource.system());
    private final RenewalService service = new RenewalService(store, signer);

    private static CertificateAuthority founded() {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create("mesh", Instant.now(), Duration.ofDays(1));
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    private IssuedCertificate enrolled() {
        JoinToken token = JoinToken.create(new SecureRandom(), SpkiPin.of(authority.certificate()));
        store.addJoinToken(
                new JoinTokenRules.Request(
                                Optional.of(new NodeId("n1")),
                                new ChainProfileId("harbour"),
                                new NodeType("edge"),
                                Map.of(),
                                1,
                                Duration.ofMinutes(30),
                                "key:ops")
                        .toIssuedJoinToken(token.id(), Instant.now()),
                token.secretDigest());
        return new EnrollmentService(store, signer)
                .enroll(token.text(), request(), Optional.empty());
    }

    private static byte[] request() {
        return CertificateRequestKeyPair.create().signingRequest();
    }

    @Test
    void agentWithoutACertificateReportsTheRemedy() {
        String serial = enrolled().serial();
        var _ = store.recordPresentedAndLockCopied(serial);
        for (int i = 0; i < NodeCertificateStore.MAX_UNUSED; i++) {
            assertThat(service.renew(serial, request()).generation()).isEqualTo(i + 2);
        }

        assertThatThrownBy(() -> service.renew(serial, request()))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.CERTIFICATE_OUTDATED);
                            assertThat(refused.sentence())
                                    .contains("8 certificates that it never dialled with")
                                    .contains("enroll the machine anew");
                        });
    }
}
