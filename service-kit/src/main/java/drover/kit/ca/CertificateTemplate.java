package drover.kit.ca;

import drover.trust.identity.NodeCertificateLifetime;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.SpiffeId;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * What shall stand in a certificate. Everything is decided here and nothing is taken from a
 * request.
 *
 * @param commonName for people who look at it; no machine reads it
 * @param uris names of the holder; a good peer has exactly one
 * @param hosts names and numbers under which a server is dialled
 * @param roles what it is good for
 * @param isCa whether its key may sign certificates
 */
public record CertificateTemplate(
        String commonName,
        List<String> uris,
        List<String> hosts,
        Set<TlsRole> roles,
        boolean isCa,
        BigInteger serial,
        Instant notBefore,
        Instant notAfter) {
    private static final int SERIAL_BITS = 127; // positive, in the 20 bytes that the standard has

    public CertificateTemplate {
        uris = List.copyOf(uris);
        hosts = List.copyOf(hosts);
        roles = Set.copyOf(roles);
    }

    /** For a node: it dials, and nobody dials it. */
    public static CertificateTemplate ofNode(
            SpiffeId node, BigInteger serial, Instant now, Duration life) {
        return forPeer(node, List.of(), Set.of(TlsRole.CLIENT), serial, now, life);
    }

    /**
     * For a service: it dials and is dialled.
     *
     * @param hosts under which others dial it
     */
    public static CertificateTemplate ofService(
            SpiffeId service, List<String> hosts, BigInteger serial, Instant now, Duration life) {
        return forPeer(service, hosts, Set.of(TlsRole.CLIENT, TlsRole.SERVER), serial, now, life);
    }

    /**
     * For a program that is no service of the mesh, such as PostgreSQL or a member of etcd: it is
     * one of these hosts, and names nobody, so no door of the mesh takes it. Members of etcd dial
     * each other.
     *
     * @param hosts under which others dial it; at least one
     */
    public static CertificateTemplate ofHosts(
            List<String> hosts, BigInteger serial, Instant now, Duration life) {
        return new CertificateTemplate(
                hosts.getFirst(),
                List.of(),
                hosts,
                Set.of(TlsRole.CLIENT, TlsRole.SERVER),
                false,
                serial,
                now.minus(NodeCertificateLifetime.BACKDATED),
                now.plus(life));
    }

    private static CertificateTemplate forPeer(
            SpiffeId id,
            List<String> hosts,
            Set<TlsRole> roles,
            BigInteger serial,
            Instant now,
            Duration life) {
        return new CertificateTemplate(
                id.path().substring(id.path().lastIndexOf('/') + 1),
                List.of(id.toString()),
                hosts,
                roles,
                false,
                serial,
                now.minus(NodeCertificateLifetime.BACKDATED),
                now.plus(life));
    }

    /** For an authority. */
    static CertificateTemplate ofCa(String name, BigInteger serial, Instant now, Duration life) {
        return new CertificateTemplate(
                name,
                List.of(),
                List.of(),
                Set.of(),
                true,
                serial,
                now.minus(NodeCertificateLifetime.BACKDATED),
                now.plus(life));
    }

    /** A serial that nobody can guess and no two certificates share. */
    public static BigInteger newSerial(SecureRandom random) {
        return new BigInteger(SERIAL_BITS, random).setBit(SERIAL_BITS - 1);
    }
}
