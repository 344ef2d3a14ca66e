package drover.gateway.store;

import drover.gateway.identity.Bar;
import drover.gateway.identity.GivenCertificate;
import drover.gateway.store.IdentityStore.Issuer;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.postgres.PostgresPlugin;

/** What nodes dial with, in the schema {@code gateway}. */
public final class PostgresCertificateStore implements CertificateStore {
    private final Jdbi jdbi;

    /** In a database whose schema {@link PostgresNodeStore#open} brought up to date. */
    public PostgresCertificateStore(DataSource database) {
        this.jdbi = Jdbi.create(database).installPlugin(new PostgresPlugin());
    }

    @Override
    public Optional<Shown> show(String serial) {
        return doing(
                "look at a certificate",
                handle -> {
                    handle.createUpdate(CertificateSql.SHOW).bind("serial", serial).execute();
                    return handle.createQuery(CertificateSql.SHOWN)
                            .bind("serial", serial)
                            .map((row, _) -> NodeRows.shown(row))
                            .findOne();
                });
    }

    @Override
    public Optional<GivenCertificate> renew(String serial, Digest publicKey, Issuer issuer) {
        return doing(
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
    public boolean bar(NodeId node, Bar why) {
        return doing(
                "bar a node",
                handle -> {
                    int found =
                            handle.createUpdate(CertificateSql.BAR)
                                    .bind("node", node.value())
                                    .bind("why", why.name())
                                    .execute();
                    end(handle, node, Long.MAX_VALUE);
                    return found > 0;
                });
    }

    /** Ends a node's certificates up to this generation. */
    static void end(Handle handle, NodeId node, long upTo) {
        handle.createUpdate(CertificateSql.END)
                .bind("node", node.value())
                .bind("upTo", upTo)
                .execute();
    }

    @Override
    public List<NodeId> barred() {
        return doing(
                "look for barred nodes",
                handle ->
                        handle.createQuery(CertificateSql.BARRED)
                                .bind("within", LATELY.toSeconds())
                                .mapTo(String.class)
                                .map(NodeId::new)
                                .list());
    }

    private <T> T doing(String what, Function<Handle, T> work) {
        try {
            return jdbi.inTransaction(work::apply);
        } catch (JdbiException e) {
            throw new StoreUnavailable(what, e);
        }
    }
}
