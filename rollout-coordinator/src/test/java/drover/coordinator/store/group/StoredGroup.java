package drover.coordinator.store.group;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.GroupSpec;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.group.GroupStore.NewGroup;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.GroupId;
import drover.model.program.BinaryName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Writes groups for tests, as creation does. */
public final class StoredGroup {
    private StoredGroup() {}

    /** A group that waits to be started. */
    public static GroupId create(TestDatabase database, Plan plan) {
        NewGroup fresh = fresh(plan, "", "");
        new PostgresGroupStore(database.database()).create(fresh);
        return fresh.group().id();
    }

    /** A group of two components. */
    static NewGroup fresh(Plan plan, String key, String digest) {
        GroupId id = new GroupId(UUID.randomUUID().toString());
        List<NewRollout> rollouts = new ArrayList<>();
        List<GroupComponent> components = new ArrayList<>();
        List<BinaryName> programs = List.of(new BinaryName("store"), new BinaryName("web"));
        for (int i = 0; i < programs.size(); i++) {
            NewRollout alone = StoredRollout.fresh(plan, programs.get(i));
            Rollout rollout = within(alone.rollout(), id, i);
            rollouts.add(
                    new NewRollout(
                            rollout,
                            alone.canarySeed(),
                            alone.traceId(),
                            "alice",
                            "",
                            "",
                            alone.payloads(),
                            alone.contents(),
                            alone.history()));
            components.add(
                    new GroupComponent(
                            i,
                            rollout.spec().binary(),
                            rollout.spec().targetVersion(),
                            "",
                            rollout.id(),
                            rollout.spec().healthWait(),
                            3));
        }
        RolloutGroup group =
                new RolloutGroup(
                        id,
                        1,
                        new GroupSpec(
                                rollouts.getFirst().rollout().spec().chain(),
                                GroupFailurePolicy.MANUAL,
                                "rolling",
                                components),
                        new GroupState.Pending(StoredRollout.NOW),
                        0,
                        Set.of());
        return new NewGroup(
                group,
                rollouts,
                "alice",
                key,
                digest,
                List.of(
                        new Transition(
                                "group", null, "", "pending", new Cause("CREATED", "Made."))));
    }

    private static Rollout within(Rollout rollout, GroupId group, int index) {
        return new Rollout(
                rollout.id(),
                rollout.revision(),
                rollout.spec().asComponentOf(group.value(), index),
                rollout.state(),
                rollout.acknowledgedFailures(),
                rollout.acceptedOffline(),
                rollout.batches(),
                rollout.nodes());
    }
}
