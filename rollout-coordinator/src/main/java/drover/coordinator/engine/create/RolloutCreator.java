package drover.coordinator.engine.create;

import drover.coordinator.peers.CommandBodySerializer;
import drover.coordinator.peers.ManifestServiceLink;
import drover.coordinator.peers.ManifestServiceLink.RenderedConfigs;
import drover.coordinator.peers.NodeDirectoryLink;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.plan.create.CreationFieldRules;
import drover.coordinator.plan.create.InventoryBehindAttemptsCheck;
import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.InventoryEntry;
import drover.coordinator.plan.create.NodeOrderRules;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.TwoPersonRule;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore.CreationResult;
import drover.coordinator.store.create.RolloutCreationStore.ExistingRollout;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.query.PreviewInputViews;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates rollouts: asks the manifest-service once, renders every node's configuration, freezes it
 * all, claims the chain. Afterwards start, dispatch, retry and fail-over need PostgreSQL and a
 * gateway, nothing else. Refuses with {@link Refused}.
 */
public final class RolloutCreator {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutCreator.class);

    private static final int MOST_TARGETS = 10_000;

    private final ManifestServiceLink manifests;
    private final NodeDirectoryLink directory;
    private final RolloutCreationStore store;
    private final Supplier<Instant> clock;
    private final RandomGenerator random;
    private final PlanFactsReader forecast;

    /** Creation over these neighbours. */
    public RolloutCreator(
            ManifestServiceLink manifests,
            NodeDirectoryLink directory,
            RolloutCreationStore store,
            Supplier<Instant> clock) {
        this(manifests, directory, store, clock, new SecureRandom());
    }

    /** The same with ids and canaries drawn from elsewhere, so that a simulation repeats itself. */
    public RolloutCreator(
            ManifestServiceLink manifests,
            NodeDirectoryLink directory,
            RolloutCreationStore store,
            Supplier<Instant> clock,
            RandomGenerator random) {
        this(manifests, directory, store, clock, random, PreviewInputViews.none());
    }

    /** The same with what is known beside the nodes, for the plan that is stored. */
    public RolloutCreator(
            ManifestServiceLink manifests,
            NodeDirectoryLink directory,
            RolloutCreationStore store,
            Supplier<Instant> clock,
            PreviewInputViews facts) {
        this(manifests, directory, store, clock, new SecureRandom(), facts);
    }

    private RolloutCreator(
            ManifestServiceLink manifests,
            NodeDirectoryLink directory,
            RolloutCreationStore store,
            Supplier<Instant> clock,
            RandomGenerator random,
            PreviewInputViews facts) {
        this.forecast = new PlanFactsReader(facts, directory);
        this.random = random;
        this.manifests = manifests;
        this.directory = directory;
        this.store = store;
        this.clock = clock;
    }

    /**
     * Warnings about the budgets, the manifest and the chain profile of a rollout that was just
     * created.
     *
     * @param targets number of its nodes
     */
    public List<ManifestServiceLink.Warning> fetchWarnings(
            UnvalidatedCreationRequest requested, int targets) {
        List<ManifestServiceLink.Warning> warnings =
                new ArrayList<>(
                        RolloutPreviewer.budgetWarnings(
                                requested.offlineBudget(),
                                requested.policy().unhealthyBudget(),
                                targets));
        warnings.addAll(fetchManifestWarningsIfAvailable(requested));
        return warnings;
    }

    /** None while the manifest-service is unavailable, because the rollout exists already. */
    private List<ManifestServiceLink.Warning> fetchManifestWarningsIfAvailable(
            UnvalidatedCreationRequest requested) {
        try {
            return manifests.fetchWarnings(
                    new ChainProfileId(requested.chain()), requested.upgradeId());
        } catch (PeerUnavailable | Refused e) {
            LOG.warn("A manifest was not looked at for remarks reason={}", e.getMessage());
            return List.of();
        }
    }

    /**
     * Creates a rollout, or finds the one created earlier with the same key.
     *
     * @param key idempotency key; empty for none
     * @param requestDigest digest of the request as it came, to tell a repeat from another request
     */
    public RolloutId create(
            UnvalidatedCreationRequest requested, String actor, String key, String requestDigest) {
        if (!key.isEmpty()) {
            Optional<ExistingRollout> earlier = store.findByIdempotencyKey(actor, key);
            if (earlier.isPresent()) {
                return requireSameRequest(earlier.get(), requestDigest);
            }
        }
        PreparedRollout decided = prepare(requested);
        return write(decided, new RequestIdentity(actor, key, requestDigest));
    }

    /**
     * Everything that creation decides, up to the transaction that would write it: asks the same
     * neighbours, applies the same rules, refuses the same, and changes nothing.
     */
    public PreparedRollout prepare(UnvalidatedCreationRequest requested) {
        refuseIf(CreationFieldRules.checkBeforeManifest(requested));
        refuseIf(CreationFieldRules.checkFinishBy(requested, clock.get()));
        ChainProfileId chain =
                RefusingFieldParser.parse(
                        "chain_profile_id", requested.chain(), ChainProfileId::new);
        ManifestFilledCreationRequest filled =
                ManifestFilledCreationRequest.resolve(requested, chain, manifests);
        ManifestServiceLink.Profile profile = manifests.fetchProfile(chain);
        refuseIf(filled.findRefusal(profile.runtime()));
        RolloutSpec asIs = filled.toSpec(chain, profile);
        List<DirectoryNode> targets = TargetNodeFilter.select(filled.request(), asIs, directory);
        requireValidTargetCount(targets, asIs);
        Map<NodeId, Integer> positions = resolvePositions(filled.request(), targets);
        requireFreshDirectory(targets, asIs.binary());
        RolloutSpec spec =
                asIs.withTwoPersonRuleInput("", countChainNodesIfNeeded(asIs, targets.size()));
        RenderedConfigs rendered = render(spec, filled, targets);
        Instant now = clock.get();
        TargetAndSkipResolver frozen =
                TargetAndSkipResolver.of(spec, targets, positions, rendered, now);
        frozen.requireChanges();
        RolloutId id = new RolloutId(newId());
        Rollout rollout =
                frozen.toRollout(id, new RolloutState.Pending(now), frozen.canarySeed(), now);
        return new PreparedRollout(rollout, frozen, rendered, filled);
    }

    /** How large a chain is matters only for what goes to many of it at once (A16). */
    private int countChainNodesIfNeeded(RolloutSpec spec, int targets) {
        return TwoPersonRule.dependsOnChainSize(spec.strategy(), targets)
                ? directory.listNodes(spec.programKind().targetChain(spec.chain()), "").size()
                : 0;
    }

    public String newId() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    /** What creation has decided and not yet written. */
    public record PreparedRollout(
            Rollout rollout,
            TargetAndSkipResolver frozen,
            RenderedConfigs rendered,
            ManifestFilledCreationRequest filled) {
        /** The same as a component of a group. */
        public PreparedRollout asComponentOf(String group, int index) {
            return withSpec(rollout.spec().asComponentOf(group, index));
        }

        /** The same as somebody created it. */
        PreparedRollout withCreator(String actor) {
            return withSpec(
                    rollout.spec()
                            .withTwoPersonRuleInput(
                                    actor, rollout.spec().oversight().chainNodes()));
        }

        private PreparedRollout withSpec(RolloutSpec spec) {
            return new PreparedRollout(rollout.withSpec(spec), frozen, rendered, filled);
        }
    }

    public record RequestIdentity(String actor, String key, String requestDigest) {}

    private static RolloutId requireSameRequest(ExistingRollout earlier, String requestDigest) {
        if (!earlier.requestDigest().equals(requestDigest)) {
            throw new Refused(
                    RefusalCode.IDEMPOTENCY_KEY_REUSED,
                    "This idempotency key was used for another request; use a new one.");
        }
        return earlier.id();
    }

    static void refuseIf(Optional<CreationFieldRules.Refusal> refusal) {
        refusal.ifPresent(
                r -> {
                    throw new Refused(r.code(), r.sentence(), r.field());
                });
    }

    private static void requireValidTargetCount(List<DirectoryNode> targets, RolloutSpec spec) {
        if (targets.isEmpty()) {
            throw new Refused(
                    RefusalCode.NO_TARGETS,
                    "No node "
                            + spec.programKind().targetNodesPhrase(spec.chain(), spec.nodeType())
                            + " matches. Look at 'drover node list'.");
        }
        if (targets.size() > MOST_TARGETS) {
            throw new Refused(
                    RefusalCode.TOO_MANY_TARGETS,
                    targets.size()
                            + " nodes match; a rollout takes 10000 at the most. Narrow the targets.");
        }
    }

    private static Map<NodeId, Integer> resolvePositions(
            UnvalidatedCreationRequest request, List<DirectoryNode> targets) {
        List<NodeOrderRules.LabeledTarget> candidates =
                targets.stream()
                        .map(node -> new NodeOrderRules.LabeledTarget(node.id(), node.labels()))
                        .toList();
        NodeOrder order = request.policy().order();
        refuseIf(NodeOrderRules.findRefusal(order, candidates, request.nodeIds()));
        return NodeOrderRules.positions(order, candidates, request.nodeIds());
    }

    /** What is frozen is what nodes run, and not what they ran before their last upgrade. */
    private void requireFreshDirectory(List<DirectoryNode> targets, BinaryName program) {
        List<NodeId> nodes = targets.stream().map(DirectoryNode::id).toList();
        List<InventoryEntry> directory =
                targets.stream().map(node -> toInventoryEntry(node, program)).toList();
        refuseIf(
                InventoryBehindAttemptsCheck.findRefusal(
                        directory, store.findVerifiedByLastAttempt(program, nodes)));
    }

    private static InventoryEntry toInventoryEntry(DirectoryNode node, BinaryName name) {
        NodeDirectoryLink.Program program = node.programs().get(name);
        return new InventoryEntry(
                node.id(),
                program == null ? "" : program.digest(),
                program == null ? "" : program.config(),
                node.lastSeen(),
                node.gateway());
    }

    private RenderedConfigs render(
            RolloutSpec spec, ManifestFilledCreationRequest filled, List<DirectoryNode> targets) {
        return manifests.render(
                spec.chain(),
                spec.binary(),
                spec.targetVersion().value(),
                filled.parseConfigChanges(),
                targets.stream()
                        .map(
                                node ->
                                        new ManifestServiceLink.RenderTarget(
                                                node.id(), node.type(), node.labels()))
                        .toList());
    }

    private RolloutId write(PreparedRollout decided, RequestIdentity author) {
        Rollout rollout = decided.rollout();
        CreationResult created = store.create(toNewRollout(decided, author));
        return switch (created) {
            case CreationResult.Written w -> rollout.id();
            case CreationResult.Repeated(ExistingRollout earlier) ->
                    requireSameRequest(earlier, author.requestDigest());
            case CreationResult.ChainBusy(RolloutId owner) ->
                    throw chainBusyRefusal(owner, rollout.spec().chain());
        };
    }

    /** Everything that creation writes of a rollout. */
    public NewRollout toNewRollout(PreparedRollout unsigned, RequestIdentity author) {
        PreparedRollout decided = unsigned.withCreator(author.actor());
        byte[] trace = new byte[16];
        random.nextBytes(trace);
        return new NewRollout(
                decided.rollout(),
                decided.frozen().canarySeed(),
                HexFormat.of().formatHex(trace),
                author.actor(),
                author.key(),
                author.requestDigest(),
                commandPayloads(decided),
                decided.rendered().contents(),
                initialHistory(decided.rollout()),
                forecast.outline(decided.rollout()).toText());
    }

    private static Map<NodeId, byte[]> commandPayloads(PreparedRollout decided) {
        Map<NodeId, byte[]> payloads = new LinkedHashMap<>();
        for (ManifestServiceLink.RenderedNode node : decided.rendered().nodes()) {
            payloads.put(
                    node.node(),
                    CommandBodySerializer.upgradePayload(
                            decided.rollout().spec(),
                            decided.frozen().target(node.node()),
                            node.program(),
                            node.files(),
                            decided.filled().artifactSize(),
                            decided.filled().release()));
        }
        return payloads;
    }

    public static Refused chainBusyRefusal(RolloutId owner, ChainProfileId chain) {
        return new Refused(
                RefusalCode.CHAIN_BUSY,
                "Rollout or group "
                        + owner
                        + " is active for chain "
                        + chain
                        + "; finish, cancel or roll it back first.",
                "chain_profile_id");
    }

    private static List<Transition> initialHistory(Rollout rollout) {
        List<Transition> history = new java.util.ArrayList<>();
        history.add(
                new Transition(
                        "rollout",
                        null,
                        "",
                        "pending",
                        new Cause(
                                "CREATED",
                                rollout.nodes().size()
                                        + " targets in "
                                        + rollout.batches().size()
                                        + " batches.")));
        for (NodeUpgrade node : rollout.nodes().values()) {
            if (node.state() instanceof NodeState.Skipped skipped) {
                history.add(
                        new Transition(
                                "node",
                                node.id(),
                                "",
                                "skipped",
                                new Cause(skipped.reason().name(), skipped.detail())));
            }
        }
        return history;
    }

    /** Digest of a request as it came. */
    public static String digestOf(byte[] request) {
        return Digest.of(request).value();
    }
}
