package drover.coordinator.store;

import drover.coordinator.announce.Happened;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Events and their receivers, from PostgreSQL. */
public final class PostgresEventStore implements EventViews, EventSinkStore {
    private final Database database;
    private final Fence fence;

    /** Over the coordinator's schema. */
    public PostgresEventStore(Database database) {
        this.database = database;
        this.fence = new Fence(database);
    }

    @Override
    public List<Happened> after(long seq, Only only, int limit) {
        String rollout = only.rollout().isEmpty() ? "" : " AND h.rollout_id = :rollout::uuid";
        String node = only.node().isEmpty() ? "" : " AND h.node_id = :node";
        return database.read(
                "reading events",
                handle ->
                        handle.createQuery(
                                        "SELECT h.*, r.chain_profile_id, r.binary_name, r.source_version,"
                                                + " r.target_version, r.strategy FROM history h"
                                                + " JOIN rollout r ON r.id = h.rollout_id"
                                                + " WHERE h.seq > :seq"
                                                + rollout
                                                + node
                                                + " ORDER BY h.seq LIMIT :limit")
                                .bind("seq", seq)
                                .bind("limit", limit)
                                .bind("rollout", only.rollout())
                                .bind("node", only.node())
                                .map((row, context) -> happened(row))
                                .list());
    }

    private static Happened happened(ResultSet row) throws SQLException {
        return new Happened(
                row.getLong("seq"),
                row.getString("hash"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                new Happened.About(
                        row.getString("rollout_id"),
                        row.getString("chain_profile_id"),
                        row.getString("binary_name"),
                        row.getString("source_version"),
                        row.getString("target_version"),
                        row.getString("strategy")),
                row.getString("actor"),
                row.getString("subject"),
                row.getString("node_id"),
                row.getString("from_status"),
                row.getString("to_status"),
                row.getString("code"),
                row.getString("sentence"));
    }

    @Override
    public long newest() {
        return database.read("looking for the newest event", PostgresEventStore::newest);
    }

    private static long newest(Handle handle) {
        return handle.createQuery("SELECT coalesce(max(seq), 0) FROM history")
                .mapTo(Long.class)
                .one();
    }

    @Override
    public Optional<String> hashOf(long seq) {
        return database.read(
                "looking for an event",
                handle ->
                        handle.createQuery("SELECT hash FROM history WHERE seq = :seq")
                                .bind("seq", seq)
                                .mapTo(String.class)
                                .findOne());
    }

    @Override
    public List<Sink> sinks() {
        return database.read(
                "looking at the receivers of events",
                handle ->
                        handle.createQuery(
                                        "SELECT s.*, (SELECT count(*) FROM (SELECT 1 FROM history h"
                                                + " WHERE h.seq > s.through LIMIT 100000) late) AS behind"
                                                + " FROM event_sink s JOIN leader_epoch USING (epoch)"
                                                + " ORDER BY s.name")
                                .map((row, context) -> sink(row))
                                .list());
    }

    private static Sink sink(ResultSet row) throws SQLException {
        @Nullable OffsetDateTime since = row.getObject("failing_since", OffsetDateTime.class);
        return new Sink(
                row.getString("name"),
                row.getString("kind"),
                row.getLong("through"),
                row.getLong("behind"),
                since == null ? null : since.toInstant(),
                row.getString("problem"));
    }

    @Override
    public OptionalLong enroll(long epoch, String name, String kind) {
        return fence.write(
                "looking how far a receiver of events is",
                epoch,
                OptionalLong.empty(),
                handle ->
                        OptionalLong.of(
                                handle.createQuery(
                                                "INSERT INTO event_sink (name, kind, through, epoch)"
                                                        + " VALUES (:name, :kind, :newest, :epoch)"
                                                        + " ON CONFLICT (name) DO UPDATE SET"
                                                        + " kind = excluded.kind, epoch = excluded.epoch"
                                                        + " RETURNING through")
                                        .bind("name", name)
                                        .bind("kind", kind)
                                        .bind("newest", newest(handle))
                                        .bind("epoch", epoch)
                                        .mapTo(Long.class)
                                        .one()));
    }

    @Override
    public boolean taken(long epoch, String name, long through) {
        return fence.write(
                "marking events as taken",
                epoch,
                false,
                handle -> {
                    handle.createUpdate(
                                    "UPDATE event_sink SET through = greatest(through, :through),"
                                            + " failing_since = NULL, problem = '' WHERE name = :name")
                            .bind("through", through)
                            .bind("name", name)
                            .execute();
                    return true;
                });
    }

    @Override
    public boolean refused(long epoch, String name, String problem) {
        return fence.write(
                "noting that events are not taken",
                epoch,
                false,
                handle -> {
                    handle.createUpdate(
                                    "UPDATE event_sink SET problem = :problem,"
                                            + " failing_since = coalesce(failing_since, now())"
                                            + " WHERE name = :name")
                            .bind("problem", problem)
                            .bind("name", name)
                            .execute();
                    return true;
                });
    }
}
