package drover.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.JoinRules;
import drover.gateway.store.CertificateStore;
import drover.gateway.store.InMemoryIdentityStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.kit.authority.Authority;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import drover.model.identity.ConnectionKey;
import drover.model.identity.JoinToken;
import drover.model.identity.SpkiPin;
import drover.model.identity.TrustDomain;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RenewalDeskTest {
    private final Authority authority = founded();
    private final NodeSigner signer =
            new NodeSigner(
                    authority,
                    new TrustDomain("mesh.test"),
                    Duration.ofHours(24),
                    InstantSource.system());
    private final InMemoryIdentityStore store =
            new InMemoryIdentityStore(
                    new InMemoryNodeStore(InstantSource.system()), InstantSource.system());
    private final RenewalDesk desk = new RenewalDesk(store, signer);

    private static Authority founded() {
        Authority.Founded founded = Authority.found("mesh", Instant.now(), Duration.ofDays(1));
        return Authority.open(founded.certificatePem(), founded.keyPem());
    }

    private GivenCertificate enrolled() {
        JoinToken token = JoinToken.create(new SecureRandom(), SpkiPin.of(authority.certificate()));
        store.grant(
                new JoinRules.Wish(
                                Optional.of(new NodeId("n1")),
                                new ChainProfileId("harbour"),
                                new NodeType("edge"),
                                Map.of(),
                                1,
                                Duration.ofMinutes(30),
                                "key:ops")
                        .granted(token.id(), Instant.now()),
                token.secretDigest());
        return new EnrolmentDesk(store, signer).enrol(token.text(), request(), Optional.empty());
    }

    private static byte[] request() {
        return ConnectionKey.create().request();
    }

    @Test
    void whoKeepsNoneOfItsCertificatesIsToldWhatToDo() {
        String serial = enrolled().serial();
        var _ = store.show(serial);
        for (int i = 0; i < CertificateStore.MOST_UNSHOWN; i++) {
            assertThat(desk.renew(serial, request()).generation()).isEqualTo(i + 2);
        }

        assertThatThrownBy(() -> desk.renew(serial, request()))
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
