package drover.opsagent.docker.recreate;

import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How a container is part of networks, without what the engine gave it there. Pure. */
public final class NetworkEndpoints {
    /** What an engine gives: it gives the next container its own. */
    private static final List<String> GIVEN =
            List.of(
                    "NetworkID",
                    "EndpointID",
                    "Gateway",
                    "IPAddress",
                    "IPPrefixLen",
                    "IPv6Gateway",
                    "GlobalIPv6Address",
                    "GlobalIPv6PrefixLen",
                    "MacAddress",
                    "DNSNames");

    /** A container's place in a network. */
    public record Endpoint(String network, ObjectNode config) {}

    private NetworkEndpoints() {}

    /** The network that a container is made in; absent where it has none of its own. */
    static Optional<Endpoint> findPrimary(Container container) {
        return allEndpoints(container).stream().findFirst();
    }

    /** The networks that it joins after it was made: engines take just one before. */
    public static List<Endpoint> additionalEndpoints(Container container) {
        List<Endpoint> all = allEndpoints(container);
        return all.isEmpty() ? all : all.subList(1, all.size());
    }

    private static List<Endpoint> allEndpoints(Container container) {
        String mode = EngineJson.stringField(container.hostConfig(), "NetworkMode");
        List<Endpoint> all = new ArrayList<>();
        if (mode.equals("host") || mode.equals("none") || mode.startsWith("container:")) {
            return all;
        }
        for (Map.Entry<String, JsonNode> network : container.networks().properties()) {
            Endpoint endpoint =
                    new Endpoint(
                            network.getKey(), withoutEngineFields(container, network.getValue()));
            boolean made =
                    network.getKey().equals(mode.equals("default") ? "bridge" : mode)
                            || EngineJson.stringField(network.getValue(), "NetworkID").equals(mode);
            all.add(made ? 0 : all.size(), endpoint);
        }
        return all;
    }

    private static ObjectNode withoutEngineFields(Container container, JsonNode endpoint) {
        ObjectNode own =
                endpoint instanceof ObjectNode known ? known.deepCopy() : EngineJson.newObject();
        own.remove(GIVEN);
        List<String> aliases = new ArrayList<>(EngineJson.toStrings(own.path("Aliases")));
        aliases.remove(container.shortId()); // given, too
        own.remove("Aliases");
        if (!aliases.isEmpty()) {
            EngineJson.putStrings(own, "Aliases", aliases);
        }
        return own;
    }

    /** All of them as an engine would show them. */
    public static ObjectNode toInspectJson(Container container) {
        ObjectNode shown = EngineJson.newObject();
        allEndpoints(container).forEach(it -> shown.set(it.network(), it.config()));
        return shown;
    }
}
