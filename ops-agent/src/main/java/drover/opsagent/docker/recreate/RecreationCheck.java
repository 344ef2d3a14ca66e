package drover.opsagent.docker.recreate;

import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Proves that a container can be made anew as it is, or names what would be lost. Pure. Everything
 * is compared that is configuration, known here or not, but for:
 *
 * <ul>
 *   <li>what the engine gives to each container: id, time of creation, paths of its logs and files,
 *       state, addresses, MAC address, a host name that is its id;
 *   <li>the image's name and digests, which are the point of an upgrade;
 *   <li>the restart policy, which is taken away before the stop and given back after the start;
 *   <li>the agent's own labels, {@code io.drover.…};
 *   <li>the spelling of volumes: what the container sees is compared, a nameless volume is named.
 * </ul>
 */
public final class RecreationCheck {
    private static final String OWN_LABELS = "io.drover.";

    private RecreationCheck() {}

    /**
     * What keeps a container from being made anew; empty when nothing does.
     *
     * @param image that it was made of
     */
    public static List<String> findObstacles(Container container, Image image) {
        List<String> obstacles = new ArrayList<>();
        JsonNode host = container.hostConfig();
        if (EngineJson.booleanField(host, "AutoRemove")) {
            obstacles.add("HostConfig.AutoRemove: the engine removes it once it is stopped");
        }
        if (!EngineJson.isAbsentEmptyOrFalse(host.path("Links"))) {
            obstacles.add("HostConfig.Links: they name containers; use a network's aliases");
        }
        if (!EngineJson.isAbsentEmptyOrFalse(host.path("VolumesFrom"))) {
            obstacles.add("HostConfig.VolumesFrom: its mounts are another container's");
        }
        if (!container.label("com.docker.swarm.service.id").isEmpty()) {
            obstacles.add("Config.Labels: it belongs to a swarm, which makes it anew by itself");
        }
        ObjectNode body = CreateContainerBody.ofUnchanged(container, image, container.imageName());
        Container made =
                ContainerPredictor.predict(
                        body, NetworkEndpoints.additionalEndpoints(container), image);
        obstacles.addAll(findDifferences(container, made));
        return obstacles;
    }

    /**
     * Where two containers differ that are to be alike.
     *
     * @param expected as it was, or as it was predicted
     * @param found as it is, or as it would be
     */
    public static List<String> findDifferences(Container expected, Container found) {
        Map<String, String> before = flatten(expected);
        Map<String, String> after = flatten(found);
        List<String> differences = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        for (String name : names) {
            String was = before.getOrDefault(name, "absent");
            String is = after.getOrDefault(name, "absent");
            boolean nameless = was.equals(Mount.VOLUME + " " + ContainerPredictor.NEW_VOLUME);
            if (!was.equals(is) && !(nameless && is.startsWith(Mount.VOLUME + " "))) {
                differences.add(name + ": " + was + " would become " + is);
            }
        }
        return differences;
    }

    private static Map<String, String> flatten(Container container) {
        Map<String, String> flat = new TreeMap<>();
        ObjectNode config = EngineJson.copyObject(container.json(), "Config");
        config.remove("Image");
        if (CreateContainerBody.isHostnameAssignedByEngine(container)) {
            config.remove("Hostname");
        }
        ObjectNode labels = EngineJson.putObjectCopy(config, "Labels");
        List<String> own = new ArrayList<>();
        labels.propertyNames().forEach(own::add);
        own.removeIf(name -> !name.startsWith(OWN_LABELS));
        labels.remove(own);
        ObjectNode host = hostConfigWithoutVolumes(container);
        host.remove("RestartPolicy");
        sortStrings(config, "Env");
        sortStrings(host, "Binds");
        flattenInto("Config", config, flat);
        flattenInto("HostConfig", host, flat);
        for (Mount mount : container.mounts()) {
            flat.put(
                    "Mounts[" + mount.destination() + "]",
                    mount.type() + " " + mount.source() + (mount.writable() ? "" : " read-only"));
        }
        flattenInto("Networks", NetworkEndpoints.toInspectJson(container), flat);
        return flat;
    }

    /** Volumes are compared by what the container sees of them, however that was asked for. */
    private static ObjectNode hostConfigWithoutVolumes(Container container) {
        ObjectNode host = EngineJson.copyObject(container.json(), "HostConfig");
        List<String> volumes =
                container.mounts().stream()
                        .filter(mount -> mount.type().equals(Mount.VOLUME))
                        .map(Mount::destination)
                        .toList();
        List<String> binds = new ArrayList<>(EngineJson.toStrings(host.path("Binds")));
        binds.removeIf(
                bind ->
                        volumes.contains(CreateContainerBody.bindDestination(bind))
                                && bind.matches("[^:]*:[^:]*(:ro|:rw)?"));
        EngineJson.putStrings(host, "Binds", binds);
        for (JsonNode mount : host.path("Mounts").values()) {
            if (mount instanceof ObjectNode open
                    && EngineJson.stringField(mount, "Type").equals(Mount.VOLUME)) {
                open.remove("Source");
            }
        }
        return host;
    }

    private static void sortStrings(ObjectNode object, String name) {
        List<String> texts = new ArrayList<>(EngineJson.toStrings(object.path(name)));
        if (!texts.isEmpty()) {
            texts.sort(null);
            EngineJson.putStrings(object, name, texts);
        }
    }

    private static void flattenInto(String name, JsonNode node, Map<String, String> flat) {
        if (node.isObject() && !node.isEmpty()) {
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                flattenInto(name + "." + field.getKey(), field.getValue(), flat);
            }
        } else if (!EngineJson.isAbsentEmptyOrFalse(node)) {
            flat.put(name, node.toString());
        } else if (node.isObject() && name.matches("Networks\\.[^.]+")) {
            flat.put(name, "joined"); // a network without settings is still one
        }
    }

    /** The first obstacles in one line. */
    public static Optional<String> summarize(List<String> obstacles) {
        if (obstacles.isEmpty()) {
            return Optional.empty();
        }
        int more = obstacles.size() - 3; // three tell what is wrong; the rest is for the log
        String first = String.join("; ", obstacles.subList(0, Math.min(3, obstacles.size())));
        return Optional.of(more > 0 ? first + "; and " + more + " more" : first);
    }
}
