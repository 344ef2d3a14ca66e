package drover.opsagent.docker;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Every container of an engine as it describes it, without what each start makes new. */
final class ContainerPicture {
    /** Of a container's state. */
    private static final List<String> OF_ONE_RUN =
            List.of("StartedAt", "FinishedAt", "Pid", "Health");

    private ContainerPicture() {}

    /** By their names: id, state, configuration, restart policy, mounts and networks. */
    static Map<String, String> of(Engine engine) {
        Map<String, String> lines = new TreeMap<>();
        for (String name : engine.namesBeginning("")) {
            engine.container(name).ifPresent(it -> describe(it, "container " + name, lines));
        }
        return lines;
    }

    private static void describe(Container container, String name, Map<String, String> lines) {
        ObjectNode json = container.json().deepCopy();
        Json.within(json, "State").remove(OF_ONE_RUN);
        json.remove("Ran"); // the double's own
        json.remove("Mounts"); // an engine lists them in any order
        json.set("NetworkSettings", Endpoints.shown(container));
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
