package drover.coordinator.plan.group;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.create.CreationFieldRules.Refusal;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Seed 000, rules 8 and 9")
class GroupCreationRulesTest {
    private static final Map<String, String> BOTH = Map.of("geth", "v2", "lighthouse", "v5");

    private static UnvalidatedCreationRequest rollout(String binary) {
        return new UnvalidatedCreationRequest(
                "demo",
                "full",
                "",
                binary,
                List.of("v1"),
                "v2",
                "",
                "",
                null,
                0,
                0,
                0,
                0,
                0,
                null,
                List.of(),
                MigrationType.NONE,
                "",
                false,
                "",
                0,
                false,
                false,
                Set.of(),
                Set.of(),
                Map.of());
    }

    private static UnvalidatedGroupCreationRequest creationRequest(
            @Nullable GroupFailurePolicy policy, Map<String, String> desired, String... order) {
        List<UnvalidatedGroupCreationRequest.ComponentCreation> components = new ArrayList<>();
        for (String binary : order) {
            components.add(
                    new UnvalidatedGroupCreationRequest.ComponentCreation(-1, rollout(binary)));
        }
        return new UnvalidatedGroupCreationRequest("demo", policy, "", desired, components);
    }

    private static void refused(
            UnvalidatedGroupCreationRequest request, RefusalCode code, String field) {
        Refusal refusal = GroupCreationRules.check(request).orElseThrow();
        assertThat(refusal.code()).as(refusal.sentence()).isEqualTo(code);
        assertThat(refusal.field()).isEqualTo(field);
        assertThat(refusal.sentence()).endsWith(".");
    }

    @Test
    void takesAnOrderThatCoversWhatIsDesired() {
        assertThat(
                        GroupCreationRules.check(
                                creationRequest(
                                        GroupFailurePolicy.MANUAL, BOTH, "geth", "lighthouse")))
                .isEmpty();
    }

    @Test
    void refusesAGroupWithoutFailurePolicy() {
        refused(
                creationRequest(null, BOTH, "geth", "lighthouse"),
                RefusalCode.MISSING_FIELD,
                "failure_policy");
    }

    @Test
    void refusesAGroupThatDesiresNothing() {
        refused(
                creationRequest(GroupFailurePolicy.MANUAL, Map.of(), "geth"),
                RefusalCode.MISSING_FIELD,
                "desired_versions");
    }

    @Test
    void refusesAnOrderThatLeavesOneOut() {
        refused(
                creationRequest(GroupFailurePolicy.MANUAL, BOTH, "geth"),
                RefusalCode.COMPONENT_ORDER_MISMATCH,
                "component_order");
    }

    @Test
    void refusesAComponentWithoutADesiredVersion() {
        refused(
                creationRequest(
                        GroupFailurePolicy.MANUAL, Map.of("geth", "v2"), "geth", "lighthouse"),
                RefusalCode.COMPONENT_ORDER_MISMATCH,
                "component_order[1].binary_name");
    }

    @Test
    void refusesADuplicateComponent() {
        refused(
                creationRequest(GroupFailurePolicy.MANUAL, Map.of("geth", "v2"), "geth", "geth"),
                RefusalCode.COMPONENT_ORDER_MISMATCH,
                "component_order[1].binary_name");
    }

    @Test
    void refusesAnIndexThatIsNotThePlace() {
        UnvalidatedGroupCreationRequest request =
                new UnvalidatedGroupCreationRequest(
                        "demo",
                        GroupFailurePolicy.MANUAL,
                        "",
                        BOTH,
                        List.of(
                                new UnvalidatedGroupCreationRequest.ComponentCreation(
                                        0, rollout("geth")),
                                new UnvalidatedGroupCreationRequest.ComponentCreation(
                                        0, rollout("lighthouse"))));
        refused(
                request,
                RefusalCode.COMPONENT_ORDER_MISMATCH,
                "component_order[1].component_index");
    }

    @Test
    void refusesAFileThatTwoComponentsWriteOnOneNode() {
        NodeId node = new NodeId("n-1");
        var geth =
                new GroupCreationRules.ComponentConfigFiles(
                        "geth", Map.of(node, Set.of("/etc/jwt")));
        var same =
                new GroupCreationRules.ComponentConfigFiles(
                        "lighthouse", Map.of(node, Set.of("/etc/jwt")));
        var elsewhere =
                new GroupCreationRules.ComponentConfigFiles(
                        "lighthouse", Map.of(new NodeId("n-2"), Set.of("/etc/jwt")));

        assertThat(GroupCreationRules.checkSharedConfigFiles(List.of(geth, elsewhere))).isEmpty();
        assertThat(GroupCreationRules.checkSharedConfigFiles(List.of(geth, same)).orElseThrow())
                .satisfies(
                        refusal -> {
                            assertThat(refusal.code()).isEqualTo(RefusalCode.CONFIG_FILE_SHARED);
                            assertThat(refusal.sentence())
                                    .contains("geth", "lighthouse", "/etc/jwt");
                        });
    }
}
