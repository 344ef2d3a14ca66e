package drover.manifest;

import drover.kit.grpc.Address;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a manifest-service is told.
 *
 * @param configDirectory holds {@code chains/}, {@code upgrades/} and {@code templates/}
 * @param address where both services are served
 * @param rescanInterval how often the whole directory is looked at
 */
public record ManifestServiceConfig(
        Path configDirectory, Address address, Duration rescanInterval) {
    /** Often enough to keep the content of a file before it is broken, rare enough to be free. */
    public static final Duration DEFAULT_RESCAN = Duration.ofSeconds(2);

    public ManifestServiceConfig {
        if (rescanInterval.toMillis() < 1) {
            throw new IllegalArgumentException("rescan must be longer than nothing: write 2s");
        }
    }
}
