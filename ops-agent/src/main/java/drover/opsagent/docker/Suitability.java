package drover.opsagent.docker;

import drover.model.program.ProgramSpec;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import java.util.List;
import java.util.Optional;

/** Whether a program's container may be and can be upgraded; changes nothing. */
final class Suitability {
    private final Engine engine;
    private final DockerSettings settings;
    private final LocalPolicy policy;
    private final Programs programs;

    Suitability(Engine engine, DockerSettings settings, LocalPolicy policy, Programs programs) {
        this.engine = engine;
        this.settings = settings;
        this.policy = policy;
        this.programs = programs;
    }

    /** Fails unless flags and policy of this node name the container; asks no engine. */
    void requireMayTouch(ProgramSpec spec) {
        settings.requireMayTouch(spec);
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
    void require(ProgramSpec spec) {
        String known = programs.service(spec.name());
        if (!known.equals(spec.launch().service())) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "The container of "
                            + spec.name()
                            + " is called "
                            + known
                            + " on this node: an upgrade cannot rename it.");
        }
        Optional<Container> found = programs.see(spec.name());
        requireCloneable(
                found.orElseThrow(
                        () ->
                                new ActionFailed(
                                        ReasonCode.UNKNOWN_PROGRAM,
                                        "This node has no container "
                                                + known
                                                + ": leave the node out, or make it.")));
    }

    /** Fails unless another container could be made like this one. */
    void requireCloneable(Container container) {
        List<String> obstacles =
                engine.image(container.imageId())
                        .map(image -> RoundTrip.obstacles(container, image))
                        .orElse(List.of("Image: the engine no longer has it"));
        Optional<String> which = RoundTrip.sentence(obstacles);
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
