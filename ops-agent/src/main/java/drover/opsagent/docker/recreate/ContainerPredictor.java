package drover.opsagent.docker.recreate;

import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.Mount;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Predicts what an engine will say of a container that it is asked to make: the body with the
 * image's defaults wherever the body leaves something out. Pure.
 */
public final class ContainerPredictor {
    /** Stands for the name that the engine will give to a volume without one. */
    public static final String NEW_VOLUME = "(a new volume)";

    private static final List<String> MERGED = List.of("Labels", "Volumes", "ExposedPorts");
    private static final List<String> DEFAULTED =
            List.of("User", "WorkingDir", "StopSignal", "StopTimeout", "Healthcheck", "Shell");

    private ContainerPredictor() {}

    public static Container predict(
            ObjectNode body, List<NetworkEndpoints.Endpoint> further, Image image) {
        ObjectNode config = body.deepCopy();
        config.remove(List.of("HostConfig", "NetworkingConfig"));
        addImageDefaults(config, image);
        ObjectNode inspected = EngineJson.newObject();
        inspected.set("Config", config);
        inspected.put("Image", image.id());
        inspected.set("HostConfig", EngineJson.copyObject(body, "HostConfig"));
        inspected.set("Mounts", predictMounts(inspected));
        ObjectNode networks =
                EngineJson.copyObject(body.path("NetworkingConfig"), "EndpointsConfig");
        further.forEach(it -> networks.set(it.network(), it.config()));
        inspected.set("NetworkSettings", EngineJson.newObject().set("Networks", networks));
        return new Container(inspected);
    }

    private static void addImageDefaults(ObjectNode config, Image image) {
        boolean ownEntry = !EngineJson.isAbsentEmptyOrFalse(config.path("Entrypoint"));
        if (!ownEntry) {
            if (EngineJson.isAbsentEmptyOrFalse(config.path("Cmd"))) {
                copyFromImage(config, image, "Cmd");
            }
            copyFromImage(config, image, "Entrypoint");
        }
        for (String name : DEFAULTED) {
            if (EngineJson.isAbsentEmptyOrFalse(config.path(name))) {
                copyFromImage(config, image, name);
            }
        }
        for (String name : MERGED) {
            ObjectNode entries = EngineJson.putObjectCopy(config, name);
            for (Map.Entry<String, JsonNode> entry : image.config().path(name).properties()) {
                entries.putIfAbsent(entry.getKey(), entry.getValue().deepCopy());
            }
        }
        List<String> all = new ArrayList<>(EngineJson.toStrings(config.path("Env")));
        List<String> names = all.stream().map(SpecifiedLaunchFieldsLabel::variableName).toList();
        EngineJson.toStrings(image.config().path("Env")).stream()
                .filter(entry -> !names.contains(SpecifiedLaunchFieldsLabel.variableName(entry)))
                .forEach(all::add);
        EngineJson.putStrings(config, "Env", all);
    }

    private static void copyFromImage(ObjectNode config, Image image, String name) {
        JsonNode given = image.config().path(name);
        if (EngineJson.isAbsentEmptyOrFalse(given)) {
            config.remove(name);
        } else {
            config.set(name, given.deepCopy());
        }
    }

    private static JsonNode predictMounts(ObjectNode inspected) {
        Map<String, ObjectNode> mounts = new LinkedHashMap<>();
        JsonNode host = inspected.path("HostConfig");
        for (String bind : EngineJson.toStrings(host.path("Binds"))) {
            String source = bind.substring(0, Math.max(0, bind.indexOf(':')));
            String[] parts = bind.split(":", -1);
            boolean readOnly = parts.length > 2 && List.of(parts[2].split(",", -1)).contains("ro");
            String type = source.startsWith("/") ? Mount.BIND : Mount.VOLUME;
            addMount(mounts, type, source, CreateContainerBody.bindDestination(bind), !readOnly);
        }
        for (JsonNode mount : host.path("Mounts").values()) {
            String type = EngineJson.stringField(mount, "Type");
            String source = EngineJson.stringField(mount, "Source");
            boolean fresh = type.equals(Mount.VOLUME) && source.isEmpty();
            addMount(
                    mounts,
                    type,
                    fresh ? NEW_VOLUME : source,
                    CreateContainerBody.withoutTrailingSlash(
                            EngineJson.stringField(mount, "Target")),
                    !EngineJson.booleanField(mount, "ReadOnly"));
        }
        for (Map.Entry<String, JsonNode> volume :
                inspected.path("Config").path("Volumes").properties()) {
            if (!mounts.containsKey(volume.getKey()) && !isTmpfs(host, volume.getKey())) {
                addMount(mounts, Mount.VOLUME, NEW_VOLUME, volume.getKey(), true);
            }
        }
        var list = JsonNodeFactory.instance.arrayNode();
        mounts.values().forEach(list::add);
        return list;
    }

    private static boolean isTmpfs(JsonNode host, String destination) {
        return !host.path("Tmpfs").path(destination).isMissingNode();
    }

    private static void addMount(
            Map<String, ObjectNode> mounts,
            String type,
            String source,
            String destination,
            boolean writable) {
        ObjectNode mount = EngineJson.newObject().put("Type", type);
        mount.put(type.equals(Mount.VOLUME) ? "Name" : "Source", source);
        mounts.put(destination, mount.put("Destination", destination).put("RW", writable));
    }
}
