package drover.opsagent.docker.recreate;

import drover.model.program.LaunchSpec;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.Mount;
import drover.opsagent.docker.engine.RestartPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Decides what the engine is asked to make in place of a container: its configuration with another
 * image. What the container had only because its image said so is left out, so that the new image's
 * own defaults come through. Pure.
 */
public final class CreateContainerBody {
    /** Says of a container which other it took the place of. */
    public static final String REPLACES = "io.drover.replaces";

    /** What an image gives entry by entry. */
    private static final List<String> MERGED = List.of("Labels", "Volumes", "ExposedPorts");

    /** What an image gives as a whole. */
    private static final List<String> DEFAULTED =
            List.of("User", "WorkingDir", "StopSignal", "StopTimeout", "Healthcheck", "Shell");

    private CreateContainerBody() {}

    /**
     * The body of a creation.
     *
     * @param image what to make it of; pinned, or an image's id
     */
    public static ObjectNode of(Container old, Image oldImage, String image, LaunchSpec launch) {
        ObjectNode body = explicitConfig(old, oldImage, SpecifiedLaunchFieldsLabel.of(old));
        SpecifiedLaunchFieldsLabel.applyLaunchSpec(body, launch);
        ObjectNode labels = EngineJson.putObjectCopy(body, "Labels");
        labels.put(
                SpecifiedLaunchFieldsLabel.LABEL,
                SpecifiedLaunchFieldsLabel.of(launch).toLabelValue());
        labels.put(REPLACES, old.id());
        return addImageHostAndNetwork(body, old, image);
    }

    /** The same without a launch specification: it makes the container anew as it was. */
    public static ObjectNode ofUnchanged(Container old, Image oldImage, String image) {
        ObjectNode body = explicitConfig(old, oldImage, SpecifiedLaunchFieldsLabel.NOTHING);
        ObjectNode labels = EngineJson.putObjectCopy(body, "Labels");
        for (String label : List.of(SpecifiedLaunchFieldsLabel.LABEL, REPLACES)) {
            if (!old.label(label).isEmpty()) {
                labels.put(label, old.label(label));
            }
        }
        return addImageHostAndNetwork(body, old, image);
    }

    private static ObjectNode addImageHostAndNetwork(ObjectNode body, Container old, String image) {
        body.put("Image", image);
        body.set("HostConfig", buildHostConfig(old));
        NetworkEndpoints.findPrimary(old)
                .ifPresent(
                        endpoint ->
                                body.set(
                                        "NetworkingConfig",
                                        EngineJson.newObject()
                                                .set(
                                                        "EndpointsConfig",
                                                        EngineJson.newObject()
                                                                .set(
                                                                        endpoint.network(),
                                                                        endpoint.config()))));
        return body;
    }

    /** What was said of the container itself, not by its image and not by this launch. */
    private static ObjectNode explicitConfig(
            Container old, Image image, SpecifiedLaunchFieldsLabel mark) {
        ObjectNode own = EngineJson.copyObject(old.json(), "Config");
        own.remove("Image");
        if (isHostnameAssignedByEngine(old)) {
            own.remove("Hostname");
        }
        MERGED.forEach(name -> removeInherited(own, name, image.config().path(name)));
        DEFAULTED.stream()
                .filter(
                        name ->
                                EngineJson.isEqualOrBothAbsent(
                                        own.path(name), image.config().path(name)))
                .forEach(own::remove);
        EngineJson.putObjectCopy(own, "Labels")
                .remove(List.of(SpecifiedLaunchFieldsLabel.LABEL, REPLACES));
        List<String> variables = new ArrayList<>(EngineJson.toStrings(own.path("Env")));
        variables.removeAll(EngineJson.toStrings(image.config().path("Env")));
        variables.removeIf(
                entry ->
                        mark.environment()
                                .contains(SpecifiedLaunchFieldsLabel.variableName(entry)));
        EngineJson.putStrings(own, "Env", variables);
        if (mark.user()) {
            own.remove("User");
        }
        removeInheritedCommand(own, image, mark);
        return own;
    }

    /**
     * Whether its host name is the engine's choice: its own id, or that of whose name it shares.
     */
    static boolean isHostnameAssignedByEngine(Container container) {
        String hostname = EngineJson.stringField(container.config(), "Hostname");
        return (!hostname.isEmpty() && hostname.equals(container.shortId()))
                || EngineJson.stringField(container.hostConfig(), "NetworkMode")
                        .startsWith("container:")
                || EngineJson.stringField(container.hostConfig(), "UTSMode").equals("host");
    }

    /** An entrypoint of one's own keeps the image's command out, so the two go together. */
    private static void removeInheritedCommand(
            ObjectNode own, Image image, SpecifiedLaunchFieldsLabel mark) {
        if (mark.arguments()) {
            own.remove(List.of("Entrypoint", "Cmd"));
            return;
        }
        JsonNode imageCommand = image.config().path("Cmd");
        boolean sameEntry =
                EngineJson.isEqualOrBothAbsent(
                        own.path("Entrypoint"), image.config().path("Entrypoint"));
        boolean sameCommand = EngineJson.isEqualOrBothAbsent(own.path("Cmd"), imageCommand);
        if (sameEntry && sameCommand) {
            own.remove(List.of("Entrypoint", "Cmd"));
        } else if (sameEntry && !EngineJson.isAbsentEmptyOrFalse(own.path("Cmd"))) {
            own.remove("Entrypoint");
        }
    }

    private static void removeInherited(ObjectNode own, String name, JsonNode ofImage) {
        ObjectNode entries = EngineJson.putObjectCopy(own, name);
        for (Map.Entry<String, JsonNode> entry : ofImage.properties()) {
            JsonNode mine = entries.path(entry.getKey());
            if (!mine.isMissingNode() && EngineJson.isEqualOrBothAbsent(mine, entry.getValue())) {
                entries.remove(entry.getKey());
            }
        }
    }

    /** Without a restart policy: that is given back as the last step of the start (D12). */
    private static ObjectNode buildHostConfig(Container old) {
        ObjectNode host = hostConfigWithNamedVolumes(old);
        host.set("RestartPolicy", RestartPolicy.NO.toJson());
        return host;
    }

    /** A volume without a name would be made anew and empty: those of the container are named. */
    private static ObjectNode hostConfigWithNamedVolumes(Container old) {
        ObjectNode host = EngineJson.copyObject(old.json(), "HostConfig");
        Set<String> named = new HashSet<>();
        List<String> binds = new ArrayList<>(EngineJson.toStrings(host.path("Binds")));
        binds.forEach(bind -> named.add(bindDestination(bind)));
        for (JsonNode mount : host.path("Mounts").values()) {
            String target = withoutTrailingSlash(EngineJson.stringField(mount, "Target"));
            named.add(target);
            if (mount instanceof ObjectNode open
                    && EngineJson.stringField(mount, "Type").equals(Mount.VOLUME)
                    && EngineJson.stringField(mount, "Source").isEmpty()) {
                old.mounts().stream()
                        .filter(it -> it.destination().equals(target))
                        .forEach(it -> open.put("Source", it.source()));
            }
        }
        for (Mount mount : old.mounts()) {
            if (mount.type().equals(Mount.VOLUME) && named.add(mount.destination())) {
                String mode = mount.writable() ? "" : ":ro";
                binds.add(mount.source() + ":" + mount.destination() + mode);
            }
        }
        if (!binds.isEmpty()) {
            EngineJson.putStrings(host, "Binds", binds);
        }
        return host;
    }

    /** The second part of {@code source:destination:options}. */
    static String bindDestination(String bind) {
        String[] parts = bind.split(":", -1);
        return withoutTrailingSlash(parts.length > 1 ? parts[1] : parts[0]);
    }

    /** Without a slash at its end. */
    static String withoutTrailingSlash(String directory) {
        boolean slash = directory.length() > 1 && directory.endsWith("/");
        return slash ? directory.substring(0, directory.length() - 1) : directory;
    }
}
