package drover.opsagent.docker;

import drover.model.program.ProgramSpec;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.recreate.RecreationCheck;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.ActionFailed;
import java.util.List;
import java.util.Optional;

/** Whether a program's container may be and can be upgraded; changes nothing. */
final class ContainerUpgradeCheck {
    private final ContainerEngine engine;
    private final DockerAccessSettings settings;
    private final LocalPolicy policy;
    private final ProgramContainerSupervisor programs;

    ContainerUpgradeCheck(
            ContainerEngine engine,
            DockerAccessSettings settings,
            LocalPolicy policy,
            ProgramContainerSupervisor programs) {
        this.engine = engine;
        this.settings = settings;
        this.policy = policy;
        this.programs = programs;
    }

    /** Fails unless flags and policy of this node name the container; asks no engine. */
    void requireAllowed(ProgramSpec spec) {
        settings.requireContainerAllowed(spec);
        String container = spec.launch().service();
        if (!policy.mayControlContainer(container)) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "This node's policy lists no container "
                            + container
                            + ": leave the node out, or let its owner list it.");
        }
    }

    /** Fails unless the container is there, and can be made anew as it is. */
    void requireUpgradable(ProgramSpec spec) {
        String known = programs.containerName(spec.name());
        if (!known.equals(spec.launch().service())) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "The container of "
                            + spec.name()
                            + " is called "
                            + known
                            + " on this node: an upgrade cannot rename it.");
        }
        Optional<Container> found = programs.observeAndRecordContainer(spec.name());
        requireRecreatable(
                found.orElseThrow(
                        () ->
                                new ActionFailed(
                                        ReasonCode.UNKNOWN_PROGRAM,
                                        "This node has no container "
                                                + known
                                                + ": leave the node out, or make it.")));
    }

    /** Fails unless another container could be made like this one. */
    void requireRecreatable(Container container) {
        List<String> obstacles =
                engine.findImage(container.imageId())
                        .map(image -> RecreationCheck.findObstacles(container, image))
                        .orElse(List.of("Image: the engine no longer has it"));
        Optional<String> which = RecreationCheck.summarize(obstacles);
        if (which.isPresent()) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "Container "
                            + container.name()
                            + " cannot be made anew as it is ("
                            + which.get()
                            + "): make it without that.");
        }
    }
}
