package drover.gateway;

import drover.gateway.store.EnrollmentStore;
import drover.gateway.store.NodeCertificateStore;
import drover.gateway.store.NodeStore;
import drover.gateway.store.PostgresCertificateStore;
import drover.gateway.store.PostgresEnrollmentStore;
import drover.gateway.store.PostgresNodeStore;
import drover.gateway.store.StoreUnavailable;
import javax.sql.DataSource;

/** What a gateway remembers. */
record GatewayStores(
        NodeStore nodes, EnrollmentStore identities, NodeCertificateStore certificates) {
    /**
     * In a database, whose schema is brought up to date.
     *
     * @throws StoreUnavailable when the database is away
     */
    static GatewayStores migrateAndOpen(DataSource database) {
        return new GatewayStores(
                PostgresNodeStore.migrateAndOpen(database),
                new PostgresEnrollmentStore(database),
                new PostgresCertificateStore(database));
    }
}
