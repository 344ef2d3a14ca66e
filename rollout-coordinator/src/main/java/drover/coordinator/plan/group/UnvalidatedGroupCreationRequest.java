package drover.coordinator.plan.group;

import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks to be rolled out as a group, as written.
 *
 * @param policy null when not given
 * @param strategy word of the strategy that components have by default; empty when none is given
 */
public record UnvalidatedGroupCreationRequest(
        String chain,
        @Nullable GroupFailurePolicy policy,
        String strategy,
        Map<String, String> desiredVersions,
        List<ComponentCreation> components) {
    public UnvalidatedGroupCreationRequest {
        desiredVersions = Map.copyOf(desiredVersions);
        components = List.copyOf(components);
    }

    /**
     * One component.
     *
     * @param index place as written; -1 when it is not
     * @param rollout what to create for it, with the group's defaults filled in
     */
    public record ComponentCreation(int index, UnvalidatedCreationRequest rollout) {}
}
