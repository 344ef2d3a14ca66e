package drover.trust.identity;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Whom one edge of the mesh admits: nodes, or some services, of one trust domain. It is asked after
 * the chain was proven (signatures, times, authorities) and decides by the leaf alone.
 *
 * @param nodes whether nodes are admitted
 * @param services names of services that are admitted
 */
public record PeerRule(TrustDomain domain, boolean nodes, Set<String> services) {
    private static final int DIGITAL_SIGNATURE = 0; // bits of a certificate's key usage
    private static final int SIGNS_CERTIFICATES = 5;

    public PeerRule {
        services = Set.copyOf(services);
    }

    /** What a certificate must say it is good for. */
    public enum TlsRole {
        /** Whoever dials. */
        CLIENT("1.3.6.1.5.5.7.3.2", "a client"),
        /** Whoever is dialled. */
        SERVER("1.3.6.1.5.5.7.3.1", "a server");

        private final String usage;
        private final String words;

        TlsRole(String usage, String words) {
            this.usage = usage;
            this.words = words;
        }

        /** The extended key usage, as an object identifier. */
        public String extendedKeyUsage() {
            return usage;
        }
    }

    /** Nodes alone. */
    public static PeerRule ofNodes(TrustDomain domain) {
        return new PeerRule(domain, true, Set.of());
    }

    /** These services alone. */
    public static PeerRule ofServices(TrustDomain domain, String... names) {
        return new PeerRule(domain, false, Set.of(names));
    }

    /** Whoever has an edge that ends at this service. */
    public static PeerRule ofCallers(TrustDomain domain, ServiceName to) {
        return ofServices(
                domain,
                ServicePermission.callersOf(to).stream()
                        .map(ServiceName::wireName)
                        .toArray(String[]::new));
    }

    /** Whether this name is admitted. */
    public boolean admits(SpiffeId id) {
        return id.domain().equals(domain)
                && ((nodes && id.node().isPresent())
                        || id.service().filter(services::contains).isPresent());
    }

    /**
     * Whose certificate it is.
     *
     * @throws PeerNotAuthorized when it is no leaf for this role, names nobody or several, or names
     *     somebody who is not admitted (invariants H1, H2)
     */
    public SpiffeId requireAdmitted(X509Certificate leaf, TlsRole role) throws PeerNotAuthorized {
        requireLeaf(leaf);
        requireUsage(leaf, role);
        SpiffeId id = readSpiffeId(leaf);
        if (!admits(id)) {
            throw new PeerNotAuthorized(
                    "This door admits " + describeAdmitted() + ", not " + id + ".");
        }
        return id;
    }

    private static void requireLeaf(X509Certificate leaf) throws PeerNotAuthorized {
        boolean[] usage = leaf.getKeyUsage();
        if (leaf.getBasicConstraints() >= 0 || (usage != null && usage[SIGNS_CERTIFICATES])) {
            throw new PeerNotAuthorized("The certificate is an authority's, which is no peer.");
        }
        if (usage != null && !usage[DIGITAL_SIGNATURE]) {
            throw new PeerNotAuthorized("The certificate's key is not one that signs.");
        }
    }

    private static void requireUsage(X509Certificate leaf, TlsRole role) throws PeerNotAuthorized {
        try {
            List<String> usages = leaf.getExtendedKeyUsage();
            if (usages == null || !usages.contains(role.extendedKeyUsage())) {
                throw new PeerNotAuthorized("The certificate is not one for " + role.words + ".");
            }
        } catch (CertificateParsingException e) {
            throw new PeerNotAuthorized("What the certificate is good for cannot be read.");
        }
    }

    private static SpiffeId readSpiffeId(X509Certificate leaf) throws PeerNotAuthorized {
        try {
            return SpiffeId.of(leaf);
        } catch (IllegalArgumentException e) {
            throw new PeerNotAuthorized(String.valueOf(e.getMessage()));
        }
    }

    private String describeAdmitted() {
        String named =
                new TreeSet<>(services)
                        .stream()
                                .map(domain::service)
                                .map(SpiffeId::toString)
                                .collect(Collectors.joining(", "));
        if (!nodes) {
            return named;
        }
        return "nodes of " + domain + (named.isEmpty() ? "" : " and " + named);
    }
}
