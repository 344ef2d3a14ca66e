package drover.opsagent.docker;

import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.recreate.NetworkEndpoints;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Every container of an engine as it describes it, without what each start makes new. */
final class ContainerSnapshot {
    /** Of a container's state. */
    private static final List<String> OF_ONE_RUN =
            List.of("StartedAt", "FinishedAt", "Pid", "Health");

    private ContainerSnapshot() {}

    /** By their names: id, state, configuration, restart policy, mounts and networks. */
    static Map<String, String> of(ContainerEngine engine) {
        Map<String, String> lines = new TreeMap<>();
        for (String name : engine.containerNamesWithPrefix("")) {
            engine.findContainer(name).ifPresent(it -> describe(it, "container " + name, lines));
        }
        return lines;
    }

    private static void describe(Container container, String name, Map<String, String> lines) {
        ObjectNode json = container.json().deepCopy();
        EngineJson.putObjectCopy(json, "State").remove(OF_ONE_RUN);
        json.remove("Ran"); // the double's own
        json.remove("Mounts"); // an engine lists them in any order
        json.set("NetworkSettings", NetworkEndpoints.toInspectJson(container));
        json.properties()
                .forEach(
                        field ->
                                lines.put(
                                        name + " " + field.getKey(), field.getValue().toString()));
        container
                .mounts()
                .forEach(it -> lines.put(name + " sees " + it.destination(), it.toString()));
    }
}
