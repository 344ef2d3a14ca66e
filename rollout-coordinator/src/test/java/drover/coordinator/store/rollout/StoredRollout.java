package drover.coordinator.store.rollout;

import drover.agent.v1.UpgradeWork;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Writes rollouts and steps of theirs for tests, as creation and the loops do. */
public final class StoredRollout {
    public static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private StoredRollout() {}

    /** Everything that creation freezes. */
    public static RolloutCreationStore.NewRollout fresh(SampleRollout.Plan plan, String key) {
        return fresh(plan, key, NOW);
    }

    /** The same of another program. */
    public static RolloutCreationStore.NewRollout fresh(
            SampleRollout.Plan plan, BinaryName program) {
        return fresh(SampleRollout.of(freshId(), plan, program, NOW), "");
    }

    private static RolloutCreationStore.NewRollout fresh(
            SampleRollout.Plan plan, String key, Instant now) {
        return fresh(SampleRollout.of(freshId(), plan, now), key);
    }

    private static RolloutId freshId() {
        return new RolloutId(UUID.randomUUID().toString());
    }

    private static RolloutCreationStore.NewRollout fresh(Rollout rollout, String key) {
        Map<NodeId, byte[]> payloads = new HashMap<>();
        rollout.nodes()
                .keySet()
                .forEach(
                        node ->
                                payloads.put(
                                        node,
                                        UpgradeWork.newBuilder()
                                                .setTargetVersion("for " + node)
                                                .build()
                                                .toByteArray()));
        return new RolloutCreationStore.NewRollout(
                rollout,
                7,
                "0123456789abcdef0123456789abcdef",
                "alice",
                key,
                Digest.of("request").value(),
                payloads,
                Map.of(Digest.of("content").value(), bytes("content")),
                List.of(
                        new Transition(
                                "rollout",
                                null,
                                "",
                                "pending",
                                new Cause("CREATED", "An operator created it."))));
    }

    public static RolloutId create(TestDatabase database, SampleRollout.Plan plan) {
        return create(database, plan, NOW);
    }

    /** Created at this time. */
    public static RolloutId create(TestDatabase database, SampleRollout.Plan plan, Instant now) {
        RolloutCreationStore.NewRollout fresh = fresh(plan, "", now);
        new PostgresRolloutCreationStore(database.database()).create(fresh);
        return fresh.rollout().id();
    }

    /** The next state of a loaded rollout with one row of history. */
    public static Commit move(
            long epoch, LeaderStore.RolloutWithHistoryHead loaded, RolloutState next) {
        Rollout before = loaded.rollout();
        return commit(epoch, loaded, with(before, next, before.nodes()), List.of(), List.of());
    }

    public static Commit commit(
            long epoch,
            LeaderStore.RolloutWithHistoryHead loaded,
            Rollout after,
            List<Commit.NewAttempt> attempts,
            List<Commit.ReportedAttemptStatus> reports) {
        HistoryEntry row =
                new HistoryEntry(
                        NOW,
                        epoch,
                        "drover",
                        "rollout",
                        "",
                        "here",
                        "there",
                        new Cause("MOVED", "A test moved it."));
        return new Commit(
                epoch,
                loaded.rollout(),
                after.withNextRevision(),
                List.of(row),
                loaded.historyHead(),
                attempts,
                reports,
                List.of());
    }

    /** The same step, and what it opens although no state tells of it. */
    public static Commit opening(Commit step, List<IncidentChange.Open> stalls) {
        return new Commit(
                step.epoch(),
                step.before(),
                step.after(),
                step.history(),
                step.historyHead(),
                step.attempts(),
                step.statuses(),
                step.requests(),
                stalls,
                null);
    }

    static Rollout with(Rollout before, RolloutState state, Map<NodeId, NodeUpgrade> nodes) {
        return new Rollout(
                before.id(),
                before.revision(),
                before.spec(),
                state,
                before.acknowledgedFailures(),
                before.acceptedOffline(),
                before.batches(),
                nodes);
    }

    public static Rollout changing(Rollout before, NodeId node, UnaryOperator<NodeUpgrade> change) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(before.nodes());
        nodes.computeIfPresent(node, (id, was) -> change.apply(was));
        return with(before, before.state(), nodes);
    }

    /** The node with this attempt under way, or heard of. */
    public static NodeUpgrade inAttempt(
            NodeUpgrade was,
            long attempt,
            boolean open,
            long sequence,
            long installedBy,
            String running) {
        return new NodeUpgrade(
                was.target(),
                was.batch(),
                was.state(),
                1,
                attempt,
                open,
                sequence,
                installedBy,
                was.progress(),
                running);
    }

    /** The same, with what runs there as it was. */
    public static NodeUpgrade inAttempt(
            NodeUpgrade was, long attempt, boolean open, long sequence, long installedBy) {
        return inAttempt(was, attempt, open, sequence, installedBy, was.running());
    }

    public static Commit.NewAttempt attempt(NodeId node, long attempt) {
        return attempt(node, attempt, 0);
    }

    public static Commit.NewAttempt attempt(NodeId node, long attempt, long restoreOf) {
        byte[] body = bytes("body " + attempt);
        return new Commit.NewAttempt(node, attempt, restoreOf, body, Digest.of(body).value());
    }

    public static Commit.ReportedAttemptStatus report(
            NodeId node, long attempt, long sequence, String outcome) {
        boolean terminal = !outcome.equals("IN_PROGRESS");
        return new Commit.ReportedAttemptStatus(
                node,
                attempt,
                sequence,
                bytes("report " + sequence),
                outcome,
                terminal,
                outcome.equals("FAILED_ROLLBACK"),
                "",
                "",
                "");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
