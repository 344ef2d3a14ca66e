package drover.gateway;

import drover.gateway.store.CertificateStore;
import drover.gateway.store.IdentityStore;
import drover.gateway.store.NodeStore;
import drover.gateway.store.PostgresCertificateStore;
import drover.gateway.store.PostgresIdentityStore;
import drover.gateway.store.PostgresNodeStore;
import drover.gateway.store.StoreUnavailable;
import javax.sql.DataSource;

/** What a gateway remembers. */
record Memory(NodeStore nodes, IdentityStore identities, CertificateStore certificates) {
    /**
     * In a database, whose schema is brought up to date.
     *
     * @throws StoreUnavailable when the database is away
     */
    static Memory in(DataSource database) {
        return new Memory(
                PostgresNodeStore.open(database),
                new PostgresIdentityStore(database),
                new PostgresCertificateStore(database));
    }
}
