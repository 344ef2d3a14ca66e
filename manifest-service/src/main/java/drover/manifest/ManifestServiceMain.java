package drover.manifest;

import drover.kit.grpc.Address;
import drover.kit.start.Flags;
import drover.kit.start.Launch;
import java.nio.file.Path;
import java.util.List;

/** Runs a manifest-service as a process of its own: read configuration, start, wait. */
public final class ManifestServiceMain {
    static final List<String> FLAGS = List.of("config", "listen");

    private ManifestServiceMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("manifest", FLAGS, arguments, flags -> ManifestService.start(config(flags)));
    }

    static ManifestServiceConfig config(Flags flags) {
        return new ManifestServiceConfig(
                Path.of(flags.required("config")),
                Address.parse(flags.required("listen")),
                ManifestServiceConfig.DEFAULT_RESCAN);
    }
}
