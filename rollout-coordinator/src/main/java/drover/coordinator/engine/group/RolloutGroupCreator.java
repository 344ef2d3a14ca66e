package drover.coordinator.engine.group;

import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.create.RolloutCreator.PreparedRollout;
import drover.coordinator.engine.create.RolloutCreator.RequestIdentity;
import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.peers.ManifestServiceLink;
import drover.coordinator.plan.create.CreationFieldRules;
import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupCreationRules;
import drover.coordinator.plan.group.GroupCreationRules.ComponentConfigFiles;
import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.GroupSpec;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.UnvalidatedGroupCreationRequest;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.group.GroupStore;
import drover.coordinator.store.group.GroupStore.CreationResult;
import drover.coordinator.store.group.GroupStore.ExistingGroup;
import drover.coordinator.store.group.GroupStore.NewGroup;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Creates groups: plans and freezes every component as a rollout, and writes all of them with the
 * claim of their chain in one transaction. What is wrong with one refuses all. Refuses with {@link
 * Refused}.
 */
public final class RolloutGroupCreator {
    private final RolloutCreator rollouts;
    private final GroupStore store;
    private final Supplier<Instant> clock;

    /** Creation of groups out of rollouts that are created like this. */
    public RolloutGroupCreator(RolloutCreator rollouts, GroupStore store, Supplier<Instant> clock) {
        this.rollouts = rollouts;
        this.store = store;
        this.clock = clock;
    }

    /**
     * Creates a group, or finds the one created earlier with the same key.
     *
     * @param key idempotency key; empty for none
     * @param requestDigest digest of the request as it came, to tell a repeat from another request
     */
    public GroupId create(
            UnvalidatedGroupCreationRequest request,
            String actor,
            String key,
            String requestDigest) {
        if (!key.isEmpty()) {
            Optional<ExistingGroup> earlier = store.findByIdempotencyKey(actor, key);
            if (earlier.isPresent()) {
                return requireSameRequest(earlier.get(), requestDigest);
            }
        }
        refuseIf(GroupCreationRules.check(request));
        List<PreparedRollout> components = new ArrayList<>();
        for (int i = 0; i < request.components().size(); i++) {
            components.add(prepareComponent(request, i));
        }
        refuseIf(
                GroupCreationRules.checkSharedConfigFiles(
                        components.stream().map(RolloutGroupCreator::toFiles).toList()));
        return write(request, components, new RequestIdentity(actor, key, requestDigest));
    }

    private static GroupId requireSameRequest(ExistingGroup earlier, String requestDigest) {
        if (!earlier.requestDigest().equals(requestDigest)) {
            throw RolloutRequestSubmitter.keyReusedRefusal();
        }
        return earlier.id();
    }

    private static void refuseIf(Optional<CreationFieldRules.Refusal> refusal) {
        refusal.ifPresent(
                r -> {
                    throw new Refused(r.code(), r.sentence(), r.field());
                });
    }

    /** What is wrong with a component is said of the component. */
    private PreparedRollout prepareComponent(UnvalidatedGroupCreationRequest request, int index) {
        UnvalidatedGroupCreationRequest.ComponentCreation component =
                request.components().get(index);
        try {
            return rollouts.prepare(component.rollout());
        } catch (Refused e) {
            throw new Refused(
                    e.code(),
                    "Component " + component.rollout().binary() + ": " + e.sentence(),
                    e.field().isEmpty() ? "" : "component_order[" + index + "]." + e.field());
        }
    }

    private static ComponentConfigFiles toFiles(PreparedRollout decided) {
        Map<NodeId, Set<String>> paths = new HashMap<>();
        for (ManifestServiceLink.RenderedNode node : decided.rendered().nodes()) {
            Set<String> own = new HashSet<>();
            node.files().forEach(file -> own.add(file.path().value()));
            paths.put(node.node(), own);
        }
        return new ComponentConfigFiles(decided.rollout().spec().binary().value(), paths);
    }

    private GroupId write(
            UnvalidatedGroupCreationRequest request,
            List<PreparedRollout> components,
            RequestIdentity author) {
        GroupId id = new GroupId(rollouts.newId());
        Instant now = clock.get();
        ChainProfileId chain = components.getFirst().rollout().spec().chain();
        List<GroupComponent> described = new ArrayList<>();
        List<drover.coordinator.store.create.RolloutCreationStore.NewRollout> written =
                new ArrayList<>();
        for (int i = 0; i < components.size(); i++) {
            PreparedRollout decided = components.get(i).asComponentOf(id.value(), i);
            described.add(toComponent(i, decided));
            written.add(
                    rollouts.toNewRollout(decided, new RequestIdentity(author.actor(), "", "")));
        }
        GroupFailurePolicy policy =
                Objects.requireNonNull(request.policy(), "the rules have let no policy pass");
        RolloutGroup group =
                new RolloutGroup(
                        id,
                        1,
                        new GroupSpec(chain, policy, request.strategy(), described),
                        new GroupState.Pending(now),
                        0,
                        Set.of());
        CreationResult created =
                store.create(
                        new NewGroup(
                                group,
                                written,
                                author.actor(),
                                author.key(),
                                author.requestDigest(),
                                List.of(creationTransition(group))));
        return switch (created) {
            case CreationResult.Written w -> id;
            case CreationResult.Repeated(ExistingGroup earlier) ->
                    requireSameRequest(earlier, author.requestDigest());
            case CreationResult.ChainBusy(RolloutId owner) ->
                    throw RolloutCreator.chainBusyRefusal(owner, chain);
        };
    }

    private static GroupComponent toComponent(int index, PreparedRollout decided) {
        RolloutSpec spec = decided.rollout().spec();
        return new GroupComponent(
                index,
                spec.binary(),
                spec.targetVersion(),
                spec.upgradeId(),
                decided.rollout().id(),
                spec.healthWait(),
                spec.crashLoopRestarts());
    }

    private static Transition creationTransition(RolloutGroup group) {
        return new Transition(
                "group",
                null,
                "",
                "pending",
                new Cause("CREATED", group.spec().components().size() + " components."));
    }
}
