package drover.gateway.store;

import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.JoinGrant;
import drover.gateway.session.NodeIdentity;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Join tokens and certificates in the schema {@code gateway}. */
public final class PostgresIdentityStore implements IdentityStore {
    /** A second answer finds what was in its way; a third would need a third asker each time. */
    private static final int ATTEMPTS = 5;

    private final GatewayDatabase database;

    /** In a database whose schema {@link PostgresNodeStore#open} brought up to date. */
    public PostgresIdentityStore(DataSource database) {
        this.database = new GatewayDatabase(database);
    }

    /** Takes a transaction back, with what is to be answered all the same. */
    private static final class TakenBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Optional<Enrolment> answer;

        TakenBack(Optional<Enrolment> answer) {
            super("", null, false, false);
            this.answer = answer;
        }
    }

    @Override
    public void grant(JoinGrant token, Digest secret) {
        int _ =
                database.doing(
                        "keep a join token",
                        handle ->
                                handle.createUpdate(IdentitySql.GRANT)
                                        .bind("id", token.id())
                                        .bind("secret", secret.value())
                                        .bind("node", token.node().map(NodeId::value))
                                        .bind("chain", token.chain().value())
                                        .bind("type", token.type().value())
                                        .bind("labels", NodeRows.toJson(token.labels()))
                                        .bind("maxUses", token.maxUses())
                                        .bind("by", token.createdBy())
                                        .bind("created", token.createdAt().atOffset(ZoneOffset.UTC))
                                        .bind("expires", token.expiresAt().atOffset(ZoneOffset.UTC))
                                        .execute());
    }

    @Override
    public List<JoinGrant> grants() {
        return database.doing(
                "list join tokens",
                handle ->
                        handle.createQuery(IdentitySql.GRANTS)
                                .bind("days", (int) LISTED.toDays())
                                .bind("limit", LARGEST_LIST)
                                .map((row, _) -> NodeRows.grant(row))
                                .list());
    }

    @Override
    public Optional<JoinGrant> revoke(String tokenId, String by) {
        return database.doing(
                "revoke a join token",
                handle -> {
                    handle.createUpdate(IdentitySql.REVOKE)
                            .bind("id", tokenId)
                            .bind("by", by)
                            .execute();
                    return handle.createQuery(IdentitySql.FIND)
                            .bind("id", tokenId)
                            .map((row, _) -> NodeRows.grant(row))
                            .findOne();
                });
    }

    @Override
    public Enrolment enrol(Showing showing, Issuer issuer) {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return database.doing("enrol a node", handle -> enrol(handle, showing, issuer));
            } catch (TakenBack e) {
                if (e.answer.isPresent()) {
                    return e.answer.get();
                }
            }
        }
        return new Enrolment.Spent("Too many ask with this token at once; try again in a moment.");
    }

    private static Enrolment enrol(Handle handle, Showing showing, Issuer issuer) {
        Optional<Enrolment> before = before(handle, showing);
        if (before.isPresent()) {
            return before.get();
        }
        Optional<JoinGrant> used =
                handle.createQuery(IdentitySql.USE)
                        .bind("id", showing.tokenId())
                        .bind("secret", showing.secret().value())
                        .map((row, _) -> NodeRows.grant(row))
                        .findOne();
        if (used.isEmpty()) { // a new look: whoever used it up may have been this same asker
            return before(handle, showing).orElseGet(() -> refusal(handle, showing));
        }
        Optional<NodeId> named = used.get().node();
        if (showing.isAnother(named)) {
            throw new TakenBack(Optional.of(new Enrolment.AnotherNode(named)));
        }
        return new Enrolment.Enrolled(make(handle, used.get(), showing, issuer));
    }

    private static Optional<Enrolment> before(Handle handle, Showing showing) {
        return handle.createQuery(IdentitySql.BEFORE)
                .bind("id", showing.tokenId())
                .bind("key", showing.publicKey().value())
                .bind("secret", showing.secret().value())
                .map((row, _) -> NodeRows.given(row))
                .findOne()
                .map(given -> IdentityStore.answeredBefore(given, showing));
    }

    private static Enrolment refusal(Handle handle, Showing showing) {
        return handle.createQuery(IdentitySql.SHOWN)
                .bind("id", showing.tokenId())
                .bind("secret", showing.secret().value())
                .map((row, _) -> NodeRows.grant(row))
                .findOne()
                .<Enrolment>map(token -> spent(handle, token))
                .orElseGet(Enrolment.Unknown::new);
    }

    /** By the database's clock, which is the one that refused it. */
    private static Enrolment spent(Handle handle, JoinGrant token) {
        return switch (token.at(NodeRows.now(handle))) {
            case JoinGrant.Standing.Spent(String sentence) -> new Enrolment.Spent(sentence);
            case JoinGrant.Standing.Good() -> throw new TakenBack(Optional.empty()); // look again
        };
    }

    private static GivenCertificate make(
            Handle handle, JoinGrant token, Showing showing, IdentityStore.Issuer issuer) {
        NodeId node = token.node().orElse(showing.otherwise());
        GivenCertificate given = issuer.issue(node, generation(handle, token, node));
        PostgresCertificateStore.insert(handle, given);
        int _ = // of the machine that was this node before
                PostgresCertificateStore.end(handle, node, given.generation() - 1);
        int kept =
                handle.createUpdate(IdentitySql.ENROLMENT)
                        .bind("id", token.id())
                        .bind("key", showing.publicKey().value())
                        .bind("serial", given.serial())
                        .execute();
        if (kept == 0) { // the same asker was answered meanwhile: its first answer counts
            throw new TakenBack(Optional.empty());
        }
        return given;
    }

    private static long generation(Handle handle, JoinGrant token, NodeId node) {
        return handle.createQuery(IdentitySql.NODE)
                .bind("id", node.value())
                .bind("chain", token.chain().value())
                .bind("type", token.type().value())
                .bind("labels", NodeRows.toJson(token.labels()))
                .mapTo(Long.class)
                .findOne()
                .orElseThrow(
                        () ->
                                new TakenBack(
                                        Optional.of(
                                                new Enrolment.IdentityFixed(
                                                        identity(handle, node)))));
    }

    private static NodeIdentity identity(Handle handle, NodeId node) {
        return handle.createQuery(IdentitySql.IDENTITY)
                .bind("id", node.value())
                .map((row, _) -> NodeRows.identity(row))
                .one();
    }
}
