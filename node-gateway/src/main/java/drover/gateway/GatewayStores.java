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
record GatewayStores(NodeStore nodes, IdentityStore identities, CertificateStore certificates) {
    /**
     * In a database, whose schema is brought up to date.
     *
     * @throws StoreUnavailable when the database is away
     */
    static GatewayStores open(DataSource database) {
        return new GatewayStores(
                PostgresNodeStore.open(database),
                new PostgresIdentityStore(database),
                new PostgresCertificateStore(database));
    }
}
