package drover.coordinator.store.export;

import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.sink.EventSink.RejectedEvent;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Events and their receivers, from PostgreSQL. */
public final class PostgresEventDeliveryStore implements EventViews, EventDeliveryStore {
    private final Database database;
    private final Fence fence;

    /** Over the coordinator's schema. */
    public PostgresEventDeliveryStore(Database database) {
        this.database = database;
        this.fence = new Fence(database);
    }

    @Override
    public List<EventHistoryEntry> findAfter(long seq, RolloutAndNodeFilter only, int limit) {
        return database.read(
                "reading events",
                handle -> EventHistoryReadSql.findAfter(handle, seq, only, limit));
    }

    @Override
    public long newestSequence() {
        return database.read("looking for the newest event", EventHistoryReadSql::newestSequence);
    }

    @Override
    public Optional<String> findHash(long seq) {
        return database.read(
                "looking for an event", handle -> EventHistoryReadSql.findHash(handle, seq));
    }

    @Override
    public List<SinkProgress> sinks() {
        return database.read(
                "looking at the receivers of events",
                handle ->
                        handle.createQuery(
                                        "SELECT s.*, (SELECT count(*) FROM (SELECT 1 FROM history h"
                                                + " WHERE h.seq > s.through LIMIT 100000) late)"
                                                + " + (SELECT count(*) FROM (SELECT 1 FROM incident_event i"
                                                + " WHERE i.seq > s.through LIMIT 100000) late) AS behind,"
                                                + " (SELECT count(*) FROM dead_letter d WHERE d.sink = s.name)"
                                                + " AS dead_letters"
                                                + " FROM event_sink s JOIN leader_epoch USING (epoch)"
                                                + " ORDER BY s.name")
                                .map((row, context) -> readSinkProgress(row))
                                .list());
    }

    private static SinkProgress readSinkProgress(ResultSet row) throws SQLException {
        @Nullable OffsetDateTime since = row.getObject("failing_since", OffsetDateTime.class);
        return new SinkProgress(
                row.getString("name"),
                row.getString("kind"),
                row.getLong("through"),
                row.getLong("behind"),
                since == null ? null : since.toInstant(),
                row.getString("problem"),
                row.getLong("dead_letters"));
    }

    @Override
    public OptionalLong registerSinkAndReadMark(long epoch, String name, String kind) {
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
                                        .bind("newest", EventHistoryReadSql.newestSequence(handle))
                                        .bind("epoch", epoch)
                                        .mapTo(Long.class)
                                        .one()));
    }

    @Override
    public boolean writeDelivered(
            long epoch, String name, long through, List<RejectedEvent> rejected) {
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
                    DeadLetterSql.insertRejected(handle, name, rejected);
                    return true;
                });
    }

    @Override
    public List<EventHistoryEntry> findRequestedRetries(String name, int limit) {
        return database.read(
                "looking for dead letters to send again",
                handle -> EventHistoryReadSql.findRequestedRetries(handle, name, limit));
    }

    @Override
    public boolean writeRetryResult(long epoch, String name, long seq, String problem) {
        return fence.write(
                "storing the result of a redelivery",
                epoch,
                false,
                handle -> {
                    DeadLetterSql.writeRetryResult(handle, name, seq, problem);
                    return true;
                });
    }

    @Override
    public boolean writeSinkFailure(long epoch, String name, String problem) {
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
