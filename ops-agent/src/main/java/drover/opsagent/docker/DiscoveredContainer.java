package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.LaunchSpec;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.Mount;
import drover.opsagent.docker.recreate.SpecifiedLaunchFieldsLabel;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.DiscoveredProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** A container that somebody else made, as a node is taken in with it. Changes nothing. */
record DiscoveredContainer(Container container, Optional<Image> image) {
    /**
     * The container of a program.
     *
     * @throws ActionFailed when there is none, it does not run, or it is launched otherwise than
     *     specified
     */
    static DiscoveredContainer inspectRunning(ContainerEngine engine, LaunchSpec launch) {
        String name = launch.service();
        Container found =
                engine.findContainer(name)
                        .orElseThrow(
                                () ->
                                        new ActionFailed(
                                                ReasonCode.UNKNOWN_PROGRAM,
                                                "This node has no container "
                                                        + name
                                                        + ": correct the profile's service, or make"
                                                        + " it."));
        if (!found.isRunning()) {
            throw new ActionFailed(
                    ReasonCode.NOT_RUNNING,
                    "Container " + name + " does not run: start it, then adopt it.");
        }
        if (!SpecifiedLaunchFieldsLabel.matches(found, launch)) {
            throw new ActionFailed(
                    ReasonCode.OTHER_PROGRAM,
                    "Container "
                            + name
                            + " has other arguments, environment or user than the profile says:"
                            + " correct the profile, or leave them out there.");
        }
        return new DiscoveredContainer(found, engine.findImage(found.imageId()));
    }

    /**
     * What an agent takes over.
     *
     * @param inRoot where a file is, by its path in the container and on the machine; refuses what
     *     may not be touched
     * @throws ActionFailed when no other container could be made like this one
     */
    DiscoveredProgram toDiscoveredProgram(
            ContainerUpgradeCheck suitability,
            List<NodePath> files,
            BiFunction<NodePath, String, Path> inRoot) {
        suitability.requireRecreatable(container);
        Map<NodePath, Path> places = new TreeMap<>();
        files.forEach(path -> places.put(path, inRoot.apply(path, hostPath(path))));
        return new DiscoveredProgram(
                "container " + container.name(),
                requireImageDigest(),
                container.imageName(),
                places,
                statusFields());
    }

    /** What its image is named by in registries; else nothing could get it again. */
    private Digest requireImageDigest() {
        Stream<String> names =
                Stream.concat(
                        Stream.of(container.imageName()),
                        image.stream().flatMap(it -> it.pinnedNames().stream()));
        if (names.noneMatch(name -> ImageDigests.findPinned(name).isPresent())) {
            throw new ActionFailed(
                    ReasonCode.PROGRAM_REFUSED,
                    "The image of container "
                            + container.name()
                            + " has no digest, it came from no registry: push it, and make the"
                            + " container of what was pushed.");
        }
        return ImageDigests.of(container, image);
    }

    private String hostPath(NodePath path) {
        return Mount.findHostPath(container.mounts(), path)
                .orElseThrow(
                        () ->
                                new PathRefused(
                                        path
                                                + " is in no directory of the machine that the"
                                                + " container sees: bind-mount one there."));
    }

    private SortedMap<String, String> statusFields() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("container", container.shortId());
        lines.put("started", container.startedAt());
        lines.put("restart", container.restartPolicy().name());
        for (Mount mount : container.mounts()) {
            lines.put("sees " + mount.destination(), mount.type() + " " + mount.source());
        }
        return lines;
    }
}
