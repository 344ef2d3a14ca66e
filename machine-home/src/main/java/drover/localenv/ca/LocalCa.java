package drover.localenv.ca;

import drover.kit.ca.CertificateAuthority;
import drover.kit.tls.TlsFiles;
import drover.localenv.DataDirectory;
import drover.model.Digest;
import drover.trust.identity.TrustDomain;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The authority of a mesh in one process, made at its first start: it signs the nodes, and the
 * gateway of this machine.
 *
 * @param files what the gateway shows, and whom it believes
 */
public record LocalCa(CertificateAuthority ca, TrustDomain trustDomain, TlsFiles files) {
    private static final Duration LIFE = Duration.ofDays(3_650);

    /** The gateway's own is made anew at each start. */
    private static final Duration GATEWAYS_LIFE = Duration.ofDays(825);

    private static final List<String> HOSTS = List.of("127.0.0.1", "localhost");

    /** That of this data directory. */
    public static LocalCa loadOrCreateAndIssue(DataDirectory data, Instant now) {
        CaFiles own = new CaFiles(data.ca());
        CertificateAuthority authority =
                own.exists() ? own.open() : own.create("drover standalone", now, LIFE);
        TrustDomain domain = trustDomain(authority);
        TlsFiles files =
                CaFiles.issue(
                        authority,
                        new CaFiles.ServiceCertificateSpec(
                                domain.service("gateway"),
                                HOSTS,
                                List.of(authority.certificate()),
                                now,
                                GATEWAYS_LIFE),
                        data.gatewayIdentity());
        return new LocalCa(authority, domain, files);
    }

    /** Two meshes never have the same, since their authorities never have. */
    private static TrustDomain trustDomain(CertificateAuthority authority) {
        byte[] key = authority.certificate().getPublicKey().getEncoded();
        return new TrustDomain("standalone-" + Digest.of(key).value().substring(7, 19));
    }
}
