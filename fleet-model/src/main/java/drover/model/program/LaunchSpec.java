package drover.model.program;

import drover.model.Digest;
import drover.model.NodePath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a program is launched and stopped. Part of what is backed up, restored and compared: the old
 * binary under new arguments is as wrong as under new configuration.
 *
 * @param path the program file under the node's root
 * @param service service, unit or container name; empty on the process runtime
 * @param arguments the whole command line; empty means the program file alone. {@code {path}}
 *     inside an argument or a value of the environment stands for the file's place on the node,
 *     {@code {root}} for the node's root directory
 * @param environment added to the program's environment
 * @param user operating system user; empty for the agent's own
 * @param identity what proves which version runs
 * @param stop how it is stopped
 */
public record LaunchSpec(
        NodePath path,
        String service,
        List<String> arguments,
        Map<String, String> environment,
        String user,
        ProgramDigestSource identity,
        StopSettings stop) {

    public LaunchSpec {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        stop = stop == null ? StopSettings.RUNTIME_DEFAULT : stop; // records of earlier agents
    }

    /** The runtime decides how it is stopped. */
    public LaunchSpec(
            NodePath path,
            String service,
            List<String> arguments,
            Map<String, String> environment,
            String user,
            ProgramDigestSource identity) {
        this(path, service, arguments, environment, user, identity, StopSettings.RUNTIME_DEFAULT);
    }

    /**
     * Equal for equal specifications, whatever order the environment was given in. Stop settings
     * count only if they are set: else every node would show drift after an upgrade of Drover.
     */
    public Digest digest() {
        CanonicalHasher hash =
                new CanonicalHasher().add("launch-v1").add(path.value()).add(service);
        hash.add(arguments.size());
        arguments.forEach(hash::add);
        SortedMap<String, String> sorted = new TreeMap<>(environment);
        hash.add(sorted.size());
        sorted.forEach((name, value) -> hash.add(name).add(value));
        hash.add(user).add(identity.name());
        if (!stop.equals(StopSettings.RUNTIME_DEFAULT)) {
            hash.add("stop")
                    .add(stop.signal().map(StopSignal::name).orElse(""))
                    .add(stop.timeout().map(Duration::toString).orElse(""));
        }
        return hash.digest();
    }
}
