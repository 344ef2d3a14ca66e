package drover.gateway.store;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.session.NodeIdentity;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Join tokens and certificates in the schema {@code gateway}. */
public final class PostgresEnrollmentStore implements EnrollmentStore {
    /** A second answer finds what was in its way; a third would need a third asker each time. */
    private static final int ATTEMPTS = 5;

    private final GatewayTransactionRunner database;

    /** In a database whose schema {@link PostgresNodeStore#migrateAndOpen} brought up to date. */
    public PostgresEnrollmentStore(DataSource database) {
        this.database = new GatewayTransactionRunner(database);
    }

    /** Takes a transaction back, with what is to be answered all the same. */
    private static final class RollbackWithResult extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Optional<EnrollmentResult> answer;

        RollbackWithResult(Optional<EnrollmentResult> answer) {
            super("", null, false, false);
            this.answer = answer;
        }
    }

    @Override
    public void addJoinToken(JoinTokenMetadata token, Digest secret) {
        int _ =
                database.inTransaction(
                        "keep a join token",
                        handle ->
                                handle.createUpdate(EnrollmentSql.GRANT)
                                        .bind("id", token.id())
                                        .bind("secret", secret.value())
                                        .bind("node", token.node().map(NodeId::value))
                                        .bind("chain", token.chain().value())
                                        .bind("type", token.type().value())
                                        .bind("labels", GatewayRowReader.toJson(token.labels()))
                                        .bind("maxUses", token.maxUses())
                                        .bind("by", token.createdBy())
                                        .bind("created", token.createdAt().atOffset(ZoneOffset.UTC))
                                        .bind("expires", token.expiresAt().atOffset(ZoneOffset.UTC))
                                        .execute());
    }

    @Override
    public List<JoinTokenMetadata> listJoinTokens() {
        return database.inTransaction(
                "list join tokens",
                handle ->
                        handle.createQuery(EnrollmentSql.GRANTS)
                                .bind("days", (int) LIST_RETENTION.toDays())
                                .bind("limit", MAX_LISTED)
                                .map((row, _) -> GatewayRowReader.readJoinToken(row))
                                .list());
    }

    @Override
    public Optional<JoinTokenMetadata> revoke(String tokenId, String by) {
        return database.inTransaction(
                "revoke a join token",
                handle -> {
                    handle.createUpdate(EnrollmentSql.REVOKE)
                            .bind("id", tokenId)
                            .bind("by", by)
                            .execute();
                    return handle.createQuery(EnrollmentSql.FIND)
                            .bind("id", tokenId)
                            .map((row, _) -> GatewayRowReader.readJoinToken(row))
                            .findOne();
                });
    }

    @Override
    public EnrollmentResult enroll(EnrollmentRequest showing, CertificateIssuer issuer) {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return database.inTransaction(
                        "enrol a node", handle -> enroll(handle, showing, issuer));
            } catch (RollbackWithResult e) {
                if (e.answer.isPresent()) {
                    return e.answer.get();
                }
            }
        }
        return new EnrollmentResult.UnusableToken(
                "Too many ask with this token at once; try again in a moment.");
    }

    private static EnrollmentResult enroll(
            Handle handle, EnrollmentRequest showing, CertificateIssuer issuer) {
        Optional<EnrollmentResult> before = findRepeatedResult(handle, showing);
        if (before.isPresent()) {
            return before.get();
        }
        Optional<JoinTokenMetadata> used =
                handle.createQuery(EnrollmentSql.USE)
                        .bind("id", showing.tokenId())
                        .bind("secret", showing.secret().value())
                        .map((row, _) -> GatewayRowReader.readJoinToken(row))
                        .findOne();
        if (used.isEmpty()) { // a new look: whoever used it up may have been this same asker
            return findRepeatedResult(handle, showing)
                    .orElseGet(() -> findRefusal(handle, showing));
        }
        Optional<NodeId> named = used.get().node();
        if (showing.changesNode(named)) {
            throw new RollbackWithResult(
                    Optional.of(new EnrollmentResult.MachineAlreadyEnrolled(named)));
        }
        return new EnrollmentResult.EnrolledWithCertificate(
                issueCertificate(handle, used.get(), showing, issuer));
    }

    private static Optional<EnrollmentResult> findRepeatedResult(
            Handle handle, EnrollmentRequest showing) {
        return handle.createQuery(EnrollmentSql.BEFORE)
                .bind("id", showing.tokenId())
                .bind("key", showing.publicKey().value())
                .bind("secret", showing.secret().value())
                .map((row, _) -> GatewayRowReader.readIssuedCertificate(row))
                .findOne()
                .map(given -> EnrollmentStore.repeatedResult(given, showing));
    }

    private static EnrollmentResult findRefusal(Handle handle, EnrollmentRequest showing) {
        return handle.createQuery(EnrollmentSql.SHOWN)
                .bind("id", showing.tokenId())
                .bind("secret", showing.secret().value())
                .map((row, _) -> GatewayRowReader.readJoinToken(row))
                .findOne()
                .<EnrollmentResult>map(token -> unusableResult(handle, token))
                .orElseGet(EnrollmentResult.UnknownToken::new);
    }

    /** By the database's clock, which is the one that refused it. */
    private static EnrollmentResult unusableResult(Handle handle, JoinTokenMetadata token) {
        return switch (token.validityAt(GatewayRowReader.readDatabaseTime(handle))) {
            case JoinTokenMetadata.Validity.Unusable(String sentence) ->
                    new EnrollmentResult.UnusableToken(sentence);
            case JoinTokenMetadata.Validity.Valid() ->
                    throw new RollbackWithResult(Optional.empty()); // look again
        };
    }

    private static IssuedCertificate issueCertificate(
            Handle handle,
            JoinTokenMetadata token,
            EnrollmentRequest showing,
            EnrollmentStore.CertificateIssuer issuer) {
        NodeId node = token.node().orElse(showing.generatedNode());
        IssuedCertificate given = issuer.issue(node, upsertNodeGeneration(handle, token, node));
        PostgresCertificateStore.insert(handle, given);
        int _ = // of the machine that was this node before
                PostgresCertificateStore.endCertificates(handle, node, given.generation() - 1);
        int kept =
                handle.createUpdate(EnrollmentSql.ENROLLMENT)
                        .bind("id", token.id())
                        .bind("key", showing.publicKey().value())
                        .bind("serial", given.serial())
                        .execute();
        if (kept == 0) { // the same asker was answered meanwhile: its first answer counts
            throw new RollbackWithResult(Optional.empty());
        }
        return given;
    }

    private static long upsertNodeGeneration(Handle handle, JoinTokenMetadata token, NodeId node) {
        return handle.createQuery(EnrollmentSql.NODE)
                .bind("id", node.value())
                .bind("chain", token.chain().value())
                .bind("type", token.type().value())
                .bind("labels", GatewayRowReader.toJson(token.labels()))
                .mapTo(Long.class)
                .findOne()
                .orElseThrow(
                        () ->
                                new RollbackWithResult(
                                        Optional.of(
                                                new EnrollmentResult.ChainOrTypeConflict(
                                                        readIdentity(handle, node)))));
    }

    private static NodeIdentity readIdentity(Handle handle, NodeId node) {
        return handle.createQuery(EnrollmentSql.IDENTITY)
                .bind("id", node.value())
                .map((row, _) -> GatewayRowReader.readIdentity(row))
                .one();
    }
}
