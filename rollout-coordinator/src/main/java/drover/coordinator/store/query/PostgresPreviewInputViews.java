package drover.coordinator.store.query;

import drover.coordinator.plan.explain.HashedPlan;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.sql.Database;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** What a plan needs to know, from PostgreSQL. */
public final class PostgresPreviewInputViews implements PreviewInputViews {
    // A median needs no more, and both keep the look cheap: a rollout may have 10,000 nodes.
    private static final int LATEST_ROLLOUTS = 10;
    private static final int LATEST_UPGRADES = 500;

    private final Database database;
    private final PostgresLeaderStore leaderStore;

    /** Facts from the coordinator's schema. */
    public PostgresPreviewInputViews(Database database) {
        this.database = database;
        this.leaderStore = new PostgresLeaderStore(database);
    }

    @Override
    public List<Duration> recentUpgradeDurations(ChainProfileId chain, BinaryName binary) {
        return database.read(
                "measuring earlier upgrades",
                handle ->
                        handle.createQuery(
                                        "WITH latest AS (SELECT id FROM rollout WHERE chain_profile_id = :chain"
                                                + " AND binary_name = :binary AND started_at IS NOT NULL"
                                                + " ORDER BY created_at DESC LIMIT :rollouts),"
                                                // Materialized: what began is looked up for as
                                                // many as are wanted, not for the whole history.
                                                + " done AS MATERIALIZED (SELECT seq, at, node_id, rollout_id"
                                                + " FROM history WHERE rollout_id IN (SELECT id FROM latest)"
                                                + " AND node_id <> '' AND to_status = 'settling'"
                                                + " AND from_status IN ('assigned', 'upgrading')"
                                                + " ORDER BY seq DESC LIMIT :upgrades)"
                                                + " SELECT extract(epoch FROM done.at - begun.at) FROM done"
                                                + " JOIN LATERAL (SELECT h.at FROM history h"
                                                + " WHERE h.node_id = done.node_id AND h.seq < done.seq"
                                                + " AND h.rollout_id = done.rollout_id AND h.node_id <> ''"
                                                + " AND h.to_status = 'assigned' ORDER BY h.seq DESC LIMIT 1) begun"
                                                + " ON true ORDER BY done.seq DESC")
                                .bind("chain", chain.value())
                                .bind("binary", binary.value())
                                .bind("rollouts", LATEST_ROLLOUTS)
                                .bind("upgrades", LATEST_UPGRADES)
                                .mapTo(Double.class)
                                .map(seconds -> Duration.ofMillis(Math.round(seconds * 1_000)))
                                .list());
    }

    @Override
    public Optional<RolloutId> findChainOwner(ChainProfileId chain) {
        return database.read(
                "looking who has a chain",
                handle ->
                        handle.createQuery(
                                        "SELECT owner::text FROM chain_claim WHERE chain_profile_id = :chain")
                                .bind("chain", chain.value())
                                .mapTo(String.class)
                                .findOne()
                                .map(RolloutId::new));
    }

    @Override
    public Optional<HashedPlan> findPlan(RolloutId id) {
        return database.read(
                "reading the plan of a creation",
                handle ->
                        handle.createQuery("SELECT plan FROM rollout WHERE id = :id")
                                .bind("id", UUID.fromString(id.value()))
                                .mapTo(String.class)
                                .findOne()
                                .flatMap(HashedPlan::parse));
    }

    @Override
    public Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes) {
        return leaderStore.findReservations(nodes);
    }

    @Override
    public Map<NodeId, Cause> findDrift(Collection<NodeId> nodes) {
        return database.read(
                "reading drift of nodes",
                handle ->
                        handle.createQuery(
                                        "SELECT node_id, code, sentence FROM incident WHERE standing"
                                                + " AND category = 'drift'"
                                                + " AND node_id = ANY(:nodes::text[])")
                                .bindArray(
                                        "nodes",
                                        String.class,
                                        nodes.stream().map(NodeId::value).toList())
                                .map(
                                        (row, context) ->
                                                Map.entry(
                                                        new NodeId(row.getString(1)),
                                                        new Cause(
                                                                row.getString(2),
                                                                row.getString(3))))
                                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
}
