package drover.coordinator.store.create;

import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.HistorySql;
import drover.coordinator.store.rollout.NodeUpgradeWriteSql;
import drover.coordinator.store.sql.ContentTableLock;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StateJson;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Writes new rollouts into PostgreSQL. */
public final class PostgresRolloutCreationStore implements RolloutCreationStore {
    private static final int KEYS = 0x4B455953; // "KEYS": apart from every other lock

    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresRolloutCreationStore(Database database) {
        this.database = database;
    }

    @Override
    public CreationResult create(NewRollout created) {
        return database.write("writing a new rollout", handle -> create(handle, created));
    }

    private static CreationResult create(Handle handle, NewRollout created) {
        Optional<ExistingRollout> earlier = lockAndFindExisting(handle, created);
        if (earlier.isPresent()) {
            return new CreationResult.Repeated(earlier.get());
        }
        Rollout rollout = created.rollout();
        UUID id = UUID.fromString(rollout.id().value());
        Optional<String> owner = claimChainOrFindOwner(handle, rollout.spec().chain().value(), id);
        if (owner.isPresent()) {
            return new CreationResult.ChainBusy(new RolloutId(owner.get()));
        }
        insertWithoutChainClaim(handle, created);
        return new CreationResult.Written();
    }

    /** Everything of a rollout but the claim of its chain, which a group has for its components. */
    public static void insertWithoutChainClaim(Handle handle, NewRollout created) {
        Rollout rollout = created.rollout();
        UUID id = UUID.fromString(rollout.id().value());
        insertRollout(handle, id, created);
        insertBatches(handle, id, rollout.batches());
        NodeUpgradeWriteSql.insert(handle, id, rollout.nodes().values());
        insertContentsAndPayloads(handle, id, created);
        List<HistoryEntry> history =
                created.history().stream()
                        .map(
                                transition ->
                                        HistoryEntry.of(
                                                transition,
                                                rollout.state().since(),
                                                0,
                                                created.actor()))
                        .toList();
        handle.createUpdate("UPDATE rollout SET history_head = :head WHERE id = :id")
                .bind("head", HistorySql.headAfter(HistoryEntry.GENESIS, history))
                .bind("id", id)
                .execute();
        HistorySql.append(handle, id, HistoryEntry.GENESIS, history);
    }

    /**
     * The rollout that a call with the same key has written. Calls with one key write one after the
     * other, so that whoever comes second finds it, before it finds the chain taken by it.
     */
    private static Optional<ExistingRollout> lockAndFindExisting(
            Handle handle, NewRollout created) {
        if (created.key().isEmpty()) {
            return Optional.empty();
        }
        lockIdempotencyKey(handle, created.actor(), created.key());
        return findByIdempotencyKey(handle, created.actor(), created.key());
    }

    /** Until the end of the transaction nobody else writes with this key. */
    public static void lockIdempotencyKey(Handle handle, String actor, String key) {
        handle.execute("SELECT pg_advisory_xact_lock(?, hashtext(?))", KEYS, actor + " " + key);
    }

    /** Who has the chain, or empty when it is now claimed for this rollout or group. */
    public static Optional<String> claimChainOrFindOwner(Handle handle, String chain, UUID id) {
        int claimed =
                handle.createUpdate(
                                "INSERT INTO chain_claim (chain_profile_id, owner) VALUES (:chain, :owner)"
                                        + " ON CONFLICT DO NOTHING")
                        .bind("chain", chain)
                        .bind("owner", id)
                        .execute();
        if (claimed == 1) {
            return Optional.empty();
        }
        return handle.createQuery(
                        "SELECT owner::text FROM chain_claim WHERE chain_profile_id = :chain")
                .bind("chain", chain)
                .mapTo(String.class)
                .findOne()
                .or(() -> Optional.of(id.toString()));
    }

    private static void insertRollout(Handle handle, UUID id, NewRollout created) {
        Rollout rollout = created.rollout();
        RolloutSpec spec = rollout.spec();
        NodeCounters counters = rollout.counters();
        handle.createUpdate(
                        "INSERT INTO rollout (id, group_id, component_index, chain_profile_id, node_type, binary_name, source_version,"
                                + " target_version, target_binary_url, target_binary_checksum, strategy,"
                                + " manifest_content_hash, spec, state, total_nodes, pending_nodes,"
                                + " skipped_nodes, not_rollbackable_nodes, canary_seed, history_head,"
                                + " trace_id, created_by, plan)"
                                + " VALUES (:id, :group::uuid, :index, :chain, :type, :binary, :source, :target, :url, :checksum,"
                                + " :strategy, :manifest, :spec::jsonb, :state::jsonb, :total, :pending,"
                                + " :skipped, :noWayBack, :seed, :head, :trace, :actor, :plan)")
                .bind("id", id)
                .bind("group", spec.isInGroup() ? spec.membership().group() : null)
                .bind("index", spec.membership().index())
                .bind("chain", spec.chain().value())
                .bind("type", spec.nodeType())
                .bind("binary", spec.binary().value())
                .bind(
                        "source",
                        spec.sourceVersions().stream()
                                .map(Version::value)
                                .collect(Collectors.joining(",")))
                .bind("target", spec.targetVersion().value())
                .bind("url", spec.targetUrl())
                .bind("checksum", spec.targetDigest().value())
                .bind("strategy", StateJson.typeName(spec.strategy().getClass()))
                .bind("manifest", spec.manifestHash())
                .bind("spec", StateJson.write(spec))
                .bind("state", StateJson.write(rollout.state()))
                .bind("total", counters.total())
                .bind("pending", counters.pending())
                .bind("skipped", counters.skipped())
                .bind("noWayBack", rollout.notRollbackableCount())
                .bind("seed", created.canarySeed())
                .bind("head", HistoryEntry.GENESIS)
                .bind("trace", created.traceId())
                .bind("actor", created.actor())
                .bind("plan", created.plan())
                .execute();
    }

    private static void insertBatches(Handle handle, UUID id, List<Batch> batches) {
        PreparedBatch sql =
                handle.prepareBatch(
                        "INSERT INTO rollout_batch (rollout_id, batch_index, canary, phase, since)"
                                + " VALUES (:id, :index, :canary, :phase, :since)");
        for (Batch batch : batches) {
            sql.bind("id", id)
                    .bind("index", batch.index())
                    .bind("canary", batch.canary())
                    .bind("phase", StateNameFormatter.of(batch.phase()))
                    .bind("since", batch.since().atOffset(ZoneOffset.UTC))
                    .add();
        }
        if (sql.size() > 0) {
            sql.execute();
        }
    }

    private static void insertContentsAndPayloads(Handle handle, UUID id, NewRollout created) {
        PreparedBatch contents =
                handle.prepareBatch(
                        "INSERT INTO content (digest, data) VALUES (:digest, :data) ON CONFLICT DO NOTHING");
        ContentTableLock.lockShared(handle); // or what is there already might go
        created.contents()
                .forEach(
                        (digest, data) -> contents.bind("digest", digest).bind("data", data).add());
        if (contents.size() > 0) {
            contents.execute();
            handle.createUpdate(
                            "INSERT INTO content_of_rollout (rollout_id, digest)"
                                    + " SELECT :id, unnest(:digests::text[])")
                    .bind("id", id)
                    .bindArray("digests", String.class, List.copyOf(created.contents().keySet()))
                    .execute();
        }
        PreparedBatch payloads =
                handle.prepareBatch(
                        "INSERT INTO payload (rollout_id, node_id, digest, body)"
                                + " VALUES (:id, :node, :digest, :body)");
        created.payloads()
                .forEach(
                        (node, body) ->
                                payloads.bind("id", id)
                                        .bind("node", node.value())
                                        .bind("digest", drover.model.Digest.of(body).value())
                                        .bind("body", body)
                                        .add());
        if (payloads.size() > 0) {
            payloads.execute();
        }
        if (!created.key().isEmpty()) {
            handle.createUpdate(
                            "INSERT INTO creation_key (actor, idempotency_key, request_digest, rollout_id)"
                                    + " VALUES (:actor, :key, :digest, :id)")
                    .bind("actor", created.actor())
                    .bind("key", created.key())
                    .bind("digest", created.requestDigest())
                    .bind("id", id)
                    .execute();
        }
    }

    @Override
    public Optional<ExistingRollout> findByIdempotencyKey(String actor, String key) {
        return database.read(
                "looking for an earlier creation",
                handle -> findByIdempotencyKey(handle, actor, key));
    }

    @Override
    public Map<NodeId, VerifiedProgram> findVerifiedByLastAttempt(
            BinaryName program, Collection<NodeId> nodes) {
        return database.read(
                "looking for what nodes were last proven to run",
                handle -> LastVerifiedProgramSql.findVerifiedByLastAttempt(handle, program, nodes));
    }

    private static Optional<ExistingRollout> findByIdempotencyKey(
            Handle handle, String actor, String key) {
        return handle.createQuery(
                        "SELECT rollout_id::text, request_digest FROM creation_key"
                                + " WHERE actor = :actor AND idempotency_key = :key")
                .bind("actor", actor)
                .bind("key", key)
                .map(
                        (row, context) ->
                                new ExistingRollout(
                                        new RolloutId(row.getString(1)), row.getString(2)))
                .findOne();
    }
}
