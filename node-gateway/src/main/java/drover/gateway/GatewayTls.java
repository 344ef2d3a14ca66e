package drover.gateway;

import drover.kit.authority.Authority;
import drover.kit.grpc.Address;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.MeshTls;
import drover.model.identity.PeerRule;
import drover.model.identity.SpkiPin;
import drover.model.identity.TrustDomain;
import io.grpc.ServerCredentials;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * What a gateway proves itself with. Where it has this, its agents' door asks nodes for
 * certificates.
 *
 * @param identity of the gateway; its chain ends with the authority that machines know by the pin
 *     in their token, and believe from then on
 * @param tokenDoor a plain door beside it, for nodes that still show tokens; empty: none
 * @param enrolment how machines become nodes here; empty where they do not
 */
public record GatewayTls(
        LiveIdentity identity,
        TrustDomain domain,
        Optional<Address> tokenDoor,
        Optional<EnrolmentPlace> enrolment)
        implements AutoCloseable {
    /** For a door that asks nodes for certificates. */
    ServerCredentials forNodes() {
        return MeshTls.door(identity, PeerRule.ofNodes(domain));
    }

    /**
     * By which machines know the gateways.
     *
     * @throws IllegalArgumentException when the gateway's chain does not end with an authority
     */
    SpkiPin pin() {
        return SpkiPin.of(ownAuthority());
    }

    /**
     * Refuses an authority whose nodes the agents' door would refuse: that would be found out by
     * machines that have used up their tokens.
     */
    void requireTrusted(X509Certificate authority) {
        if (!identity.material().authorities().contains(authority)) {
            throw new IllegalArgumentException(
                    "trust.pem of --tls must hold the certificate of --authority, or enrolled nodes"
                            + " are refused: add it there.");
        }
    }

    /** Whom nodes believe, as PEM, as it is now. */
    String trustPem() {
        return Authority.pem(List.of(ownAuthority()));
    }

    private X509Certificate ownAuthority() {
        X509Certificate last = identity.material().chain().getLast();
        if (last.getBasicConstraints() < 0) {
            throw new IllegalArgumentException(
                    "The gateway's chain file must end with its authority's own certificate, which"
                            + " machines know by the pin in their token.");
        }
        return last;
    }

    @Override
    public void close() {
        identity.close();
    }
}
