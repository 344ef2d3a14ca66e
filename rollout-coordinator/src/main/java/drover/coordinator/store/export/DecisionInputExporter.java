package drover.coordinator.store.export;

import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StateJson;
import drover.model.RolloutId;
import java.util.List;
import java.util.UUID;

/**
 * What the steps of rollouts were decided from, as it was recorded with them (invariant A20). For
 * replays: nothing that runs depends on it.
 */
public final class DecisionInputExporter {
    private final Database database;

    /** Over the coordinator's schema. */
    public DecisionInputExporter(Database database) {
        this.database = database;
    }

    /** Each as one line of JSON, in the order of the revisions. */
    public List<String> exportJsonLines(RolloutId id) {
        return database.read(
                "reading what a rollout was decided from",
                handle ->
                        handle.createQuery(
                                        "SELECT inputs FROM decision WHERE rollout_id = :id"
                                                + " ORDER BY revision")
                                .bind("id", UUID.fromString(id.value()))
                                .mapTo(String.class)
                                .list());
    }

    /** Reads a line of an export. */
    public static RecordedDecisionInput parseJsonLine(String line) {
        return StateJson.readDecision(line);
    }
}
