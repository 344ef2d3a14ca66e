package drover.coordinator.plan.group;

import drover.coordinator.plan.create.CreationFieldRules.Refusal;
import drover.coordinator.plan.group.UnvalidatedGroupCreationRequest.ComponentCreation;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The creation rules of groups (seed 000, rules 8 and 9, and one owner for each file). */
public final class GroupCreationRules {
    private static final int MOST_COMPONENTS = 20; // programs of one node; a bound, not a wish

    private GroupCreationRules() {}

    /** What must hold before any component is looked at by itself. */
    public static Optional<Refusal> check(UnvalidatedGroupCreationRequest request) {
        if (request.policy() == null) {
            return missingFieldRefusal(
                    "failure_policy",
                    "Say what a failure leads to: partial_ok, rollback_all or manual.");
        }
        if (request.desiredVersions().isEmpty()) {
            return missingFieldRefusal(
                    "desired_versions", "Say which version of each program you want.");
        }
        if (request.components().isEmpty()) {
            return missingFieldRefusal(
                    "component_order", "Say in which order the programs are upgraded.");
        }
        if (request.components().size() > MOST_COMPONENTS) {
            return Optional.of(
                    new Refusal(
                            RefusalCode.INVALID_FIELD,
                            "component_order",
                            "A group has 20 components at the most."));
        }
        return checkComponents(request);
    }

    private static Optional<Refusal> checkComponents(UnvalidatedGroupCreationRequest request) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < request.components().size(); i++) {
            ComponentCreation component = request.components().get(i);
            String binary = component.rollout().binary();
            String field = "component_order[" + i + "].";
            if (binary.isBlank()) {
                return missingFieldRefusal(
                        field + "binary_name", "Name the program of each component.");
            }
            if (component.index() >= 0 && component.index() != i) {
                return mismatchRefusal(
                        field + "component_index",
                        binary
                                + " says component_index "
                                + component.index()
                                + " and stands at "
                                + i
                                + "; leave the index out, or write the place.");
            }
            if (!seen.add(binary)) {
                return mismatchRefusal(
                        field + "binary_name", binary + " stands twice in the order.");
            }
            if (!request.desiredVersions().containsKey(binary)) {
                return mismatchRefusal(field + "binary_name", binary + " has no desired version.");
            }
        }
        Set<String> uncovered = new TreeSet<>(request.desiredVersions().keySet());
        uncovered.removeAll(seen);
        return uncovered.isEmpty()
                ? Optional.empty()
                : mismatchRefusal(
                        "component_order",
                        String.join(", ", uncovered)
                                + " is desired and not in the order; add it, or take it out of"
                                + " desired_versions.");
    }

    /** The configuration files that a component writes on a node. */
    public record ComponentConfigFiles(String binary, Map<NodeId, Set<String>> paths) {}

    /** A file has one owner: two components would undo one another's. */
    public static Optional<Refusal> checkSharedConfigFiles(List<ComponentConfigFiles> components) {
        Map<NodeId, Map<String, String>> owners = new HashMap<>();
        for (int i = 0; i < components.size(); i++) {
            ComponentConfigFiles component = components.get(i);
            for (var entry : component.paths().entrySet()) {
                Map<String, String> ofNode =
                        owners.computeIfAbsent(entry.getKey(), node -> new HashMap<>());
                for (String path : new TreeSet<>(entry.getValue())) {
                    String owner = ofNode.putIfAbsent(path, component.binary());
                    if (owner != null) {
                        return Optional.of(
                                new Refusal(
                                        RefusalCode.CONFIG_FILE_SHARED,
                                        "component_order[" + i + "].config_changes",
                                        owner
                                                + " and "
                                                + component.binary()
                                                + " would both write "
                                                + path
                                                + "; give it to one of them."));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Refusal> missingFieldRefusal(String field, String sentence) {
        return Optional.of(new Refusal(RefusalCode.MISSING_FIELD, field, sentence));
    }

    private static Optional<Refusal> mismatchRefusal(String field, String sentence) {
        return Optional.of(new Refusal(RefusalCode.COMPONENT_ORDER_MISMATCH, field, sentence));
    }
}
