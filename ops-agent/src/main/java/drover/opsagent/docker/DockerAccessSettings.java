package drover.opsagent.docker;

import drover.model.program.ProgramSpec;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.RegistryCredentials;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the node itself says of its engine, from the agent's flags: the control plane can add
 * nothing to it.
 *
 * @param containers the only ones that may be touched; any where it is empty
 * @param registries the only ones that images may come from; any where it is empty
 */
record DockerAccessSettings(
        Path socket, Set<String> containers, Set<String> registries, RegistryCredentials logins) {
    private static final String NAME = "[a-zA-Z0-9][a-zA-Z0-9_.-]*"; // as engines take them

    /**
     * Reads the settings {@code socket}, {@code containers}, {@code registries} and {@code
     * registry-auth}.
     *
     * @throws IllegalArgumentException with one sentence when there is another, or one is wrong
     */
    static DockerAccessSettings of(Map<String, String> settings) {
        Map<String, String> left = new HashMap<>(settings);
        String socket = left.remove("socket");
        String logins = left.remove("registry-auth");
        DockerAccessSettings read =
                new DockerAccessSettings(
                        Path.of(socket == null ? "/var/run/docker.sock" : socket),
                        parseList(left.remove("containers")),
                        parseList(left.remove("registries")),
                        logins == null
                                ? RegistryCredentials.none()
                                : RegistryCredentials.of(Path.of(logins)));
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(
                    "'"
                            + left.keySet().iterator().next()
                            + "' is no setting of the docker runtime, which has socket,"
                            + " containers, registries and registry-auth.");
        }
        return read;
    }

    private static Set<String> parseList(@Nullable String value) {
        return value == null
                ? Set.of()
                : Arrays.stream(value.split(",", -1))
                        .map(String::strip)
                        .collect(Collectors.toSet());
    }

    /** Fails unless the program's container is one that the agent may touch. */
    void requireContainerAllowed(ProgramSpec spec) {
        String name = spec.launch().service();
        if (!name.matches(NAME) || name.contains(".drover-")) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "'" + name + "' is no name of a container: correct the profile's service.");
        }
        if (!containers.isEmpty() && !containers.contains(name)) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "This node lets its agent touch no container "
                            + name
                            + ": leave the node out, or list it in the node's own settings.");
        }
    }

    /** Fails unless images may come from there. */
    void requireRegistryAllowed(String image) {
        String registry = ImageDigests.registryHost(image);
        if (!registries.isEmpty() && !registries.contains(registry)) {
            throw new ActionFailed(
                    ReasonCode.DOWNLOAD_REFUSED,
                    "This node takes no images from "
                            + registry
                            + ": list it in the node's own settings, or use another registry.");
        }
    }
}
