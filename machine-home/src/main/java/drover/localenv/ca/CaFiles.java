package drover.localenv.ca;

import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.tls.TlsFiles;
import drover.localenv.AtomicFileWriter;
import drover.localenv.UserFacingError;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** An authority in a directory: its certificate, which others trust, and its key for its owner. */
public final class CaFiles {
    private static final String CERTIFICATE = "authority.pem";
    private static final String KEY = "authority-key.pem";

    private final Path directory;

    /** In this directory, whether there is one yet or not. */
    public CaFiles(Path directory) {
        this.directory = directory;
    }

    /** Whether it was made. */
    public boolean exists() {
        return Files.exists(directory.resolve(KEY));
    }

    /**
     * Makes it.
     *
     * @param name for people who look at its certificates
     * @throws UserFacingError when there is one already: keys are kept
     */
    public CertificateAuthority create(String name, Instant now, Duration life) {
        if (exists()) {
            throw new UserFacingError(
                    directory
                            + " holds an authority already: name another directory, keys are kept.");
        }
        make(directory);
        CertificateAuthority.NewCa founded = CertificateAuthority.create(name, now, life);
        AtomicFileWriter.write(directory.resolve(CERTIFICATE), founded.certificatePem());
        AtomicFileWriter.writeSecret(
                directory.resolve(KEY), founded.keyPem()); // last: it is there now
        return open();
    }

    /**
     * Opens it.
     *
     * @throws UserFacingError when there is none, or files that are none
     */
    public CertificateAuthority open() {
        try {
            return CertificateAuthority.fromDirectory(directory);
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(String.valueOf(e.getMessage()), e);
        }
    }

    /** Certificates of authorities in a file that somebody else made. */
    public static List<X509Certificate> readCaCertificates(Path file) {
        try {
            return TlsKeyChainAndTrust.authorities(Files.readString(file));
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be read: check its name and permissions.", e);
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * What a service shows and whom it believes: {@code chain.pem}, {@code key.pem} and {@code
     * trust.pem}. The chain ends with the authority's own certificate.
     *
     * @param hosts under which others dial it
     * @param trust whose chains it takes
     */
    public record ServiceCertificateSpec(
            SpiffeId service,
            List<String> hosts,
            List<X509Certificate> trust,
            Instant now,
            Duration life) {
        public ServiceCertificateSpec {
            hosts = List.copyOf(hosts);
            trust = List.copyOf(trust);
        }
    }

    /** Makes a service's files, over those that were there: a service takes both as they come. */
    public static TlsFiles issue(
            CertificateAuthority authority, ServiceCertificateSpec wish, Path out) {
        return issue(
                authority,
                CertificateTemplate.ofService(
                        wish.service(), wish.hosts(), serial(), wish.now(), wish.life()),
                wish.trust(),
                out);
    }

    /**
     * Makes the same files for a program that is no service of the mesh.
     *
     * @param hosts under which it is dialled
     * @param trust whose chains it takes
     */
    public static TlsFiles issue(
            CertificateAuthority authority,
            List<String> hosts,
            List<X509Certificate> trust,
            Instant now,
            Duration life,
            Path out) {
        return issue(
                authority, CertificateTemplate.ofHosts(hosts, serial(), now, life), trust, out);
    }

    private static BigInteger serial() {
        return CertificateTemplate.newSerial(new SecureRandom());
    }

    private static TlsFiles issue(
            CertificateAuthority authority,
            CertificateTemplate plan,
            List<X509Certificate> trust,
            Path out) {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        X509Certificate leaf = authority.issue(plan, key.publicKey());
        make(out);
        TlsFiles files = TlsFiles.in(out);
        AtomicFileWriter.writeSecret(files.key(), key.pem());
        AtomicFileWriter.write(
                files.chain(), CertificateAuthority.toPem(List.of(leaf, authority.certificate())));
        AtomicFileWriter.write(files.trust(), CertificateAuthority.toPem(trust));
        return files;
    }

    private static void make(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UserFacingError(
                    directory + " cannot be made: name one that you may write to.", e);
        }
    }
}
