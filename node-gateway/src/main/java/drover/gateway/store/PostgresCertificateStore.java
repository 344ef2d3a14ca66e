package drover.gateway.store;

import drover.gateway.identity.BlockReason;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.identity.PresentedCertificate.Validity;
import drover.gateway.identity.StreamCredential;
import drover.gateway.store.EnrollmentStore.CertificateIssuer;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** What nodes dial with, in the schema {@code gateway}. */
public final class PostgresCertificateStore implements NodeCertificateStore {
    private final GatewayTransactionRunner database;

    /** In a database whose schema {@link PostgresNodeStore#migrateAndOpen} brought up to date. */
    public PostgresCertificateStore(DataSource database) {
        this.database = new GatewayTransactionRunner(database);
    }

    @Override
    public Optional<PresentedIdentity> recordPresentedAndLockCopied(String serial) {
        return database.inTransaction(
                "look at a certificate",
                handle -> {
                    handle.createUpdate(CertificateSql.RECORD_FIRST_USE)
                            .bind("serial", serial)
                            .execute();
                    Optional<PresentedIdentity> shown =
                            findPresented(handle, CertificateSql.PRESENTED, serial);
                    return shown.filter(PostgresCertificateStore::isCopy).isPresent()
                            ? lockIfCopied(handle, serial, shown.get().node().id())
                            : shown;
                });
    }

    private static Optional<PresentedIdentity> findPresented(
            Handle handle, String statement, String serial) {
        return handle.createQuery(statement)
                .bind("serial", serial)
                .map((row, _) -> GatewayRowReader.readPresentedIdentity(row))
                .findOne();
    }

    /**
     * Whoever enrolls the machine anew at this moment comes before or after, never between. In the
     * order of {@link #revokeNode}: join tokens, then the node; so one that is made between the two
     * stands, as one that is made afterwards does.
     */
    private static Optional<PresentedIdentity> lockIfCopied(
            Handle handle, String serial, NodeId node) {
        List<String> joinTokens =
                handle.createQuery(CertificateSql.HOLD_JOIN_TOKENS)
                        .bind("node", node.value())
                        .mapTo(String.class)
                        .list();
        Optional<PresentedIdentity> shown =
                findPresented(handle, CertificateSql.SHOWN_ALONE, serial);
        shown.filter(PostgresCertificateStore::isCopy)
                .ifPresent(
                        _ -> {
                            int _ = blockNode(handle, node, BlockReason.COPIED);
                            revokeHeldJoinTokens(handle, joinTokens);
                        });
        return shown;
    }

    /** Whoever copied the identity may have copied them, too. */
    private static void revokeHeldJoinTokens(Handle handle, List<String> joinTokens) {
        handle.createUpdate(CertificateSql.END_HELD)
                .bindArray("ids", String.class, joinTokens)
                .bind("by", LOCKED_BY)
                .execute();
    }

    private static boolean isCopy(PresentedIdentity shown) {
        return shown.certificate().validityAt(shown.now()) instanceof Validity.PossiblyCopied;
    }

    @Override
    public Optional<IssuedCertificate> renew(
            String serial, Digest publicKey, CertificateIssuer issuer) {
        return database.inTransaction(
                "renew a certificate",
                handle ->
                        handle.createQuery(CertificateSql.LOCK)
                                .bind("serial", serial)
                                .mapTo(String.class)
                                .findOne()
                                .map(NodeId::new)
                                .flatMap(node -> renew(handle, node, publicKey, issuer)));
    }

    private static Optional<IssuedCertificate> renew(
            Handle handle, NodeId node, Digest publicKey, CertificateIssuer issuer) {
        Optional<IssuedCertificate> before =
                handle.createQuery(CertificateSql.BEFORE)
                        .bind("node", node.value())
                        .bind("key", publicKey.value())
                        .map((row, _) -> GatewayRowReader.readIssuedCertificate(row))
                        .findOne();
        return before.isPresent()
                ? before
                : findNextGeneration(handle, node)
                        .map(
                                generation ->
                                        insertAndDeleteExpired(
                                                handle, issuer.issue(node, generation)));
    }

    private static Optional<Long> findNextGeneration(Handle handle, NodeId node) {
        return handle.createQuery(CertificateSql.NEXT)
                .bind("node", node.value())
                .bind("most", MAX_UNUSED)
                .mapTo(Long.class)
                .findOne();
    }

    private static IssuedCertificate insertAndDeleteExpired(
            Handle handle, IssuedCertificate given) {
        insert(handle, given);
        handle.createUpdate(CertificateSql.DELETE_EXPIRED)
                .bind("node", given.node().value())
                .execute();
        return given;
    }

    /** Remembers a certificate that was made. */
    static void insert(Handle handle, IssuedCertificate given) {
        handle.createUpdate(EnrollmentSql.CERTIFICATE)
                .bind("serial", given.serial())
                .bind("node", given.node().value())
                .bind("generation", given.generation())
                .bind("key", given.publicKey().value())
                .bind("expires", given.expiresAt().atOffset(ZoneOffset.UTC))
                .bind("pem", given.pem())
                .execute();
    }

    @Override
    public Optional<NodeRevocationCounts> revokeNode(NodeId node, String by) {
        return database.inTransaction(
                "revoke a node",
                handle ->
                        nodeExists(handle, node)
                                ? Optional.of(revokeNode(handle, node, by))
                                : Optional.empty());
    }

    /** Nodes are never deleted, so this is known without waiting for anybody. */
    private static boolean nodeExists(Handle handle, NodeId node) {
        return handle.createQuery(CertificateSql.IS_THERE)
                .bind("node", node.value())
                .mapTo(Boolean.class)
                .one();
    }

    /** In the order in which a machine is enrolled, lest each of the two waits for the other. */
    private static NodeRevocationCounts revokeNode(Handle handle, NodeId node, String by) {
        int joinTokens = revokeJoinTokens(handle, node, by);
        return new NodeRevocationCounts(blockNode(handle, node, BlockReason.REVOKED), joinTokens);
    }

    /** How many certificates that ended. */
    private static int blockNode(Handle handle, NodeId node, BlockReason why) {
        handle.createUpdate(CertificateSql.BLOCK)
                .bind("node", node.value())
                .bind("why", why.name())
                .execute();
        handle.createUpdate(CertificateSql.REVOKE_TOKEN).bind("node", node.value()).execute();
        return endCertificates(handle, node, Long.MAX_VALUE);
    }

    private static int revokeJoinTokens(Handle handle, NodeId node, String by) {
        return handle.createUpdate(CertificateSql.REVOKE_JOIN_TOKENS)
                .bind("node", node.value())
                .bind("by", by)
                .execute();
    }

    /** Ends a node's certificates up to this generation; how many were good until then. */
    static int endCertificates(Handle handle, NodeId node, long upTo) {
        return handle.createQuery(CertificateSql.REVOKE)
                .bind("node", node.value())
                .bind("upTo", upTo)
                .mapTo(Integer.class)
                .one();
    }

    @Override
    public Set<StreamCredential> findRevokedCredentials(
            Collection<StreamCredential.NodeTokenDigest> tokens) {
        return database.inTransaction(
                "look for what was ended",
                handle ->
                        Set.copyOf(
                                handle.createQuery(CertificateSql.REVOKED)
                                        .bind("apart", MAX_CLOCK_SKEW.toSeconds())
                                        .bindArray(
                                                "tokens",
                                                String.class,
                                                tokens.stream()
                                                        .map(token -> token.sha256().value())
                                                        .toList())
                                        .map((row, _) -> GatewayRowReader.readStreamCredential(row))
                                        .list()));
    }

    @Override
    public List<NodeId> listLockedNodes() {
        return database.inTransaction(
                "look for locked nodes",
                handle ->
                        handle.createQuery(CertificateSql.LOCKED)
                                .bind("most", MAX_LOCKED)
                                .mapTo(String.class)
                                .map(NodeId::new)
                                .list());
    }
}
