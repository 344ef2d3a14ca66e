package drover.coordinator.store.export;

import drover.coordinator.sink.EventSink.RejectedEvent;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Statements of dead letters, within the leader's transactions. */
final class DeadLetterSql {
    private DeadLetterSql() {}

    static void insertRejected(Handle handle, String sink, List<RejectedEvent> rejected) {
        if (rejected.isEmpty()) {
            return;
        }
        PreparedBatch batch =
                handle.prepareBatch(
                        "INSERT INTO dead_letter (sink, seq, event_id, type, subject, problem)"
                                + " VALUES (:sink, :seq, :id, :type, :subject, :problem)"
                                + " ON CONFLICT (sink, seq) DO NOTHING");
        for (RejectedEvent one : rejected) {
            batch.bind("sink", sink)
                    .bind("seq", one.event().entry().seq())
                    .bind("id", one.event().id())
                    .bind("type", one.event().type())
                    .bind("subject", one.event().subject())
                    .bind("problem", one.problem())
                    .add();
        }
        batch.execute();
    }

    static void writeRetryResult(Handle handle, String sink, long seq, String problem) {
        String sql =
                problem.isEmpty()
                        ? "DELETE FROM dead_letter WHERE sink = :sink AND seq = :seq"
                        : "UPDATE dead_letter SET retry = false, attempts = attempts + 1,"
                                + " problem = :problem, rejected_at = now()"
                                + " WHERE sink = :sink AND seq = :seq";
        var update = handle.createUpdate(sql).bind("sink", sink).bind("seq", seq);
        if (!problem.isEmpty()) {
            update.bind("problem", problem);
        }
        update.execute();
    }
}
