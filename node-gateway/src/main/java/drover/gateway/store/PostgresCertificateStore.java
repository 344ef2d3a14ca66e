package drover.gateway.store;

import drover.gateway.identity.Bar;
import drover.gateway.identity.GivenCertificate;
import drover.gateway.identity.Proof;
import drover.gateway.identity.Revocation;
import drover.gateway.identity.ShownCertificate.Worth;
import drover.gateway.store.IdentityStore.Issuer;
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
public final class PostgresCertificateStore implements CertificateStore {
    private final GatewayDatabase database;

    /** In a database whose schema {@link PostgresNodeStore#open} brought up to date. */
    public PostgresCertificateStore(DataSource database) {
        this.database = new GatewayDatabase(database);
    }

    @Override
    public Optional<Shown> show(String serial) {
        return database.doing(
                "look at a certificate",
                handle -> {
                    handle.createUpdate(CertificateSql.SHOW).bind("serial", serial).execute();
                    Optional<Shown> shown = shown(handle, CertificateSql.SHOWN, serial);
                    return shown.filter(PostgresCertificateStore::isCopy).isPresent()
                            ? judgedAlone(handle, serial, shown.get().node().id())
                            : shown;
                });
    }

    private static Optional<Shown> shown(Handle handle, String statement, String serial) {
        return handle.createQuery(statement)
                .bind("serial", serial)
                .map((row, _) -> NodeRows.shown(row))
                .findOne();
    }

    /**
     * Whoever enrolls the machine anew at this moment comes before or after, never between. In the
     * order of {@link #revoked}: join tokens, then the node; so one that is made between the two
     * stands, as one that is made afterwards does.
     */
    private static Optional<Shown> judgedAlone(Handle handle, String serial, NodeId node) {
        List<String> joinTokens =
                handle.createQuery(CertificateSql.HOLD_JOIN_TOKENS)
                        .bind("node", node.value())
                        .mapTo(String.class)
                        .list();
        Optional<Shown> shown = shown(handle, CertificateSql.SHOWN_ALONE, serial);
        shown.filter(PostgresCertificateStore::isCopy)
                .ifPresent(
                        _ -> {
                            int _ = bar(handle, node, Bar.COPIED);
                            endHeld(handle, joinTokens);
                        });
        return shown;
    }

    /** Whoever copied the identity may have copied them, too. */
    private static void endHeld(Handle handle, List<String> joinTokens) {
        handle.createUpdate(CertificateSql.END_HELD)
                .bindArray("ids", String.class, joinTokens)
                .bind("by", LOCKED_BY)
                .execute();
    }

    private static boolean isCopy(Shown shown) {
        return shown.certificate().at(shown.now()) instanceof Worth.Copy;
    }

    @Override
    public Optional<GivenCertificate> renew(String serial, Digest publicKey, Issuer issuer) {
        return database.doing(
                "renew a certificate",
                handle ->
                        handle.createQuery(CertificateSql.LOCK)
                                .bind("serial", serial)
                                .mapTo(String.class)
                                .findOne()
                                .map(NodeId::new)
                                .flatMap(node -> renew(handle, node, publicKey, issuer)));
    }

    private static Optional<GivenCertificate> renew(
            Handle handle, NodeId node, Digest publicKey, Issuer issuer) {
        Optional<GivenCertificate> before =
                handle.createQuery(CertificateSql.BEFORE)
                        .bind("node", node.value())
                        .bind("key", publicKey.value())
                        .map((row, _) -> NodeRows.given(row))
                        .findOne();
        return before.isPresent()
                ? before
                : next(handle, node)
                        .map(generation -> keep(handle, issuer.issue(node, generation)));
    }

    private static Optional<Long> next(Handle handle, NodeId node) {
        return handle.createQuery(CertificateSql.NEXT)
                .bind("node", node.value())
                .bind("most", MOST_UNSHOWN)
                .mapTo(Long.class)
                .findOne();
    }

    private static GivenCertificate keep(Handle handle, GivenCertificate given) {
        insert(handle, given);
        handle.createUpdate(CertificateSql.FORGET).bind("node", given.node().value()).execute();
        return given;
    }

    /** Remembers a certificate that was made. */
    static void insert(Handle handle, GivenCertificate given) {
        handle.createUpdate(IdentitySql.CERTIFICATE)
                .bind("serial", given.serial())
                .bind("node", given.node().value())
                .bind("generation", given.generation())
                .bind("key", given.publicKey().value())
                .bind("expires", given.expiresAt().atOffset(ZoneOffset.UTC))
                .bind("pem", given.pem())
                .execute();
    }

    @Override
    public Optional<Revocation> revoke(NodeId node, String by) {
        return database.doing(
                "revoke a node",
                handle ->
                        isThere(handle, node)
                                ? Optional.of(revoked(handle, node, by))
                                : Optional.empty());
    }

    /** Nodes are never deleted, so this is known without waiting for anybody. */
    private static boolean isThere(Handle handle, NodeId node) {
        return handle.createQuery(CertificateSql.IS_THERE)
                .bind("node", node.value())
                .mapTo(Boolean.class)
                .one();
    }

    /** In the order in which a machine is enrolled, lest each of the two waits for the other. */
    private static Revocation revoked(Handle handle, NodeId node, String by) {
        int joinTokens = endJoinTokens(handle, node, by);
        return new Revocation(bar(handle, node, Bar.REVOKED), joinTokens);
    }

    /** How many certificates that ended. */
    private static int bar(Handle handle, NodeId node, Bar why) {
        handle.createUpdate(CertificateSql.BAR)
                .bind("node", node.value())
                .bind("why", why.name())
                .execute();
        handle.createUpdate(CertificateSql.END_TOKEN).bind("node", node.value()).execute();
        return end(handle, node, Long.MAX_VALUE);
    }

    private static int endJoinTokens(Handle handle, NodeId node, String by) {
        return handle.createUpdate(CertificateSql.END_JOIN_TOKENS)
                .bind("node", node.value())
                .bind("by", by)
                .execute();
    }

    /** Ends a node's certificates up to this generation; how many were good until then. */
    static int end(Handle handle, NodeId node, long upTo) {
        return handle.createQuery(CertificateSql.END)
                .bind("node", node.value())
                .bind("upTo", upTo)
                .mapTo(Integer.class)
                .one();
    }

    @Override
    public Set<Proof> ended(Collection<Proof.Token> tokens) {
        return database.doing(
                "look for what was ended",
                handle ->
                        Set.copyOf(
                                handle.createQuery(CertificateSql.ENDED)
                                        .bind("apart", CLOCKS_APART.toSeconds())
                                        .bindArray(
                                                "tokens",
                                                String.class,
                                                tokens.stream()
                                                        .map(token -> token.sha256().value())
                                                        .toList())
                                        .map((row, _) -> NodeRows.proof(row))
                                        .list()));
    }

    @Override
    public List<NodeId> locked() {
        return database.doing(
                "look for locked nodes",
                handle ->
                        handle.createQuery(CertificateSql.LOCKED)
                                .bind("most", MOST_LOCKED)
                                .mapTo(String.class)
                                .map(NodeId::new)
                                .list());
    }
}
