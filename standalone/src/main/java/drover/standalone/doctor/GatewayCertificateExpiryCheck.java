package drover.standalone.doctor;

import drover.localenv.UserFacingError;
import drover.trust.identity.ServiceCertificateExpiry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * Looks how long nodes can still believe the gateway of a mesh in one process. It makes its
 * certificate anew at each start, so only one that runs for very long sees its end.
 */
final class GatewayCertificateExpiryCheck {
    private static final String CHECK = "tls";
    private static final String WHAT_TO_DO =
            ": end the mesh and start it again ('drover up'), which makes a new one.";

    private GatewayCertificateExpiryCheck() {}

    /**
     * @param chain the file that the gateway shows
     */
    static List<DoctorFinding> run(Path chain, Instant now) {
        return List.of(check(readCertificateExpiry(chain), now));
    }

    /** By the same thresholds as every service's own notices. */
    static DoctorFinding check(ServiceCertificateExpiry end, Instant now) {
        if (end.isExpired(now)) {
            return DoctorFinding.fail(
                    CHECK,
                    "The certificate of the mesh's gateway ended at "
                            + end.notAfter()
                            + WHAT_TO_DO);
        }
        return end.isWarningDue(now)
                ? DoctorFinding.warn(
                        CHECK,
                        "The certificate of the mesh's gateway ends at "
                                + end.notAfter()
                                + WHAT_TO_DO)
                : DoctorFinding.ok(
                        CHECK,
                        "The certificate of the mesh's gateway is good until "
                                + end.notAfter()
                                + ".");
    }

    private static ServiceCertificateExpiry readCertificateExpiry(Path chain) {
        try (InputStream pem = Files.newInputStream(chain)) {
            X509Certificate leaf =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509").generateCertificate(pem);
            return new ServiceCertificateExpiry(
                    leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant());
        } catch (IOException | CertificateException e) {
            throw new UserFacingError(
                    chain + " cannot be read: the next start of the mesh makes it anew.", e);
        }
    }
}
