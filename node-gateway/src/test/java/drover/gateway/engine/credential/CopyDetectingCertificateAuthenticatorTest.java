package drover.gateway.engine.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.identity.PresentedCertificate;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.NodeCertificateStore;
import drover.gateway.store.NodeCertificateStore.PresentedIdentity;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * H1: a certificate speaks for the node to which its serial was issued. The certificate also names
 * a node; the two differ if the certificate authority made a mistake.
 */
class CopyDetectingCertificateAuthenticatorTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final String SERIAL = "0a1b";
    private static final NodeId OWNER = new NodeId("owner");
    private static final NodeId OTHER = new NodeId("other");

    private final Map<String, NodeId> owners = new HashMap<>(Map.of(SERIAL, OWNER));
    private boolean available = true;
    private final CopyDetectingCertificateAuthenticator book =
            new CopyDetectingCertificateAuthenticator(
                    (NodeCertificateStore)
                            Proxy.newProxyInstance(
                                    NodeCertificateStore.class.getClassLoader(),
                                    new Class<?>[] {NodeCertificateStore.class},
                                    (_, method, arguments) -> {
                                        assertThat(method.getName())
                                                .isEqualTo("recordPresentedAndLockCopied");
                                        return present((String) arguments[0]);
                                    }));

    private Optional<PresentedIdentity> present(String serial) {
        if (!available) {
            throw new StoreUnavailable("looking up a certificate", new IllegalStateException());
        }
        return Optional.ofNullable(owners.get(serial))
                .map(
                        node ->
                                new PresentedIdentity(
                                        new NodeIdentity(
                                                node,
                                                new ChainProfileId("harbour"),
                                                new NodeType("edge"),
                                                Map.of()),
                                        new PresentedCertificate(
                                                node, 1, 1, NOON, false, false, Optional.empty()),
                                        NOON));
    }

    private void assertRefused(NodeId named, RefusalCode code) {
        assertThatThrownBy(() -> book.authenticate(named, SERIAL))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.code()).isEqualTo(code));
    }

    @Test
    void acceptsTheCertificateOfTheNode() {
        assertThat(book.authenticate(OWNER, SERIAL).id()).isEqualTo(OWNER);
    }

    @Test
    @DisplayName("H1: a certificate that names one node with the serial of another one is rejected")
    void rejectsASerialOfAnotherNode() {
        assertRefused(OTHER, RefusalCode.NODE_CREDENTIAL_UNKNOWN);
    }

    @Test
    @DisplayName("H1: also while the database is unavailable and the serial is known to be good")
    void rejectsASerialOfAnotherNodeWithoutTheDatabase() {
        book.authenticate(OWNER, SERIAL);
        available = false;
        assertThat(book.authenticate(OWNER, SERIAL).id()).isEqualTo(OWNER);
        assertRefused(OTHER, RefusalCode.STORE_UNAVAILABLE);
    }

    @Test
    void rejectsAnUnknownSerial() {
        owners.clear();
        assertRefused(OWNER, RefusalCode.NODE_CREDENTIAL_UNKNOWN);
    }
}
