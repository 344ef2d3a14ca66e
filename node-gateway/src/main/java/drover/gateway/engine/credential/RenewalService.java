package drover.gateway.engine.credential;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.store.NodeCertificateStore;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.RefusalCode;
import java.security.PublicKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives nodes that show a certificate the next one. */
public final class RenewalService {
    private static final Logger LOG = LoggerFactory.getLogger(RenewalService.class);

    private final NodeCertificateStore store;
    private final NodeCertificateSigner signer;

    /** Over this store. */
    public RenewalService(NodeCertificateStore store, NodeCertificateSigner signer) {
        this.store = store;
        this.signer = signer;
    }

    /**
     * The next certificate of the node that shows this one; the same key again has the same answer.
     *
     * @param serial of the certificate that is shown, in hexadecimal
     * @param request PKCS #10 in DER
     * @throws Refused when the request is not good, when the node may have none now, and when the
     *     database is away
     */
    public IssuedCertificate renew(String serial, byte[] request) {
        PublicKey key = NodeCertificateSigner.verifyAndGetKey(request);
        IssuedCertificate given =
                JoinTokenService.refuseIfUnavailable(
                                () ->
                                        store.renew(
                                                serial,
                                                Digest.of(key.getEncoded()),
                                                (node, generation) ->
                                                        signer.issue(node, generation, key)))
                        .orElseThrow(RenewalService::tooManyUnusedCertificates);
        LOG.info(
                "A certificate is renewed nodeId={} serial={} generation={} until={}",
                given.node(),
                given.serial(),
                given.generation(),
                given.expiresAt());
        return given;
    }

    /**
     * Whoever is ended or shows an old one was refused before; see {@link NodeCertificateStore}.
     */
    private static Refused tooManyUnusedCertificates() {
        return new Refused(
                RefusalCode.CERTIFICATE_OUTDATED,
                "The node was given %d certificates that it never dialled with, and gets no more:"
                                .formatted(NodeCertificateStore.MAX_UNUSED)
                        + " see in its log why it does not keep them (a full disk?), mend that, and"
                        + " enroll the machine anew before this certificate ends.");
    }
}
