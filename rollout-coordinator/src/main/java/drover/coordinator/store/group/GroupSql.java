package drover.coordinator.store.group;

import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.group.GroupViews.NumberedHistoryEntry;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.GroupId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Reads groups out of their rows, and appends to their history. */
public final class GroupSql {
    private GroupSql() {}

    static UUID toUuid(GroupId id) {
        return UUID.fromString(id.value());
    }

    static RolloutGroup readGroup(ResultSet row) throws SQLException {
        GroupId id = new GroupId(row.getString("id"));
        return UnreadableRow.readRow(
                "group " + id,
                () ->
                        new RolloutGroup(
                                id,
                                row.getLong("revision"),
                                StateJson.readGroupSpec(row.getString("spec")),
                                StateJson.readGroupState(row.getString("state")),
                                row.getLong("step"),
                                readSkipped(row)));
    }

    private static Set<Integer> readSkipped(ResultSet row) throws SQLException {
        return Arrays.stream((Integer[]) row.getArray("skipped").getArray())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Appends rows and returns the new head of the chain. */
    public static String appendHistory(
            Handle handle, UUID group, String head, List<HistoryEntry> rows) {
        PreparedBatch batch =
                handle.prepareBatch(
                        "INSERT INTO group_history (group_id, at, epoch, actor, subject, from_status,"
                                + " to_status, code, sentence, prev_hash, hash) VALUES (:group, :at,"
                                + " :epoch, :actor, :subject, :from, :to, :code, :sentence, :previous,"
                                + " :hash)");
        String previous = head;
        for (HistoryEntry row : rows) {
            String hash = row.hashAfter(previous);
            batch.bind("group", group)
                    .bind("at", row.at().atOffset(ZoneOffset.UTC))
                    .bind("epoch", row.epoch())
                    .bind("actor", row.actor())
                    .bind("subject", row.subject())
                    .bind("from", row.from())
                    .bind("to", row.to())
                    .bind("code", row.because().code())
                    .bind("sentence", row.because().sentence())
                    .bind("previous", previous)
                    .bind("hash", hash)
                    .add();
            previous = hash;
        }
        if (batch.size() > 0) {
            batch.execute();
        }
        return previous;
    }

    public static NumberedHistoryEntry readEntry(ResultSet row) throws SQLException {
        return new NumberedHistoryEntry(
                row.getLong("seq"),
                new HistoryEntry(
                        row.getObject("at", OffsetDateTime.class).toInstant(),
                        row.getLong("epoch"),
                        row.getString("actor"),
                        row.getString("subject"),
                        "",
                        row.getString("from_status"),
                        row.getString("to_status"),
                        new Cause(row.getString("code"), row.getString("sentence"))));
    }

    static String kind(GroupRequest request) {
        return StateJson.typeName(request.getClass());
    }

    static int acknowledgedFailures(GroupRequest request) {
        return request instanceof GroupRequest.Resume(int acknowledged) ? acknowledged : 0;
    }

    static GroupRequest toRequest(String kind, int acknowledged) {
        return switch (kind) {
            case "start" -> new GroupRequest.Start();
            case "pause" -> new GroupRequest.Pause();
            case "resume" -> new GroupRequest.Resume(acknowledged);
            case "cancel" -> new GroupRequest.Cancel();
            case "rollback" -> new GroupRequest.Rollback();
            case "skip" -> new GroupRequest.Skip();
            default -> new GroupRequest.Unknown(kind); // a later version's: refused by the rules
        };
    }
}
