package drover.gateway.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import drover.gateway.identity.PresentedCertificate.Validity;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PresentedCertificateTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    /** Of a node whose third certificate is in use since noon. */
    private static PresentedCertificate shown(long generation) {
        return new PresentedCertificate(
                new NodeId("n1"), generation, 3, NOON, false, false, Optional.empty());
    }

    private static void assertNothing(Validity worth, RefusalCode code) {
        assertThat(worth)
                .asInstanceOf(type(Validity.Invalid.class))
                .extracting(Validity.Invalid::code)
                .isEqualTo(code);
    }

    @Test
    void theNewestThatWasShownIsGood() {
        assertThat(shown(3).validityAt(NOON.plusSeconds(3_600))).isEqualTo(new Validity.Valid());
    }

    @Test
    @DisplayName("an agent that read its file before the renewal and dials after it is no copy")
    void callDuringARenewalReadsAgain() {
        assertNothing(shown(2).validityAt(NOON.plusSeconds(59)), RefusalCode.CERTIFICATE_OUTDATED);
    }

    @Test
    void anOlderOneThanTheOneInUseIsACopy() {
        assertThat(shown(2).validityAt(NOON.plusSeconds(60)))
                .isEqualTo(new Validity.PossiblyCopied());
    }

    @Test
    @DisplayName("an ended certificate is refused, and locks nobody out")
    void expiredCertificateLocksNoNode() {
        PresentedCertificate ended =
                new PresentedCertificate(
                        new NodeId("n1"), 1, 3, NOON, true, false, Optional.empty());
        assertNothing(ended.validityAt(NOON.plusSeconds(3_600)), RefusalCode.NODE_REVOKED);
    }

    @Test
    void aRetiredNodesCertificateIsRefused() {
        PresentedCertificate retired =
                new PresentedCertificate(
                        new NodeId("n1"), 3, 3, NOON, false, true, Optional.empty());
        assertNothing(retired.validityAt(NOON), RefusalCode.NODE_REVOKED);
    }

    @Test
    void blockedNodeReceivesTheReason() {
        assertNothing(blocked(BlockReason.REVOKED), RefusalCode.NODE_REVOKED);
        assertNothing(blocked(BlockReason.COPIED), RefusalCode.NODE_LOCKED);
        assertNothing(blocked(BlockReason.parseOrUnknown("MELTED")), RefusalCode.NODE_REVOKED);
    }

    private static Validity blocked(BlockReason why) {
        return new PresentedCertificate(new NodeId("n1"), 3, 3, NOON, true, false, Optional.of(why))
                .validityAt(NOON);
    }
}
