package drover.simulation;

import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.GroupStateNames;
import drover.coordinator.plan.group.RolloutGroup;
import drover.model.GroupId;
import drover.model.RolloutId;
import drover.simulation.world.CreationRequestFactory;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The steps of a scenario that are about its group. */
final class GroupScenarioSteps {
    private final SimulatedWorld world;
    private @Nullable GroupId group;

    GroupScenarioSteps(SimulatedWorld world) {
        this.world = world;
    }

    /**
     * For example {@code group partial_ok store app batch 2}, which creates a group of these in
     * this order, always from v1 to v2; then {@code group start}, and what else may be asked of it.
     */
    void runStep(List<String> words) {
        if (words.contains("batch")) {
            createGroup(words);
        } else {
            world.submitGroupRequest(requireGroup(), parseRequest(words), SimulatedWorld.CREATOR);
        }
    }

    private void createGroup(List<String> words) {
        int end = words.indexOf("batch");
        CreationRequestFactory.RolloutChoice wish =
                CreationRequestFactory.RolloutChoice.rolling(Integer.parseInt(words.get(end + 1)));
        List<CreationRequestFactory.ComponentChoice> parts =
                words.subList(2, end).stream()
                        .map(
                                word ->
                                        SimulatedProgramDefinition.valueOf(
                                                word.toUpperCase(Locale.ROOT)))
                        .map(
                                product ->
                                        new CreationRequestFactory.ComponentChoice(
                                                product, 2, wish))
                        .toList();
        GroupFailurePolicy policy =
                GroupFailurePolicy.valueOf(words.get(1).toUpperCase(Locale.ROOT));
        group = world.tryCreateGroup(CreationRequestFactory.groupRequest(policy, parts));
    }

    private static GroupRequest parseRequest(List<String> words) {
        return switch (words.get(1)) {
            case "start" -> new GroupRequest.Start();
            case "pause" -> new GroupRequest.Pause();
            case "resume" ->
                    new GroupRequest.Resume(words.size() > 2 ? Integer.parseInt(words.get(2)) : 0);
            case "cancel" -> new GroupRequest.Cancel();
            case "rollback" -> new GroupRequest.Rollback();
            case "skip" -> new GroupRequest.Skip();
            default -> throw new IllegalArgumentException("No such step: " + words);
        };
    }

    private GroupId requireGroup() {
        GroupId requested = group;
        if (requested == null) {
            throw new IllegalArgumentException("Create a group first");
        }
        return requested;
    }

    /** The rollout of a component, counted from 1. */
    RolloutId component(int number) {
        RolloutGroup found = world.store.groups().load(requireGroup()).orElseThrow().group();
        return found.component(number - 1).rollout();
    }

    void appendOutcome(StringBuilder transcript) {
        world.store
                .groups()
                .allGroups()
                .forEach(
                        one ->
                                transcript
                                        .append("group ")
                                        .append(GroupStateNames.of(one.state()))
                                        .append('\n'));
    }
}
