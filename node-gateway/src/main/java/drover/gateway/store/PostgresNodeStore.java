package drover.gateway.store;

import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.postgres.PostgresPlugin;

/** Nodes and gateways in the schema {@code gateway} of PostgreSQL 15 or later. */
public final class PostgresNodeStore implements NodeStore {
    private final Jdbi jdbi;

    private PostgresNodeStore(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /** Brings the schema up to date and opens it. */
    public static PostgresNodeStore open(DataSource database) {
        try {
            var _ =
                    Flyway.configure()
                            .dataSource(database)
                            .schemas("gateway")
                            .table("schema_history")
                            .locations("classpath:db/gateway")
                            .load()
                            .migrate();
        } catch (FlywayException e) {
            throw new StoreUnavailable("bring its schema up to date", e);
        }
        return new PostgresNodeStore(Jdbi.create(database).installPlugin(new PostgresPlugin()));
    }

    private static final String COLUMNS =
            """
            n.id, n.chain_profile_id, n.node_type, n.labels, n.token_sha256, n.agent_version,
            n.runtime, n.platform, n.features, n.attempt_floor, n.programs, n.last_seen_at,
            CASE WHEN g.id IS NULL THEN '' ELSE n.gateway_id END AS live_gateway_id
            """;

    private static final String JOIN =
            """
            FROM gateway.node n LEFT JOIN gateway.gateway g
              ON g.id = n.gateway_id AND g.seen_at > now() - make_interval(secs => :life)
            """;

    /** The names in the JSON are those of {@link Inventory}. */
    private static final String RECORD =
            """
            UPDATE gateway.node n
            SET gateway_id = s.gateway_id, agent_version = s.agent_version, runtime = s.runtime,
                platform = s.platform, features = s.features, attempt_floor = s.attempt_floor,
                programs = s.programs
            FROM (
              SELECT u.id, u.connected, CASE WHEN u.connected THEN :gateway ELSE '' END AS gateway_id,
                     u.inventory ->> 'agentVersion' AS agent_version,
                     u.inventory ->> 'runtime' AS runtime, u.inventory ->> 'platform' AS platform,
                     u.inventory -> 'features' AS features, u.inventory -> 'programs' AS programs,
                     CAST(u.inventory ->> 'attemptFloor' AS bigint) AS attempt_floor
              FROM (SELECT id, connected, CAST(inventory AS jsonb) AS inventory
                    FROM unnest(:ids, :connected, :inventories) AS t(id, connected, inventory)) u) s
            WHERE n.id = s.id AND (s.connected OR n.gateway_id IN ('', :gateway))
              AND (n.gateway_id, n.agent_version, n.runtime, n.platform, n.features,
                   n.attempt_floor, n.programs)
                IS DISTINCT FROM (s.gateway_id, s.agent_version, s.runtime, s.platform, s.features,
                   s.attempt_floor, s.programs)
            """;

    @Override
    public Registration register(NodeIdentity node, Digest tokenSha256) {
        return doing("register a node", handle -> register(handle, node, tokenSha256));
    }

    private static Registration register(Handle handle, NodeIdentity node, Digest token) {
        handle.createUpdate(
                        """
                        INSERT INTO gateway.node (id, chain_profile_id, node_type, labels, token_sha256)
                        SELECT :id, :chain, :type, CAST(:labels AS jsonb), :token
                        WHERE NOT EXISTS
                          (SELECT 1 FROM gateway.node WHERE token_sha256 = :token AND id <> :id)
                        ON CONFLICT (id) DO UPDATE
                        SET labels = excluded.labels, token_sha256 = excluded.token_sha256
                        WHERE node.chain_profile_id = excluded.chain_profile_id
                          AND node.node_type = excluded.node_type
                          AND (node.labels, node.token_sha256)
                            IS DISTINCT FROM (excluded.labels, excluded.token_sha256)
                        """)
                .bind("id", node.id().value())
                .bind("chain", node.chain().value())
                .bind("type", node.type().value())
                .bind("labels", NodeRows.toJson(node.labels()))
                .bind("token", token.value())
                .execute();
        Optional<StoredNode> present = find(handle, node.id());
        if (present.filter(found -> !sameIdentity(found.node(), node)).isPresent()) {
            return new Registration.IdentityFixed(present.get().node());
        }
        return present.filter(_ -> holdsToken(handle, node.id(), token))
                .<Registration>map(Registration.Registered::new)
                .orElseGet(Registration.TokenTaken::new);
    }

    private static boolean sameIdentity(NodeIdentity one, NodeIdentity other) {
        return one.chain().equals(other.chain()) && one.type().equals(other.type());
    }

    private static boolean holdsToken(Handle handle, NodeId node, Digest token) {
        return handle.createQuery(
                                "SELECT count(*) FROM gateway.node WHERE id = :id AND token_sha256 = :token")
                        .bind("id", node.value())
                        .bind("token", token.value())
                        .mapTo(Integer.class)
                        .one()
                > 0;
    }

    private static Optional<StoredNode> find(Handle handle, NodeId id) {
        return handle.createQuery("SELECT " + COLUMNS + JOIN + "WHERE n.id = :id")
                .bind("id", id.value())
                .bind("life", GATEWAY_LIFE.toSeconds())
                .map((row, _) -> NodeRows.storedNode(row))
                .findOne();
    }

    @Override
    public Optional<Credential> credential(Digest tokenSha256) {
        return doing(
                "look up a token",
                handle ->
                        handle.createQuery(
                                        """
                                        SELECT id, chain_profile_id, node_type, labels, token_sha256
                                        FROM gateway.node WHERE token_sha256 = :token
                                        """)
                                .bind("token", tokenSha256.value())
                                .map((row, _) -> NodeRows.credential(row))
                                .findOne());
    }

    @Override
    public List<StoredNode> list(Query query) {
        return doing(
                "list nodes",
                handle ->
                        handle.createQuery(
                                        "SELECT "
                                                + COLUMNS
                                                + JOIN
                                                + """
                                                WHERE (:chain = '' OR n.chain_profile_id = :chain)
                                                  AND (:type = '' OR n.node_type = :type)
                                                  AND (cardinality(:ids) = 0 OR n.id = ANY (:ids))
                                                  AND n.id > :after
                                                ORDER BY n.id LIMIT :limit
                                                """)
                                .bind("chain", query.chain())
                                .bind("type", query.type())
                                .bindArray("ids", String.class, texts(query.ids()))
                                .bind("after", query.after())
                                .bind("limit", query.limit())
                                .bind("life", GATEWAY_LIFE.toSeconds())
                                .map((row, _) -> NodeRows.storedNode(row))
                                .list());
    }

    /** Rows that would not change are not written: most nodes connect as they left. */
    @Override
    public void record(String gatewayId, Collection<Sighting> sightings) {
        if (sightings.isEmpty()) {
            return;
        }
        List<Sighting> all = List.copyOf(sightings);
        doing(
                "write inventories",
                handle ->
                        handle.createUpdate(RECORD)
                                .bind("gateway", gatewayId)
                                .bindArray("ids", String.class, texts(all, s -> s.node().value()))
                                .bindArray(
                                        "connected",
                                        Boolean.class,
                                        all.stream().map(Sighting::connected).toList())
                                .bindArray(
                                        "inventories",
                                        String.class,
                                        texts(all, s -> NodeRows.toJson(s.inventory())))
                                .execute());
    }

    @Override
    public void heard(Map<NodeId, Duration> ago) {
        if (ago.isEmpty()) {
            return;
        }
        List<Map.Entry<NodeId, Duration>> entries = List.copyOf(ago.entrySet());
        doing(
                "write when nodes were heard of",
                handle ->
                        handle.createUpdate(
                                        """
                                        UPDATE gateway.node n
                                        SET last_seen_at = greatest(
                                          n.last_seen_at, now() - s.ago * interval '1 millisecond')
                                        FROM unnest(:ids, :agos) AS s(id, ago) WHERE n.id = s.id
                                        """)
                                .bindArray(
                                        "ids",
                                        String.class,
                                        entries.stream().map(e -> e.getKey().value()).toList())
                                .bindArray(
                                        "agos",
                                        Long.class,
                                        entries.stream().map(e -> e.getValue().toMillis()).toList())
                                .execute());
    }

    @Override
    public void gatewaySeen(String gatewayId, String address) {
        doing(
                "say that the gateway is alive",
                handle ->
                        handle.createUpdate(
                                        """
                                        INSERT INTO gateway.gateway (id, address, seen_at)
                                        VALUES (:id, :address, now())
                                        ON CONFLICT (id) DO UPDATE
                                        SET address = excluded.address, seen_at = excluded.seen_at
                                        """)
                                .bind("id", gatewayId)
                                .bind("address", address)
                                .execute());
    }

    @Override
    public void gatewayGone(String gatewayId) {
        doing(
                "say that the gateway goes away",
                handle -> handle.execute("DELETE FROM gateway.gateway WHERE id = ?", gatewayId));
    }

    @Override
    public Map<String, String> gateways() {
        return doing(
                "list gateways",
                handle -> {
                    Map<String, String> alive = new TreeMap<>();
                    handle.createQuery(
                                    """
                                    SELECT id, address FROM gateway.gateway
                                    WHERE seen_at > now() - make_interval(secs => :life)
                                    """)
                            .bind("life", GATEWAY_LIFE.toSeconds())
                            .mapToMap(String.class)
                            .forEach(row -> alive.put(row.get("id"), row.get("address")));
                    return alive;
                });
    }

    private static List<String> texts(List<NodeId> ids) {
        return ids.stream().map(NodeId::value).toList();
    }

    private static List<String> texts(List<Sighting> sightings, Function<Sighting, String> column) {
        return sightings.stream().map(column).toList();
    }

    private <T> T doing(String what, Function<Handle, T> work) {
        try {
            return jdbi.inTransaction(work::apply);
        } catch (JdbiException e) {
            throw new StoreUnavailable(what, e);
        }
    }
}
