package drover.manifest;

import drover.kit.grpc.Address;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a manifest-service as a process of its own: read configuration, start, wait. */
public final class ManifestServiceMain {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestServiceMain.class);
    private static final String USAGE =
            "Usage: manifest-service --config DIR --listen HOST:PORT"
                    + " (or DROVER_MANIFEST_CONFIG and DROVER_MANIFEST_LISTEN)";

    private ManifestServiceMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        ManifestService service;
        try {
            service = ManifestService.start(config(arguments, System.getenv()));
        } catch (RuntimeException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(service::close, "stop"));
        LOG.info("The manifest-service listens port={}", service.port());
        new CountDownLatch(1).await(); // until the process is told to end
    }

    /** Flags win over the environment. */
    static ManifestServiceConfig config(String[] arguments, Map<String, String> environment) {
        Map<String, String> values = new HashMap<>();
        values.put("--config", environment.getOrDefault("DROVER_MANIFEST_CONFIG", ""));
        values.put("--listen", environment.getOrDefault("DROVER_MANIFEST_LISTEN", ""));
        for (int i = 0; i < arguments.length; i += 2) {
            if (!values.containsKey(arguments[i]) || i + 1 == arguments.length) {
                throw new IllegalArgumentException(
                        "'" + arguments[i] + "' is not known or has no value. " + USAGE);
            }
            values.put(arguments[i], arguments[i + 1]);
        }
        if (values.containsValue("")) {
            throw new IllegalArgumentException("--config and --listen are required. " + USAGE);
        }
        return new ManifestServiceConfig(
                Path.of(values.getOrDefault("--config", "")),
                Address.parse(values.getOrDefault("--listen", "")),
                ManifestServiceConfig.DEFAULT_RESCAN);
    }
}
