package drover.coordinator.plan.explain;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.explain.HashedPlan.BatchNodes;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.coordinator.plan.model.FailureAction;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.RestoreSource;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.TargetArtifact;
import drover.coordinator.plan.model.Threshold;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every field that an approver agrees to changes the plan hash. */
class SpecAndTargetsDigestTest {
    /** See {@link SpecAndTargetsDigest}: a plan has the same hash before and after the creation. */
    private static final Set<String> NOT_HASHED = Set.of("membership", "oversight");

    private static final RolloutSpec SPEC =
            new RolloutSpec(
                            new ChainProfileId("demo"),
                            "full",
                            new BinaryName("web"),
                            List.of(new Version("v1")),
                            new Version("v2"),
                            "file:///v2",
                            Digest.of("v2"),
                            "process",
                            new Strategy.Canary(1, 2),
                            new Threshold.Count(1),
                            100,
                            1,
                            Duration.ofSeconds(10),
                            3,
                            MigrationType.COMPATIBLE,
                            "Restore the snapshot.",
                            "upgrade-1",
                            "sha256:manifest",
                            Map.of(
                                    "linux/arm64",
                                    new TargetArtifact("file:///arm", Digest.of("arm"), 7)))
                    .withPolicy(
                            new RolloutPolicy(
                                    FailureAction.PAUSE,
                                    Instant.parse("2026-05-01T10:00:00Z"),
                                    new ExpectedFailureReasons(Set.of("DISK_FULL"), 1),
                                    RollbackHealthPolicy.WAIT,
                                    2,
                                    new NodeOrder(
                                            NodeOrder.Kind.LABEL,
                                            "rack",
                                            List.of(new NodeId("demo-9")))))
                    .withRelease("sha256:release");

    private static final NodeTarget TARGET =
            new NodeTarget(
                    new NodeId("demo-1"),
                    new Version("v1"),
                    Digest.of("v1"),
                    Digest.of("config 1"),
                    "file:///v1",
                    Digest.of("config 2"),
                    true,
                    "linux/amd64",
                    RestoreSource.BACKUP,
                    3);

    private static final HashedPlan OUTLINE =
            new HashedPlan(
                    1,
                    "sha256:terms",
                    List.of(new BatchNodes(0, true, List.of("a"))),
                    Map.of("d", "DRIFTED"),
                    List.of("a"));

    private static String hash(RolloutSpec spec, NodeTarget target) {
        return SpecAndTargetsDigest.digest(spec, Stream.of(target)).value();
    }

    @Test
    void twoPlansToDifferentVersionsOverTheSameNodesHaveDifferentHashes() {
        Rollout one = SampleRollout.of(new drover.model.RolloutId("r-1"), plan(), Instant.EPOCH);
        RolloutSpec other =
                (RolloutSpec) RecordVariants.put(one.spec(), "targetVersion", new Version("v3"));
        Rollout two =
                new Rollout(one.id(), 1, other, one.state(), 0, 0, one.batches(), one.nodes());
        assertThat(HashedPlan.of(one, List.of()).hash())
                .isNotEqualTo(HashedPlan.of(two, List.of()).hash())
                .isEqualTo(HashedPlan.of(one, List.of()).hash());
    }

    private static SampleRollout.Plan plan() {
        return SampleRollout.Plan.rolling("demo", 3, 1);
    }

    @Test
    void everySettingOfARolloutChangesTheHash() {
        Map<String, String> hashes = new HashMap<>();
        hashes.put(hash(SPEC, TARGET), "the plan itself");
        RecordVariants.of(SPEC)
                .forEach(
                        (field, spec) -> {
                            String hash = hash((RolloutSpec) spec, TARGET);
                            if (NOT_HASHED.contains(field.split("\\.", 2)[0])) {
                                assertThat(hashes).as(field).containsEntry(hash, "the plan itself");
                            } else {
                                assertThat(hashes.put(hash, field)).as(field).isNull();
                            }
                        });
        assertThat(hashes.values())
                .as("the walk reaches nested settings")
                .contains(
                        "strategy.canarySize",
                        "strategy as AllAtOnce",
                        "threshold as Percent",
                        "artifacts.linux/arm64.digest",
                        "healthWait",
                        "stopTimeout",
                        "release",
                        "conduct.finishBy",
                        "conduct.expected.reasons",
                        "conduct.rollbackHealth",
                        "conduct.unhealthyBudget",
                        "conduct.order.kind",
                        "conduct.order.label",
                        "conduct.order.last");
    }

    @Test
    void everyFieldOfATargetChangesTheHash() {
        Map<String, String> hashes = new HashMap<>();
        hashes.put(hash(SPEC, TARGET), "the plan itself");
        RecordVariants.of(TARGET)
                .forEach(
                        (field, target) ->
                                assertThat(hashes.put(hash(SPEC, (NodeTarget) target), field))
                                        .as(field)
                                        .isNull());
        assertThat(hashes.values()).contains("targetConfig", "sourceDigest", "wayBack", "position");
    }

    @Test
    void everyPartOfAnOutlineChangesTheHash() {
        Map<String, String> hashes = new HashMap<>();
        hashes.put(OUTLINE.hash().value(), "the plan itself");
        RecordVariants.of(OUTLINE)
                .forEach(
                        (field, outline) ->
                                assertThat(hashes.put(((HashedPlan) outline).hash().value(), field))
                                        .as(field)
                                        .isNull());
        assertThat(hashes.values()).contains("tier", "terms", "batches.0.canary", "skips.d");
    }

    @Test
    void noValueImitatesAnotherField() {
        RolloutSpec one =
                spec(List.of(new Version("v1"), new Version("v2")), "Wait.\n7:runtime 1 1:x");
        RolloutSpec two = spec(List.of(new Version("v1.v2")), "Wait.");
        RolloutSpec three = spec(List.of(new Version("v1"), new Version("v2")), "Wait.");
        assertThat(Stream.of(one, two, three).map(spec -> hash(spec, TARGET)))
                .doesNotHaveDuplicates();
    }

    private static RolloutSpec spec(List<Version> sources, String recoveryPlan) {
        Object versions = RecordVariants.put(SPEC, "sourceVersions", sources);
        return (RolloutSpec) RecordVariants.put(versions, "recoveryPlan", recoveryPlan);
    }
}
