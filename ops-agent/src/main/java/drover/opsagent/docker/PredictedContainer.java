package drover.opsagent.docker;

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
final class PredictedContainer {
    /** Stands for the name that the engine will give to a volume without one. */
    static final String NEW_VOLUME = "(a new volume)";

    private static final List<String> MERGED = List.of("Labels", "Volumes", "ExposedPorts");
    private static final List<String> DEFAULTED =
            List.of("User", "WorkingDir", "StopSignal", "StopTimeout", "Healthcheck", "Shell");

    private PredictedContainer() {}

    static Container of(ObjectNode body, List<Endpoints.Endpoint> further, Image image) {
        ObjectNode config = body.deepCopy();
        config.remove(List.of("HostConfig", "NetworkingConfig"));
        merge(config, image);
        ObjectNode inspected = Json.object();
        inspected.set("Config", config);
        inspected.put("Image", image.id());
        inspected.set("HostConfig", Json.copy(body, "HostConfig"));
        inspected.set("Mounts", mounts(inspected));
        ObjectNode networks = Json.copy(body.path("NetworkingConfig"), "EndpointsConfig");
        further.forEach(it -> networks.set(it.network(), it.config()));
        inspected.set("NetworkSettings", Json.object().set("Networks", networks));
        return new Container(inspected);
    }

    private static void merge(ObjectNode config, Image image) {
        boolean ownEntry = !Json.isBlank(config.path("Entrypoint"));
        if (!ownEntry) {
            if (Json.isBlank(config.path("Cmd"))) {
                takeOver(config, image, "Cmd");
            }
            takeOver(config, image, "Entrypoint");
        }
        for (String name : DEFAULTED) {
            if (Json.isBlank(config.path(name))) {
                takeOver(config, image, name);
            }
        }
        for (String name : MERGED) {
            ObjectNode entries = Json.within(config, name);
            for (Map.Entry<String, JsonNode> entry : image.config().path(name).properties()) {
                entries.putIfAbsent(entry.getKey(), entry.getValue().deepCopy());
            }
        }
        List<String> all = new ArrayList<>(Json.texts(config.path("Env")));
        List<String> names = all.stream().map(LaunchMark::variable).toList();
        Json.texts(image.config().path("Env")).stream()
                .filter(entry -> !names.contains(LaunchMark.variable(entry)))
                .forEach(all::add);
        Json.put(config, "Env", all);
    }

    private static void takeOver(ObjectNode config, Image image, String name) {
        JsonNode given = image.config().path(name);
        if (Json.isBlank(given)) {
            config.remove(name);
        } else {
            config.set(name, given.deepCopy());
        }
    }

    private static JsonNode mounts(ObjectNode inspected) {
        Map<String, ObjectNode> mounts = new LinkedHashMap<>();
        JsonNode host = inspected.path("HostConfig");
        for (String bind : Json.texts(host.path("Binds"))) {
            String source = bind.substring(0, Math.max(0, bind.indexOf(':')));
            String[] parts = bind.split(":", -1);
            boolean readOnly = parts.length > 2 && List.of(parts[2].split(",", -1)).contains("ro");
            String type = source.startsWith("/") ? Mount.BIND : Mount.VOLUME;
            add(mounts, type, source, CreateBody.destination(bind), !readOnly);
        }
        for (JsonNode mount : host.path("Mounts").values()) {
            String type = Json.text(mount, "Type");
            String source = Json.text(mount, "Source");
            boolean fresh = type.equals(Mount.VOLUME) && source.isEmpty();
            add(
                    mounts,
                    type,
                    fresh ? NEW_VOLUME : source,
                    CreateBody.plain(Json.text(mount, "Target")),
                    !Json.isTrue(mount, "ReadOnly"));
        }
        for (Map.Entry<String, JsonNode> volume :
                inspected.path("Config").path("Volumes").properties()) {
            if (!mounts.containsKey(volume.getKey()) && !isTmpfs(host, volume.getKey())) {
                add(mounts, Mount.VOLUME, NEW_VOLUME, volume.getKey(), true);
            }
        }
        var list = JsonNodeFactory.instance.arrayNode();
        mounts.values().forEach(list::add);
        return list;
    }

    private static boolean isTmpfs(JsonNode host, String destination) {
        return !host.path("Tmpfs").path(destination).isMissingNode();
    }

    private static void add(
            Map<String, ObjectNode> mounts,
            String type,
            String source,
            String destination,
            boolean writable) {
        ObjectNode mount = Json.object().put("Type", type);
        mount.put(type.equals(Mount.VOLUME) ? "Name" : "Source", source);
        mounts.put(destination, mount.put("Destination", destination).put("RW", writable));
    }
}
