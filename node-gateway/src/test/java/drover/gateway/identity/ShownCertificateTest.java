package drover.gateway.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import drover.gateway.identity.ShownCertificate.Worth;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ShownCertificateTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    /** Of a node whose third certificate is in use since noon. */
    private static ShownCertificate shown(long generation) {
        return new ShownCertificate(
                new NodeId("n1"), generation, 3, NOON, false, false, Optional.empty());
    }

    private static void assertNothing(Worth worth, RefusalCode code) {
        assertThat(worth)
                .asInstanceOf(type(Worth.Nothing.class))
                .extracting(Worth.Nothing::code)
                .isEqualTo(code);
    }

    @Test
    void theNewestThatWasShownIsGood() {
        assertThat(shown(3).at(NOON.plusSeconds(3_600))).isEqualTo(new Worth.Good());
    }

    @Test
    @DisplayName("an agent that read its file before the renewal and dials after it is no copy")
    void whoCrossedARenewalIsToldToReadAgain() {
        assertNothing(shown(2).at(NOON.plusSeconds(59)), RefusalCode.CERTIFICATE_OUTDATED);
    }

    @Test
    void anOlderOneThanTheOneInUseIsACopy() {
        assertThat(shown(2).at(NOON.plusSeconds(60))).isEqualTo(new Worth.Copy());
    }

    @Test
    @DisplayName("an ended certificate is refused, and locks nobody out")
    void anEndedCertificateLocksNobodyOut() {
        ShownCertificate ended =
                new ShownCertificate(new NodeId("n1"), 1, 3, NOON, true, false, Optional.empty());
        assertNothing(ended.at(NOON.plusSeconds(3_600)), RefusalCode.NODE_REVOKED);
    }

    @Test
    void aRetiredNodesCertificateIsRefused() {
        ShownCertificate retired =
                new ShownCertificate(new NodeId("n1"), 3, 3, NOON, false, true, Optional.empty());
        assertNothing(retired.at(NOON), RefusalCode.NODE_REVOKED);
    }

    @Test
    void aBarredNodeIsToldWhy() {
        assertNothing(barred(Bar.REVOKED), RefusalCode.NODE_REVOKED);
        assertNothing(barred(Bar.COPIED), RefusalCode.NODE_LOCKED);
        assertNothing(barred(Bar.of("MELTED")), RefusalCode.NODE_REVOKED);
    }

    private static Worth barred(Bar why) {
        return new ShownCertificate(new NodeId("n1"), 3, 3, NOON, true, false, Optional.of(why))
                .at(NOON);
    }
}
