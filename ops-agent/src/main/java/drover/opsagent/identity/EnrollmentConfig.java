package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where this machine becomes a node by itself.
 *
 * @param endpoints of gateways that enrol machines; at least one
 * @param tokenFile in which somebody puts a join token; it need not be there yet
 */
public record EnrollmentConfig(List<GatewayAddress> endpoints, Path tokenFile) {
    public EnrollmentConfig {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("A machine needs a door to be enrolled at");
        }
    }

    /**
     * What somebody has to do for a machine that has no certificate that is good: its agent, which
     * runs, takes a token from its file alone.
     */
    static String certificateRemedy(Optional<EnrollmentConfig> place) {
        return place.map(it -> "put a join token into " + it.tokenFile() + " (drover token create)")
                .orElse("run 'agent enroll' with a join token");
    }
}
