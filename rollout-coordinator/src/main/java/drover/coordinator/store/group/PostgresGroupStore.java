package drover.coordinator.store.group;

import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StateJson;
import drover.model.GroupId;
import drover.model.RolloutId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Groups in PostgreSQL. Inserting a request wakes the leader. */
public final class PostgresGroupStore implements GroupStore {
    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresGroupStore(Database database) {
        this.database = database;
    }

    @Override
    public CreationResult create(NewGroup created) {
        return database.write("writing a new group", handle -> create(handle, created));
    }

    private static CreationResult create(Handle handle, NewGroup created) {
        if (!created.key().isEmpty()) {
            PostgresRolloutCreationStore.lockIdempotencyKey(handle, created.actor(), created.key());
            Optional<ExistingGroup> earlier =
                    findByIdempotencyKey(handle, created.actor(), created.key());
            if (earlier.isPresent()) {
                return new CreationResult.Repeated(earlier.get());
            }
        }
        RolloutGroup group = created.group();
        UUID id = GroupSql.toUuid(group.id());
        Optional<String> owner =
                PostgresRolloutCreationStore.claimChainOrFindOwner(
                        handle, group.spec().chain().value(), id);
        if (owner.isPresent()) {
            return new CreationResult.ChainBusy(new RolloutId(owner.get()));
        }
        insert(handle, id, created);
        for (RolloutCreationStore.NewRollout component : created.components()) {
            PostgresRolloutCreationStore.insertWithoutChainClaim(handle, component);
        }
        String head =
                GroupSql.appendHistory(
                        handle,
                        id,
                        HistoryEntry.GENESIS,
                        created.history().stream()
                                .map(
                                        transition ->
                                                HistoryEntry.of(
                                                        transition,
                                                        group.state().since(),
                                                        0,
                                                        created.actor()))
                                .toList());
        handle.createUpdate("UPDATE rollout_group SET history_head = :head WHERE id = :id")
                .bind("head", head)
                .bind("id", id)
                .execute();
        if (!created.key().isEmpty()) {
            handle.createUpdate(
                            "INSERT INTO group_creation_key (actor, idempotency_key, request_digest,"
                                    + " group_id) VALUES (:actor, :key, :digest, :id)")
                    .bind("actor", created.actor())
                    .bind("key", created.key())
                    .bind("digest", created.requestDigest())
                    .bind("id", id)
                    .execute();
        }
        return new CreationResult.Written();
    }

    private static void insert(Handle handle, UUID id, NewGroup created) {
        RolloutGroup group = created.group();
        List<GroupComponent> components = group.spec().components();
        handle.createUpdate(
                        "INSERT INTO rollout_group (id, chain_profile_id, failure_policy,"
                                + " component_order, desired_versions, strategy, spec, state,"
                                + " history_head, created_by) VALUES (:id, :chain, :policy,"
                                + " :order::jsonb, :desired::jsonb, :strategy, :spec::jsonb,"
                                + " :state::jsonb, :head, :actor)")
                .bind("id", id)
                .bind("chain", group.spec().chain().value())
                .bind("policy", group.spec().policy().name().toLowerCase(Locale.ROOT))
                .bind("order", StateJson.write(components))
                .bind(
                        "desired",
                        StateJson.write(
                                components.stream()
                                        .collect(
                                                Collectors.toMap(
                                                        one -> one.binary().value(),
                                                        one -> one.desired().value()))))
                .bind("strategy", group.spec().strategy())
                .bind("spec", StateJson.write(group.spec()))
                .bind("state", StateJson.write(group.state()))
                .bind("head", HistoryEntry.GENESIS)
                .bind("actor", created.actor())
                .execute();
    }

    @Override
    public Optional<ExistingGroup> findByIdempotencyKey(String actor, String key) {
        return database.read(
                "looking for an earlier creation",
                handle -> findByIdempotencyKey(handle, actor, key));
    }

    private static Optional<ExistingGroup> findByIdempotencyKey(
            Handle handle, String actor, String key) {
        return handle.createQuery(
                        "SELECT group_id::text, request_digest FROM group_creation_key"
                                + " WHERE actor = :actor AND idempotency_key = :key")
                .bind("actor", actor)
                .bind("key", key)
                .map(
                        (row, context) ->
                                new ExistingGroup(new GroupId(row.getString(1)), row.getString(2)))
                .findOne();
    }

    @Override
    public SubmitResult submitRequest(
            GroupId id, GroupRequest request, String actor, String key, String reason) {
        return database.write(
                "writing a request to a group down",
                handle ->
                        selectOneIfExists(handle, id).isPresent()
                                ? insert(handle, id, request, actor, key, reason)
                                : new SubmitResult.NoRollout());
    }

    private static Optional<Integer> selectOneIfExists(Handle handle, GroupId id) {
        return handle.createQuery("SELECT 1 FROM rollout_group WHERE id = :id")
                .bind("id", GroupSql.toUuid(id))
                .mapTo(Integer.class)
                .findOne();
    }

    private static SubmitResult insert(
            Handle handle,
            GroupId id,
            GroupRequest request,
            String actor,
            String key,
            String reason) {
        UUID requestId = UUID.randomUUID();
        int written =
                handle.createUpdate(
                                "INSERT INTO group_request (id, group_id, actor, idempotency_key, kind,"
                                        + " acknowledged, reason) VALUES (:id, :group, :actor, :key,"
                                        + " :kind, :acknowledged, :reason)"
                                        + " ON CONFLICT (actor, idempotency_key) DO NOTHING")
                        .bind("id", requestId)
                        .bind("group", GroupSql.toUuid(id))
                        .bind("actor", actor)
                        .bind("key", key)
                        .bind("kind", GroupSql.kind(request))
                        .bind("acknowledged", GroupSql.acknowledgedFailures(request))
                        .bind("reason", reason)
                        .execute();
        return written == 1
                ? new SubmitResult.WrittenNowOrEarlier(requestId)
                : findEarlierRequest(handle, id, request, actor, key);
    }

    private static SubmitResult findEarlierRequest(
            Handle handle, GroupId id, GroupRequest request, String actor, String key) {
        Map<String, Object> row =
                handle.createQuery(
                                "SELECT id::text, group_id::text AS of_group, kind, acknowledged"
                                        + " FROM group_request WHERE actor = :actor"
                                        + " AND idempotency_key = :key")
                        .bind("actor", actor)
                        .bind("key", key)
                        .mapToMap()
                        .one();
        boolean same =
                id.value().equals(row.get("of_group"))
                        && GroupSql.kind(request).equals(row.get("kind"))
                        && Integer.valueOf(GroupSql.acknowledgedFailures(request))
                                .equals(row.get("acknowledged"));
        return same
                ? new SubmitResult.WrittenNowOrEarlier(UUID.fromString((String) row.get("id")))
                : new SubmitResult.KeyReused();
    }

    @Override
    public boolean hasPrunedComponent(GroupId id) {
        return database.read(
                "looking whether a group is past",
                handle ->
                        handle.createQuery(
                                        "SELECT EXISTS (SELECT 1 FROM rollout WHERE group_id = :id"
                                                + " AND pruned_at IS NOT NULL)")
                                .bind("id", UUID.fromString(id.value()))
                                .mapTo(Boolean.class)
                                .one());
    }

    @Override
    public Optional<RequestStatus> requestStatus(UUID id) {
        return database.read(
                "looking at a request",
                handle ->
                        handle.createQuery(
                                        "SELECT state, refusal_code, refusal_sentence FROM group_request"
                                                + " WHERE id = :id")
                                .bind("id", id)
                                .map(
                                        (row, context) ->
                                                new RequestStatus(
                                                        row.getString(1),
                                                        row.getString(2),
                                                        row.getString(3)))
                                .findOne());
    }
}
