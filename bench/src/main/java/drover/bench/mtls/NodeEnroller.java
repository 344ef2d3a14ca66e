package drover.bench.mtls;

import drover.bench.fleet.BenchNode;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.store.EnrollmentStore;
import drover.gateway.store.EnrollmentStore.EnrollmentResult;
import drover.gateway.store.PostgresEnrollmentStore;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.localenv.UserFacingError;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeType;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.store.StateDirectory;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.NodeCertificateLifetime;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Nodes that were enrolled as the gateway does it at its door for machines, but for the connection.
 *
 * @param domain of the mesh
 * @param nodes signs them
 * @param gateways authority of the gateways that they believe
 * @param term of their certificates
 */
public record NodeEnroller(
        TrustDomain domain, CertificateAuthority nodes, X509Certificate gateways, Validity term) {
    private static final Digest SECRET = Digest.of("bench");
    private static final Duration TOKEN_LIFE = Duration.ofDays(1);

    /**
     * How long a certificate is good. Agents renew in the third quarter of it.
     *
     * @param before this moment it was good
     * @param after this moment it is good
     */
    public record Validity(Duration before, Duration after) {}

    /**
     * Enrols so many of them into a database with its schema.
     *
     * @param out a directory for what each has on its disk, made where there is none
     */
    public void enroll(DataSource database, int first, int count, Path out) {
        EnrollmentStore store = new PostgresEnrollmentStore(database);
        String token = "bench-" + first; // a token has one grant, with so many uses
        Instant now = InstantSource.system().instant();
        SecureRandom random = new SecureRandom();
        store.addJoinToken(newJoinToken(token, count, now), SECRET);
        StateDirectory files = new StateDirectory(out, new DurableFiles(new LocalDisk(), random));
        try {
            Files.createDirectories(out);
        } catch (IOException e) {
            throw new UserFacingError(out + " cannot be made: " + e.getMessage(), e);
        }
        for (int number = first; number < first + count; number++) {
            NodeKeyAndCertificate enrolled =
                    enroll(
                            store,
                            token,
                            new BenchNode(number),
                            CertificateTemplate.newSerial(random));
            files.save(out.resolve(enrolled.node()), enrolled);
        }
    }

    private static JoinTokenMetadata newJoinToken(String token, int uses, Instant now) {
        return new JoinTokenMetadata(
                token,
                Optional.empty(),
                new ChainProfileId(BenchNode.CHAIN),
                new NodeType(BenchNode.TYPE),
                Map.of(),
                uses,
                0,
                "bench",
                now,
                now.plus(TOKEN_LIFE),
                Optional.empty(),
                "");
    }

    private NodeKeyAndCertificate enroll(
            EnrollmentStore store, String token, BenchNode node, BigInteger serial) {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        Digest digest = Digest.of(key.publicKey().getEncoded());
        EnrollmentResult answer =
                store.enroll(
                        new EnrollmentStore.EnrollmentRequest(
                                token, SECRET, digest, node.id(), Optional.empty()),
                        (_, generation) -> issueCertificate(node, generation, key, serial));
        if (!(answer
                instanceof EnrollmentResult.EnrolledWithCertificate(IssuedCertificate given))) {
            throw new UserFacingError("The node " + node.id() + " cannot be enrolled: " + answer);
        }
        return new NodeKeyAndCertificate(
                node.id().value(),
                given.generation(),
                key.pem(),
                given.pem(),
                CertificateAuthority.toPem(List.of(gateways)));
    }

    private IssuedCertificate issueCertificate(
            BenchNode node, long generation, CertificateRequestKeyPair key, BigInteger serial) {
        Instant now = InstantSource.system().instant();
        Duration ago = term.before().minus(NodeCertificateLifetime.BACKDATED); // when it was given
        CertificateTemplate plan =
                CertificateTemplate.ofNode(
                        domain.node(node.id()), serial, now.minus(ago), term.after().plus(ago));
        return new IssuedCertificate(
                node.id(),
                generation,
                serial.toString(16),
                Digest.of(key.publicKey().getEncoded()),
                plan.notAfter(),
                CertificateAuthority.toPem(List.of(nodes.issue(plan, key.publicKey()))));
    }
}
