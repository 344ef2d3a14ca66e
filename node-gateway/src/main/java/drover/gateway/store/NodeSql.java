package drover.gateway.store;

/** The statements of {@link PostgresNodeStore}, for PostgreSQL 15 and later. */
final class NodeSql {
    private NodeSql() {}

    /**
     * A new node, or another label or token of one whose identity is the same. A token that was
     * barred is nobody's again; only the node that has it still may say so, and stays barred. So
     * does one that has none: it may have lost it by being retired before it was barred.
     */
    static final String REGISTER =
            """
            INSERT INTO gateway.node (id, chain_profile_id, node_type, labels, token_sha256)
            SELECT :id, :chain, :type, CAST(:labels AS jsonb), :token
            WHERE NOT EXISTS
              (SELECT 1 FROM gateway.node WHERE token_sha256 = :token AND id <> :id)
              AND (NOT EXISTS (SELECT 1 FROM gateway.ended_token WHERE token_sha256 = :token)
                OR EXISTS (SELECT 1 FROM gateway.node WHERE token_sha256 = :token AND id = :id))
            ON CONFLICT (id) DO UPDATE
            SET labels = excluded.labels, token_sha256 = excluded.token_sha256, retired_at = NULL,
              barred_at = CASE WHEN coalesce(node.token_sha256, excluded.token_sha256)
                = excluded.token_sha256 THEN node.barred_at END,
              barred_why = CASE WHEN coalesce(node.token_sha256, excluded.token_sha256)
                = excluded.token_sha256 THEN node.barred_why END
            WHERE node.chain_profile_id = excluded.chain_profile_id
              AND node.node_type = excluded.node_type
              AND (node.labels, node.token_sha256)
                IS DISTINCT FROM (excluded.labels, excluded.token_sha256)
            """;

    /**
     * A new node, or one whose identity is the same and which is to show certificates: it loses its
     * token. A token that was barred stays with its node, which stays barred; and one that is
     * retired stays so, for its certificates are over: enrolling its machine brings it back.
     */
    static final String REGISTER_CERTIFIED =
            """
            INSERT INTO gateway.node (id, chain_profile_id, node_type, labels)
            VALUES (:id, :chain, :type, CAST(:labels AS jsonb))
            ON CONFLICT (id) DO UPDATE
            SET labels = excluded.labels,
              token_sha256 = CASE WHEN node.barred_at IS NOT NULL THEN node.token_sha256 END
            WHERE node.chain_profile_id = excluded.chain_profile_id
              AND node.node_type = excluded.node_type
              AND (node.labels <> excluded.labels
                OR (node.token_sha256 IS NOT NULL AND node.barred_at IS NULL))
            """;

    /**
     * Only while no gateway that is alive holds its session; the same again changes nothing. A
     * token that was barred stays, for a node without one would take it again and be let in.
     */
    static final String RETIRE =
            """
            UPDATE gateway.node n SET retired_at = now(),
              token_sha256 = CASE WHEN n.barred_at IS NOT NULL THEN n.token_sha256 END
            WHERE n.id = :id AND n.retired_at IS NULL AND NOT EXISTS
              (SELECT 1 FROM gateway.gateway g WHERE g.id = n.gateway_id
                AND g.seen_at > now() - make_interval(secs => :life))
            """;

    /** Whether a node has this token. */
    static final String HOLDS_TOKEN =
            """
            SELECT count(*) FROM gateway.node WHERE id = :id AND token_sha256 = :token
            """;

    /** Whether a token was barred once. */
    static final String IS_REVOKED =
            """
            SELECT EXISTS (SELECT 1 FROM gateway.ended_token WHERE token_sha256 = :token)
            """;

    /** Whose token it is. */
    static final String CREDENTIAL =
            """
            SELECT id, chain_profile_id, node_type, labels, token_sha256
            FROM gateway.node WHERE token_sha256 = :token AND barred_at IS NULL
            """;

    /**
     * Nodes with the gateway that holds them, if that gateway is alive, and the one that did last.
     */
    private static final String SELECT =
            """
            SELECT n.id, n.chain_profile_id, n.node_type, n.labels, n.token_sha256, n.agent_version,
              n.runtime, n.platform, n.features, n.attempt_floor, n.programs, n.last_seen_at,
              n.retired_at, n.barred_why, n.gateway_id, now() AS read_at,
              CASE WHEN g.id IS NULL THEN '' ELSE n.gateway_id END AS live_gateway_id
            FROM gateway.node n LEFT JOIN gateway.gateway g
              ON g.id = n.gateway_id AND g.seen_at > now() - make_interval(secs => :life)
            """;

    /** One node. */
    static final String FIND = SELECT + "WHERE n.id = :id";

    /**
     * An empty text or list stands for everything in service; retired nodes are asked for by id.
     */
    private static final String FILTER =
            """
            WHERE (:chain = '' OR n.chain_profile_id = :chain)
              AND (:type = '' OR n.node_type = :type)
              AND (n.id = ANY (:ids) OR (cardinality(:ids) = 0 AND n.retired_at IS NULL))
              AND (CAST(:labels AS jsonb) = '{}' OR n.labels @> CAST(:labels AS jsonb))
              AND n.id > :after
            ORDER BY n.id LIMIT :limit
            """;

    /** Nodes in the order of their ids. */
    static final String LIST = SELECT + FILTER;

    /**
     * Only rows that would change; the names in the JSON are those of the inventory's record. It is
     * materialized so that each inventory is parsed once and not once for each of its fields.
     */
    static final String RECORD =
            """
            WITH u AS MATERIALIZED (
              SELECT id, connected, CAST(inventory AS jsonb) AS inventory
              FROM unnest(:ids, :connected, :inventories) AS t(id, connected, inventory)
            ), s AS MATERIALIZED (
              SELECT u.id, u.connected,
                     CASE WHEN u.connected THEN :gateway ELSE '' END AS gateway_id,
                     u.inventory ->> 'agentVersion' AS agent_version,
                     u.inventory ->> 'runtime' AS runtime, u.inventory ->> 'platform' AS platform,
                     u.inventory -> 'features' AS features, u.inventory -> 'programs' AS programs,
                     CAST(u.inventory ->> 'attemptFloor' AS bigint) AS attempt_floor
              FROM u
            )
            UPDATE gateway.node n
            SET gateway_id = s.gateway_id, agent_version = s.agent_version, runtime = s.runtime,
                platform = s.platform, features = s.features, attempt_floor = s.attempt_floor,
                programs = s.programs
            FROM s
            WHERE n.id = s.id AND (s.connected OR n.gateway_id IN ('', :gateway))
              AND (n.gateway_id, n.agent_version, n.runtime, n.platform, n.features,
                   n.attempt_floor, n.programs)
                IS DISTINCT FROM (s.gateway_id, s.agent_version, s.runtime, s.platform, s.features,
                   s.attempt_floor, s.programs)
            """;

    /** One statement for all nodes; a time is never taken back. */
    static final String LAST_SEEN =
            """
            UPDATE gateway.node n
            SET last_seen_at = greatest(
              n.last_seen_at, now() - s.ago * interval '1 millisecond')
            FROM unnest(:ids, :agos) AS s(id, ago) WHERE n.id = s.id
            """;

    /**
     * By the database's clock, so that gateways need not agree on theirs. Where each start of a
     * gateway brings a new name, those of a day ago are forgotten.
     */
    static final String GATEWAY_HEARTBEAT =
            """
            WITH forgotten AS (
              DELETE FROM gateway.gateway WHERE seen_at < now() - interval '1 day' AND id <> :id
            )
            INSERT INTO gateway.gateway (id, address, seen_at)
            VALUES (:id, :address, now())
            ON CONFLICT (id) DO UPDATE
            SET address = excluded.address, seen_at = excluded.seen_at
            """;

    /** Whatever an earlier process of the same name held when it was killed. */
    static final String GATEWAY_STARTED =
            """
            UPDATE gateway.node SET gateway_id = '' WHERE gateway_id = :id
            """;

    /** Those that are alive. */
    static final String GATEWAYS =
            """
            SELECT id, address FROM gateway.gateway
            WHERE seen_at > now() - make_interval(secs => :life)
            """;
}
