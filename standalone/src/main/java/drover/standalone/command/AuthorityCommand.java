package drover.standalone.command;

import drover.kit.ca.CertificateAuthority;
import drover.kit.tls.TlsFiles;
import drover.localenv.UserFacingError;
import drover.localenv.ca.CaFiles;
import drover.trust.identity.ServiceName;
import drover.trust.identity.SpkiPin;
import drover.trust.identity.TrustDomain;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover authority …}: who signs the certificates of a mesh. Offline. */
@Command(name = "authority", description = "Authorities, and the certificates of services.")
public final class AuthorityCommand extends StandaloneCommandBase {
    /** The command with all of its own. */
    static CommandLine withSubcommands() {
        return new CommandLine(new AuthorityCommand())
                .addSubcommand(new Create())
                .addSubcommand(new Issue());
    }

    @Override
    int run() {
        throw new UserFacingError("Say what to do: create, issue.");
    }

    /** {@code drover authority create}. */
    @Command(name = "create", description = "Makes an authority: its certificate and its key.")
    static final class Create extends StandaloneCommandBase {
        @Parameters(paramLabel = "DIR", description = "Where its two files go.")
        private Path directory = Path.of("");

        @Option(
                names = "--name",
                defaultValue = "drover",
                paramLabel = "NAME",
                description = "For people who look at its certificates (default: drover).")
        private String name = "";

        @Option(
                names = "--days",
                defaultValue = "3650",
                paramLabel = "N",
                description = "How long it lasts (default: 3650).")
        private int days;

        @Override
        int run() {
            CertificateAuthority made =
                    new CaFiles(directory)
                            .create(name, InstantSource.system().instant(), validity(days));
            print(SpkiPin.of(made.certificate()).value());
            return DONE;
        }
    }

    /** {@code drover authority issue}. */
    @Command(
            name = "issue",
            description =
                    "Makes the certificate and the key of a service; without --service those of"
                            + " hosts alone, such as PostgreSQL's.")
    static final class Issue extends StandaloneCommandBase {
        @Parameters(paramLabel = "DIR", description = "The authority that signs it.")
        private Path directory = Path.of("");

        @Option(
                names = "--service",
                paramLabel = "NAME",
                description =
                        "Which service it is: coordinator, gateway, health, manifest, or prepare for"
                                + " 'drover prepare'.")
        private @Nullable String service; // null for hosts alone

        @Option(
                names = "--trust-domain",
                paramLabel = "NAME",
                description = "With --service: the name of the mesh, in every certificate.")
        private @Nullable String domain; // null when not given

        @Option(
                names = "--host",
                required = true,
                paramLabel = "NAME",
                description = "A name or number under which it is dialled; may be repeated.")
        private List<String> hosts = List.of();

        @Option(
                names = "--trust",
                paramLabel = "FILE",
                description =
                        "Certificates of the authorities that it believes (default: this one's).")
        private @Nullable Path trust; // null when not given

        @Option(
                names = "--out",
                required = true,
                paramLabel = "DIR",
                description = "Where chain.pem, key.pem and trust.pem go.")
        private Path out = Path.of("");

        @Option(
                names = "--days",
                defaultValue = "90",
                paramLabel = "N",
                description = "How long it lasts (default: 90).")
        private int days;

        @Override
        int run() {
            CertificateAuthority authority = new CaFiles(directory).open();
            var _ =
                    service == null
                            ? issueForHosts(authority)
                            : issueForService(service, authority);
            print(out + " holds chain.pem, key.pem and trust.pem.");
            return DONE;
        }

        private TlsFiles issueForHosts(CertificateAuthority authority) {
            if (domain != null) {
                throw new UserFacingError(
                        "--trust-domain needs --service: hosts alone name no mesh.");
            }
            return CaFiles.issue(
                    authority,
                    hosts,
                    trustedCertificates(authority),
                    InstantSource.system().instant(),
                    validity(days),
                    out);
        }

        private TlsFiles issueForService(String named, CertificateAuthority authority) {
            if (domain == null) {
                throw new UserFacingError("--service needs --trust-domain, the mesh's own name.");
            }
            return CaFiles.issue(authority, toCertificateSpec(named, domain, authority), out);
        }

        private CaFiles.ServiceCertificateSpec toCertificateSpec(
                String named, String deployment, CertificateAuthority authority) {
            try {
                return new CaFiles.ServiceCertificateSpec(
                        new TrustDomain(deployment).service(requireServiceName(named)),
                        hosts,
                        trustedCertificates(authority),
                        InstantSource.system().instant(),
                        validity(days));
            } catch (IllegalArgumentException e) { // a name that is none
                throw new UserFacingError(String.valueOf(e.getMessage()), e);
            }
        }

        /** A name that no edge knows would be found out by every door that refuses it. */
        private static ServiceName requireServiceName(String named) {
            return ServiceName.of(named)
                    .orElseThrow(
                            () ->
                                    new UserFacingError(
                                            "--service takes one of "
                                                    + List.of(ServiceName.values())
                                                    + ", not '"
                                                    + named
                                                    + "'."));
        }

        private List<X509Certificate> trustedCertificates(CertificateAuthority authority) {
            return trust == null
                    ? List.of(authority.certificate())
                    : CaFiles.readCaCertificates(trust);
        }
    }

    private static Duration validity(int days) {
        if (days < 1 || days > 36_500) {
            throw new UserFacingError("--days takes a number from 1 to 36500.");
        }
        return Duration.ofDays(days);
    }
}
